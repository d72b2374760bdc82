// Package record makes the moving picture of the README and the still ones of the documents: make recording. It plays a
// script of keys on the demo model in a terminal emulator of its own, and writes what the screen shows as SVG.
//
// Pictures hold text as text, plain CSS and nothing from elsewhere, so that they move in an <img>, too.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	program := flag.String("program", "", "the plimsoll to record; built from this tree if not given")
	to := flag.String("to", "docs/images", "folder for the pictures")
	flag.Parse()
	if err := run(*program, *to); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// run records the program, and writes the pictures into a folder.
func run(program, to string) (err error) {
	dir, err := os.MkdirTemp("", "plimsoll-record-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what cannot be removed stays in the temporary folder
	if program == "" {
		program = filepath.Join(dir, "plimsoll")
		build := exec.Command("go", "build", "-o", program, ".")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("building plimsoll: %w", err)
		}
	}
	t, err := start(dir, program)
	if err != nil {
		return err
	}
	defer t.stop()
	firstMinute(t)
	if t.err != nil {
		return t.err
	}
	pictures := t.stills
	pictures["first-minute"] = t.film
	for name, film := range pictures {
		if err := os.WriteFile(filepath.Join(to, name+".svg"), film.svg(name), 0o644); err != nil {
			return err
		}
	}
	return nil
}
