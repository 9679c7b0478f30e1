// SPDX-License-Identifier: MIT

// Command sample uses what Go's run-time system asks the kernel for itself.
package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"example.org/sample/native"
	"example.org/sample/shelf"
)

func main() {
	names, err := shelf.Names(".")
	if err != nil {
		panic(err)
	}
	host, _ := os.Hostname()
	bytes := make([]byte, 16)
	rand.Read(bytes)
	output, err := exec.Command("cat", "go.mod").Output()
	if err != nil {
		panic(err)
	}
	_, missing := os.Stat("missing")
	fmt.Println(len(names) > 0, host != "", len(output), missing != nil, time.Now().Year() > 2000,
		runtime.NumCPU() > 0, native.Double(21))
}
