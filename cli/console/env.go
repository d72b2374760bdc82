// Package console is the environment of the commands: the streams that they read and write, the variables, and the format of
// their output. Text for a terminal is made safe; JSON has no control characters; an error says what happened and what to do,
// and decides the exit code.
package console

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"plimsoll/cli/keys"
	"plimsoll/config"
)

// Env is the environment of a run. Nothing else is read from the process, so that tests can run commands in parallel.
type Env struct {
	Args    []string // without the program's name
	Lookup  config.Env
	Environ []string // all variables, to detect what the terminal supports
	Dir     string   // current folder
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Version string
	Example []byte       // config.yaml.example
	Self    string       // this program, which answers sandbox.RunHelper; "" if it does not
	Keyring keys.Keyring // of the system, nil if it has no keyring
}

// Getenv is a variable's value, "" if it is not set.
func (e Env) Getenv(name string) string {
	value, _ := e.Lookup(name)
	return value
}

// Terminal reports whether a stream is a terminal.
func Terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Width is the number of columns of a terminal stream, fallback if it has none.
func Width(stream any, fallback int) int {
	if f, ok := stream.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w
		}
	}
	return fallback
}

// Colourless reports whether the user wants no colours (no-color.org).
func (e Env) Colourless() bool {
	return e.Getenv("NO_COLOR") != "" || e.Getenv("TERM") == "dumb"
}

// Colors is the color profile of the terminal by its environment variables.
func (e Env) Colors() colorprofile.Profile { return colorprofile.Env(e.Environ) }

// Console reads and writes in the environment of a run.
type Console struct{ Env }

// Home writes a folder below the user's home as ~/folder.
func (c *Console) Home(dir string) string {
	if home := c.Getenv("HOME"); home != "" {
		if rest, ok := strings.CutPrefix(dir, strings.TrimSuffix(home, "/")+"/"); ok {
			return "~/" + rest
		}
	}
	return dir
}

// Expand is a path as the user writes it: ~/ is the home folder, and one that is not absolute stands in folder.
func (c *Console) Expand(path, folder string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(c.Getenv("HOME"), rest)
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}
