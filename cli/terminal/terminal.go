// Package terminal detects optional features of the terminal that the program runs in: notifications, a progress bar,
// links. It identifies the terminal by environment variables. A feature counts as missing unless the terminal is known
// to have it, because some terminals print escape sequences that they do not know.
package terminal

import (
	"strconv"
	"strings"
)

// Terminal is the terminal that the program runs in.
type Terminal struct{ env func(string) string }

// New returns the terminal of an environment; env looks up a variable.
func New(env func(string) string) *Terminal { return &Terminal{env} }

// emulator is a terminal program, or a family of them.
type emulator int

const (
	other       emulator = iota // any unknown terminal
	kitty                       //
	ghostty                     //
	wezterm                     //
	foot                        //
	urxvt                       //
	vte                         // GNOME Terminal, Ptyxis and others
	iterm                       //
	warp                        //
	windows                     // Windows Terminal
	conemu                      //
	mintty                      //
	multiplexer                 // a program between ours and the terminal: tmux and others
	basic                       // a console or another basic terminal, which prints escape sequences that it does not know
)

// detect identifies the terminal by the environment. A terminal started from another one inherits its variables. So TERM, which
// every terminal sets, has precedence.
func (t *Terminal) detect() emulator {
	term := t.env("TERM")
	switch {
	case t.env("TMUX") != "", t.env("STY") != "", t.env("ZELLIJ") != "", strings.HasPrefix(term, "tmux"), strings.HasPrefix(term, "screen"):
		return multiplexer
	case term == "", term == "linux", term == "dumb", strings.HasPrefix(term, "vt"), strings.HasPrefix(term, "eterm"), strings.HasPrefix(term, "cons"):
		return basic
	}
	if k := emulatorNamed(term); k != other {
		return k
	}
	if !strings.HasPrefix(term, "xterm") || t.env("XTERM_VERSION") != "" {
		return other
	}
	if k := emulatorNamed(strings.ToLower(t.env("TERM_PROGRAM"))); k != other {
		return k
	}
	switch {
	case t.env("WT_SESSION") != "":
		return windows
	case t.env("ConEmuANSI") == "ON":
		return conemu
	case t.env("LC_TERMINAL") == "iTerm2": // over SSH, too
		return iterm
	case t.env("VTE_VERSION") != "" && t.env("TERM_PROGRAM") == "":
		return vte
	}
	return other
}

// namePrefixes are how the names of terminals begin, in lower case: in TERM (after "xterm-") and in TERM_PROGRAM.
var namePrefixes = []struct {
	prefix string
	kind   emulator
}{
	{"kitty", kitty}, {"ghostty", ghostty}, {"wezterm", wezterm}, {"foot", foot}, {"rxvt-unicode", urxvt}, {"iterm", iterm},
	{"warp", warp}, {"mintty", mintty}, {"vte", vte},
}

func emulatorNamed(name string) emulator {
	for _, n := range namePrefixes {
		if strings.HasPrefix(strings.TrimPrefix(name, "xterm-"), n.prefix) {
			return n.kind
		}
	}
	return other
}

// CanShowProgress reports whether the terminal can show a progress bar (OSC 9;4). Some other terminals would take the sequence
// for a notification with the text "4;3".
func (t *Terminal) CanShowProgress() bool {
	switch t.detect() {
	case windows, conemu:
		return true
	case ghostty:
		return t.hasVersion(1, 2)
	case wezterm:
		return t.hasVersion(20250209)
	case mintty:
		return t.hasVersion(3, 5)
	case iterm:
		return t.hasVersion(3, 6, 6)
	case vte:
		n, err := strconv.Atoi(t.env("VTE_VERSION"))
		return err == nil && n >= 7900
	}
	return false
}

// hasVersion reports whether the version in TERM_PROGRAM_VERSION is least or later.
func (t *Terminal) hasVersion(least ...int) bool {
	parts := strings.FieldsFunc(t.env("TERM_PROGRAM_VERSION"), func(r rune) bool { return r < '0' || r > '9' })
	for i, n := range least {
		if i >= len(parts) {
			return false
		}
		if is, err := strconv.Atoi(parts[i]); err != nil || is != n {
			return err == nil && is > n
		}
	}
	return true
}

// Moves reports whether something may move on the screen, by the setting ui.motion: over SSH, where lines can be slow, only
// if that says so.
func (t *Terminal) Moves(setting string) bool {
	return setting == "on" || setting == "auto" && t.env("SSH_CONNECTION") == "" && t.env("SSH_TTY") == ""
}

// CanShowLinks reports whether links (OSC 8) may be sent. Terminals that do not know them ignore them, except consoles and some
// old emulators.
func (t *Terminal) CanShowLinks() bool {
	if n, err := strconv.Atoi(t.env("VTE_VERSION")); err == nil && n < 5000 {
		return false
	}
	return t.detect() != basic && t.env("INSIDE_EMACS") == ""
}
