// Package terminal tells what the terminal around the program knows beyond what all do: notifications, a progress bar,
// links. It knows terminals by the environment. What a terminal is not known to understand it is not sent: some would
// print it.
package terminal

import (
	"strconv"
	"strings"
)

// Terminal is the terminal that the program runs in.
type Terminal struct{ env func(string) string }

// New is the terminal of an environment.
func New(env func(string) string) *Terminal { return &Terminal{env} }

// kind is a terminal by its name.
type kind int

const (
	other   kind = iota // nothing is known of it
	kitty               //
	ghostty             //
	wezterm             //
	foot                //
	urxvt               //
	vte                 // GNOME Terminal, Ptyxis and others
	iterm               //
	warp                //
	windows             // Windows Terminal
	conemu              //
	mintty              //
	mux                 // stands between the program and the terminal: tmux and others
	console             // what is no emulator, and prints what it does not know
)

// kind is what the environment says. A terminal that was started from another one inherits its variables: TERM, which
// all set, counts more.
func (t *Terminal) kind() kind {
	term := t.env("TERM")
	switch {
	case t.env("TMUX") != "", t.env("STY") != "", t.env("ZELLIJ") != "", strings.HasPrefix(term, "tmux"), strings.HasPrefix(term, "screen"):
		return mux
	case term == "", term == "linux", term == "dumb", strings.HasPrefix(term, "vt"), strings.HasPrefix(term, "eterm"), strings.HasPrefix(term, "cons"):
		return console
	}
	if k := named(term); k != other {
		return k
	}
	if !strings.HasPrefix(term, "xterm") || t.env("XTERM_VERSION") != "" {
		return other
	}
	if k := named(strings.ToLower(t.env("TERM_PROGRAM"))); k != other {
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

// names are parts of the names by which terminals are known: in TERM, in TERM_PROGRAM, and in what they answer to a
// question for their version.
var names = []struct {
	part string
	is   kind
}{
	{"kitty", kitty}, {"ghostty", ghostty}, {"wezterm", wezterm}, {"foot", foot}, {"rxvt-unicode", urxvt}, {"iterm", iterm}, {"warp", warp},
	{"mintty", mintty}, {"vte", vte},
}

func named(name string) kind {
	for _, n := range names {
		if strings.HasPrefix(strings.TrimPrefix(name, "xterm-"), n.part) {
			return n.is
		}
	}
	return other
}

// Progress reports whether the terminal shows a progress bar (OSC 9;4). Others that take OSC 9 for a notification would
// show one that says "4;3".
func (t *Terminal) Progress() bool {
	switch t.kind() {
	case windows, conemu:
		return true
	case ghostty:
		return t.since(1, 2)
	case wezterm:
		return t.since(20250209)
	case mintty:
		return t.since(3, 5)
	case iterm:
		return t.since(3, 6, 6)
	case vte:
		n, err := strconv.Atoi(t.env("VTE_VERSION"))
		return err == nil && n >= 7900
	}
	return false
}

// since reports whether the terminal says that it has a version, or a later one.
func (t *Terminal) since(least ...int) bool {
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

// Links reports whether links may be sent (OSC 8): what does not know them ignores them, but for what is no emulator and
// some old ones.
func (t *Terminal) Links() bool {
	if n, err := strconv.Atoi(t.env("VTE_VERSION")); err == nil && n < 5000 {
		return false
	}
	return t.kind() != console && t.env("INSIDE_EMACS") == ""
}
