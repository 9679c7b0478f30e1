// SPDX-License-Identifier: MIT
//
// The same for Go: reads the clock three times and more (its run-time system does so too).
package main

import (
	"os"
	"time"
)

func main() {
	for i := 0; i < 3; i++ {
		time.Now()
	}
	os.Exit(7)
}
