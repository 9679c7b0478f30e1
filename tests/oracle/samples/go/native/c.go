// SPDX-License-Identifier: MIT

//go:build cgo

// Package native doubles, in C where there is C.
package native

// #include <stdlib.h>
// static int twice(int x) { return getenv("SAMPLE_ODD") ? 1 : 2 * x; }
import "C"

// Double gives twice the number.
func Double(x int) int { return int(C.twice(C.int(x))) }
