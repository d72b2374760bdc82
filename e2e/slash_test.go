package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll/tui"
)

// Every slash command: each name is offered with a line of help as it is typed, and each command does what the screen shows
// then. All are typed into one program, in an order in which each finds something to do.

// deed is what a command does; what it opens it closes.
type deed struct {
	name string
	does func(t *terminal)
}

// opens is a command that opens something, which esc closes.
func opens(line string, shows ...string) deed {
	name, _, _ := strings.Cut(line, " ")
	return deed{name, func(t *terminal) {
		t.t.Helper()
		t.command("/" + line)
		t.see(shows...)
		t.key("esc")
		t.idle()
		t.awaitWithout(shows[len(shows)-1])
	}}
}

// checkPrinted is a command that leaves something on the screen of the conversation.
func tells(line string, shows ...string) deed {
	name, _, _ := strings.Cut(line, " ")
	return deed{name, func(t *terminal) {
		t.t.Helper()
		t.command("/" + line)
		t.idle(shows...)
	}}
}

func TestEverySlashCommandWorks(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	p.env["EDITOR"] = filepath.Join(p.root, "editor")
	if err := os.WriteFile(p.env["EDITOR"], []byte("#!/bin/sh\nprintf 'edited' >> \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := newServer(t)
	s.aside(summarises(openGate()))
	term, id := p.underway(s, wide)

	deeds := []deed{
		opens("help", "Files and commands"), opens("context", "What fills it"), opens("history", " History", "original"),
		opens("settings", " Settings", "compaction.enabled"), opens("diff", " Diff", "No file was changed"),
		opens("ledger", " Ledger", "No compactions yet"), opens("search wind", " Search", "enter open"), opens("rewind", "Go back to"),
		opens("profile", "Profile", "esc close"), opens("model", "Model", "esc close"), opens("effort", "Effort: how much"),
		opens("connect", "Connect", "esc close"), opens("theme", "Theme", "esc close"), opens("permissions", "esc close"),
		opens("tools", "Tools", "read_file"), opens("todos", "Todos", "esc close"), opens("status", "Status", "esc close"),
		opens("cost", "Cost", "esc close"), opens("expand t3", "In full", "esc close"), opens("doctor", "Doctor", "esc close"),
		opens("settings", "❯ enabled", "preset plimsoll"),
		tells("window", "/window 128k sets another number"),
		tells("compact", "compacted turns 0–"), tells("undo-compact", "undone"), tells("redo-compact", "redone"),
		tells("summarize --from 0 --to 9", "1 summary"), tells("pin 50", "pinned"), tells("unpin 50", "unpinned"),
		tells("rename Harbor log", "plimsoll   Harbor log"),
		{"review", func(t *terminal) {
			t.command("/review")
			t.idle("no summary is pending")
			t.awaitDraft("/review")
			t.clear()
		}},
		{"copy", func(t *terminal) {
			if got := t.copies(1, func() { t.command("/copy") })[0]; !strings.HasPrefix(got, "Day ") {
				t.t.Errorf("the reply is copied as %q", got)
			}
		}},
		{"export", func(t *terminal) {
			t.command("/export out.md")
			t.idle("· Export", "Written to")
			if got := p.read("out.md"); !strings.Contains(got, "Harbor log") {
				t.t.Errorf("exported is %.200q", got)
			}
		}},
		{"editor", func(t *terminal) {
			t.command("/editor")
			t.awaitDraft("edited")
			t.clear()
		}},
		{"undo", func(t *terminal) {
			t.command("/undo")
			t.idle("undone")
			t.wait("message in the composer", func(s screen) bool { return strings.HasPrefix(s.draft(), "What does the log") })
			t.clear()
		}},
		tells("redo", "turns redone"),
		tells("retry", "Nothing to send again"),
		tells("fork", "forked: this is the copy"),
		{"delete", func(t *terminal) {
			t.command("/delete")
			t.asked("Delete")
			t.key("esc")
			t.awaitWithout("Delete")
			t.idle("Harbor log")
		}},
		{"new", func(t *terminal) {
			t.command("/new")
			t.idle("Talking to")
		}},
		{"resume", func(t *terminal) {
			t.command("/resume " + id)
			t.idle("Harbor log", "Day ")
		}},
		{"quit", func(t *terminal) {
			t.command("/quit")
			if code := t.end(); code != 0 {
				t.t.Errorf("exit code %d", code)
			}
		}},
	}
	for _, c := range tui.Commands() {
		if !slices.ContainsFunc(deeds, func(d deed) bool { return d.name == c.Name }) {
			t.Errorf("nobody says what /%s does", c.Name)
		}
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			term.typed("/" + strings.ToUpper(name))
			term.wait("help of /"+name, func(s screen) bool { return s.has("/"+c.Name) && s.has(firstOf(c.Help, 30)) })
			term.clear()
		}
	}
	for _, d := range deeds {
		d.does(term)
	}
}
