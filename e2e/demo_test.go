package e2e_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// A newcomer without a key: the demo model on real files, the gauge, leaving
// and coming back.

var project = map[string]string{
	"README.md":    "# Harbour\n\nA small program that counts ships.\n",
	"main.go":      "package main\n\nfunc main() { println(ships()) }\n",
	"ships.go":     "package main\n\n// TODO: count the sunken ones, too.\nfunc ships() int { return 42 }\n",
	"docs/plan.md": "# Plan\n\n- count ships\n",
}

func TestNewcomerWithoutAKey(t *testing.T) {
	t.Parallel()
	p := newPlace(t, project)
	term := p.start(usual)
	first := term.wait("first frame and its gauge", func(s screen) bool {
		return s.has("This is the demo model: not an AI.", "what is in this project?", "32.8k") && strings.HasPrefix(s.used(), "~")
	})

	term.typed("what is in this project?")
	draft := term.see("│ what is in this project?", "→ ~")
	if draft.used() != first.used() {
		t.Errorf("a draft changed what is used: %q, %q", first.used(), draft.used())
	}
	term.key("enter")
	told := term.idle("▸ list", "▸ read", "A small program that counts ships.")
	if told.used() == first.used() || strings.HasPrefix(told.used(), "~") {
		t.Errorf("after the reply the gauge says %q, before %q", told.used(), first.used())
	}

	term.key("ctrl+d")
	if code := term.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	left := term.shown()
	id := resumeLine(term)
	if len(id) != 12 || !left.has("Resume with: plimsoll -r "+id) {
		t.Errorf("leaving says\n%s", left.text)
	}
	if left.has("enter send") {
		t.Errorf("the screen was not given back:\n%s", left.text)
	}

	for _, args := range [][]string{{"-c"}, {"-r", id[:5]}} {
		term = p.start(usual, args...)
		term.idle("counts ships.", "demo")
		term.say("hello")
		term.idle("▌ hello", "demo")
		p.quits(term)
	}
}

// The suggestions of the welcome are followed word for word: within a minute the gauge fills and a compaction runs.
func TestFirstMinuteDoesWhatTheWelcomeSays(t *testing.T) {
	t.Parallel()
	files := map[string]string{"notes/log.md": logbook(1), "notes/more.md": logbook(2)[:2500]}
	maps.Copy(files, project)
	p := newPlace(t, files)
	term := p.start(wide)
	welcome := term.wait("three things to try", func(s screen) bool { return len(suggestions(s)) == 3 && strings.HasPrefix(s.used(), "~") })
	try := suggestions(welcome)

	term.typed("1")
	term.see("sends: " + try[0])
	term.key("enter")
	term.idle("▸ list", "A small program that counts ships.", "Next: let the demo fill the gauge")
	begun := term.shown().share(t)
	term.key("tab")
	term.see("│ " + try[1])
	term.key("ctrl+u")
	made := term.fillsAndCompacts(try[1])
	term.see("Next: ctrl+x undoes the compaction, ctrl+t shows it")
	if begun > 60 {
		t.Errorf("the gauge stood at %d%% at once", begun)
	}
	if try[2] != "/context" || !strings.Contains(welcome.text, "ctrl+x undoes that") || !strings.Contains(welcome.text, "ctrl+t shows the originals") {
		t.Errorf("the welcome does not say how to see what was done, and how to undo it:\n%s", welcome.text)
	}
	term.say("hello")
	told := term.wait("what was done", func(s screen) bool {
		return !s.busy() && s.has("The oldest turns were compacted") && strings.Contains(joinLines(s.text), "ctrl+x or /undo-compact undoes it; ctrl+t or /history shows")
	})
	term.command("/undo-compact")
	term.wait("full gauge again", func(s screen) bool { return s.has("(undone)", "Next: /context") && s.share(t) > made.share(t)+40 })
	term.command("/redo-compact")
	term.wait("the compaction again", func(s screen) bool { return s.has("redone · ") && s.share(t) < told.share(t)+5 })
	p.quits(term)
}

// fillsAndCompacts fills the window, and waits for the compaction that follows, which it tells from earlier ones by the gauge.
func (t *terminal) fillsAndCompacts(filling string) screen {
	t.t.Helper()
	t.say(filling)
	t.wait("a full gauge", func(s screen) bool { return s.share(t.t) > 85 })
	t.see("ctrl+x or /undo-compact undoes it")
	made := t.wait("the compaction", func(s screen) bool {
		return !s.busy() && s.has("at the load line: ", "1 summary", "ctrl+x undo") && s.share(t.t) <= 75
	})
	if left := made.share(t.t); left >= 40 {
		t.t.Errorf("the compaction left %s:\n%s", made.used(), made.text)
	}
	return made
}

// joinLines is a text without the ends of its lines; a word broken at a hyphen is
// whole again.
func joinLines(text string) string { return strings.ReplaceAll(oneLine(text), "- ", "-") }

// suggestions is what the welcome says to try, without its remarks.
func suggestions(s screen) []string {
	var out []string
	for row := range strings.Lines(s.text) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(row), fmt.Sprintf("%d  ", len(out)+1)); ok {
			text, _, _ = strings.Cut(text, "  ")
			out = append(out, text)
		}
	}
	return out
}

func TestTerminalsWithoutColourAreGivenNone(t *testing.T) {
	t.Parallel()
	if len(colours("\x1b[1;31mred")) != 1 {
		t.Fatal("colours are not seen")
	}
	for name, value := range map[string]string{"TERM": "dumb", "NO_COLOR": "1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, project)
			p.env[name] = value
			term := p.start(usual)
			term.idle("demo model")
			term.say("read ships.go")
			term.idle("▸ read", "TODO")
			term.typed("/")
			term.see("/new", "/resume")
			term.key("ctrl+c")
			term.see("Next: ") // the empty composer says what to try
			p.quits(term)
			if found := colours(term.written()); len(found) > 0 {
				t.Errorf("colours were written: %q", found)
			}
		})
	}
}
