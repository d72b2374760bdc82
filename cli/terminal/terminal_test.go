package terminal

import (
	"strings"
	"testing"
)

// env returns a lookup in an environment written as A=b C=d.
func env(vars string) func(string) string {
	return func(name string) string {
		for _, v := range strings.Fields(vars) {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

const (
	osc99  = "\x1b]99;i=plimsoll:o=unfocused:d=0:p=title;Plimsoll\a\x1b]99;i=plimsoll:o=unfocused:d=1:p=body;reply ready\a"
	osc777 = "\x1b]777;notify;Plimsoll;reply ready\a"
	osc9   = "\x1b]9;Plimsoll: reply ready\a"
)

func TestFeaturesOfTerminals(t *testing.T) {
	t.Parallel()
	for vars, want := range map[string]struct {
		notify   string
		progress bool
		noLinks  bool
	}{
		"TERM=xterm-kitty TERM_PROGRAM=ghostty TERM_PROGRAM_VERSION=1.2.0":   {notify: osc99}, // started from Ghostty
		"TERM=xterm-ghostty TERM_PROGRAM=ghostty TERM_PROGRAM_VERSION=1.2.0": {notify: osc777, progress: true},
		"TERM=xterm-ghostty TERM_PROGRAM=ghostty TERM_PROGRAM_VERSION=1.1.3": {notify: osc777},
		"TERM=xterm-ghostty": {notify: osc777}, // over SSH
		"TERM=xterm-256color TERM_PROGRAM=WezTerm TERM_PROGRAM_VERSION=20240203-110809-5046fc22": {notify: osc777},
		"TERM=xterm-256color TERM_PROGRAM=WezTerm TERM_PROGRAM_VERSION=20260101-1":               {notify: osc777, progress: true},
		"TERM=foot":                            {notify: osc777},
		"TERM=rxvt-unicode-256color":           {notify: osc777 + "\a"},
		"TERM=xterm-256color VTE_VERSION=7600": {notify: osc777 + "\a"},
		"TERM=xterm-256color VTE_VERSION=8000": {notify: osc777 + "\a", progress: true},
		"TERM=xterm-256color VTE_VERSION=4602": {notify: osc777 + "\a", noLinks: true},
		"TERM=xterm-256color TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION=3.6.6": {notify: osc9, progress: true},
		"TERM=xterm-256color TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION=3.6.5": {notify: osc9},
		"TERM=xterm-256color TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION=3.10":  {notify: osc9, progress: true},
		"TERM=xterm-256color LC_TERMINAL=iTerm2":                                {notify: osc9}, // over SSH
		"TERM=xterm-256color TERM_PROGRAM=WarpTerminal":                         {notify: osc9},
		"TERM=xterm-256color WT_SESSION=1":                                      {notify: "\a", progress: true},
		"TERM=xterm-256color ConEmuANSI=ON":                                     {notify: "\a", progress: true},
		"TERM=xterm-256color TERM_PROGRAM=mintty TERM_PROGRAM_VERSION=3.7.1":    {notify: "\a", progress: true},
		"TERM=xterm-256color TERM_PROGRAM=Apple_Terminal":                       {notify: "\a"},
		"TERM=xterm-256color TERM_PROGRAM=vscode":                               {notify: "\a"},
		"TERM=xterm-256color XTERM_VERSION=1 TERM_PROGRAM=ghostty":              {notify: "\a"},
		"TERM=alacritty TERM_PROGRAM=ghostty TERM_PROGRAM_VERSION=1.2.0":        {notify: "\a"},
		"TERM=xterm-256color":                                                   {notify: "\a"},
		"TERM=xterm-256color INSIDE_EMACS=30":                                   {notify: "\a", noLinks: true},
		"TERM=linux":                                                            {notify: "\a", noLinks: true},
		"TERM=screen-256color STY=1 WT_SESSION=1":                               {notify: "\a"},
		"TERM=xterm-kitty ZELLIJ=0":                                             {notify: "\a"},
		"TERM=tmux-256color TERM_PROGRAM=WezTerm":                               {notify: "\a"}, // over SSH from within tmux
		"TERM=tmux-256color TMUX=/nowhere WT_SESSION=1":                         {notify: "\a"},
	} {
		term := New(env(vars))
		if got := term.Notifier(Auto)(t.Context(), "reply ready"); got != want.notify {
			t.Errorf("%s: notified with %q, want %q", vars, got, want.notify)
		}
		if got := term.CanShowProgress(); got != want.progress {
			t.Errorf("%s: progress is %v", vars, got)
		}
		if got := term.CanShowLinks(); got == want.noLinks {
			t.Errorf("%s: links are %v", vars, got)
		}
		if got := term.Notifier(Bell)(t.Context(), "reply ready"); got != "\a" {
			t.Errorf("%s: the bell is %q", vars, got)
		}
		if term.Notifier(Off) != nil {
			t.Errorf("%s: off is not off", vars)
		}
	}
}

func TestNotificationTextCannotEndItsSequence(t *testing.T) {
	t.Parallel()
	for k := other; k <= basic; k++ {
		got := notification(k, "a\x1b\\b\ac\x9cd\ne\u202ef")
		for _, part := range []string{"\x1b\\b", "\ac", "\x9cd", "\n", "\u202e"} {
			if strings.Contains(got, part) {
				t.Errorf("kind %d is told %q", k, got)
			}
		}
	}
}
