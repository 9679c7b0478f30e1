// SPDX-License-Identifier: MIT

// Package shelf reads folders.
package shelf

import (
	"os"
	"path/filepath"
)

// Names gives the names of all files below a folder, having read each.
func Names(folder string) ([]string, error) {
	var names []string
	err := filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		if filepath.Ext(path) == ".go" {
			if _, err := os.ReadFile(path); err != nil {
				return err
			}
		}
		names = append(names, path)
		return nil
	})
	return names, err
}
