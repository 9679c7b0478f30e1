#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh 0|1: without or with cgo; everything that Go keeps stays in this folder.
set -e
export CGO_ENABLED="$1" GOCACHE="$PWD/cache" GOPATH="$PWD/path" GOFLAGS=-mod=mod GOPROXY=off GOENV=off
go build -trimpath -o sample .
./sample
