package e2e_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// The demo model, without a key: it reads real files, the gauge moves, and the conversation can be resumed.

var project = map[string]string{
	"README.md":    "# Harbour\n\nA small program that counts ships.\n",
	"main.go":      "package main\n\nfunc main() { println(ships()) }\n",
	"ships.go":     "package main\n\n// TODO: count the sunken ones, too.\nfunc ships() int { return 42 }\n",
	"docs/plan.md": "# Plan\n\n- count ships\n",
}

func TestDemoModelAnswersWithoutAKey(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, project)
	term := p.start(defaultSize)
	first := term.wait("first frame and its gauge", func(s screen) bool {
		return s.has("This is the demo model: not an AI.", "what is in this project?", "32.8k") && strings.HasPrefix(s.gaugeShare(), "~")
	})

	term.typeText("what is in this project?")
	draft := term.awaitText("│ what is in this project?", "→ ~")
	if draft.gaugeShare() != first.gaugeShare() {
		t.Errorf("a draft changed what is used: %q, %q", first.gaugeShare(), draft.gaugeShare())
	}
	term.press("enter")
	told := term.awaitIdle("▸ list", "▸ read", "A small program that counts ships.")
	if told.gaugeShare() == first.gaugeShare() || strings.HasPrefix(told.gaugeShare(), "~") {
		t.Errorf("after the reply the gauge shows %q, before %q", told.gaugeShare(), first.gaugeShare())
	}

	term.press("ctrl+d")
	if code := term.awaitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	left := term.shown()
	id := resumeLine(term)
	if len(id) != 12 || !left.has("Resume with: plimsoll -r "+id) {
		t.Errorf("after quitting the screen shows\n%s", left.text)
	}
	if left.has("enter send") {
		t.Errorf("the main screen was not restored:\n%s", left.text)
	}

	status := []string{"--cfg", `ui.status_command=echo "enter send, $PLIMSOLL_MODEL of $PLIMSOLL_WINDOW"`} // begins as the hints do, for frameFault
	for _, c := range []struct {
		args, see []string
		say       string
	}{
		{args: append(status, "-c"), see: []string{"counts ships.", "enter send, demo/demo of 32768"}, say: "hello"},
		{args: []string{"-r", id[:5]}, see: []string{"▌ hello"}, say: "and you?"},
	} {
		term = p.start(high, c.args...)
		term.awaitIdle(c.see...)
		term.sendMessage(c.say)
		term.awaitIdle("▌ " + c.say)
		p.quit(term)
	}
}

// Every suggestion of the welcome is followed: the gauge fills, a compaction runs, and what a newcomer asks has an answer on the screen.
func TestSuggestionsOfTheWelcomeWork(t *testing.T) {
	t.Parallel()
	files := map[string]string{"notes/log.md": strings.Repeat(logbook(1), 8), "notes/more.md": strings.Repeat(logbook(2), 6)}
	maps.Copy(files, project)
	p := newSandbox(t, files)
	term := p.start(size{140, 40})
	welcome := term.wait("three things to try", func(s screen) bool { return len(suggestions(s)) == 3 && strings.HasPrefix(s.gaugeShare(), "~") })
	try := suggestions(welcome)

	term.typeText("1")
	term.awaitText("sends: " + try[0])
	term.press("enter")
	term.awaitIdle("▸ list", "A small program that counts ships.", "Next: let the demo fill the gauge")
	answered := func(s screen, question string, texts ...string) {
		t.Helper()
		if !s.has(texts...) {
			t.Errorf("%s: not all of %q are on the screen\n%s", question, texts, s.text)
		}
	}
	answered(welcome, "what does it say, and what happens at the mark?", " of 32.8k", "█ tools ", "┄ free ", "compacts at 28k", "▲ load line 28k", "watch it compact at ▲")
	begun := term.shown().gaugePercent(t)
	term.press("tab")
	term.awaitText("│ " + try[1])
	term.press("ctrl+u")
	term.sendMessage(try[1])
	made := term.wait("the compaction", func(s screen) bool {
		return !s.busy() && s.has("ctrl+x or /undo-compact undoes it", "▎ Compacted turn", "▎ kept: ", "ctrl+x undo") && s.gaugePercent(t) < 40
	})
	answered(made, "what was compacted, and how small is it now?", "▎ Compacted turn", "k ███████████████ → ", "▎ kept: ", "█ summary ", "ctrl+t read")
	answered(made, "how is it undone?", "ctrl+x undo")
	answered(made, "what did it cost?", "▎ cost nothing · saves ", " tokens a request")
	term.awaitText("Next: ctrl+x undoes the compaction, ctrl+t shows it")
	if begun > 60 {
		t.Errorf("the gauge was at %d%% at once", begun)
	}
	if try[2] != "/context" || !strings.Contains(welcome.text, "ctrl+x undoes that") || !strings.Contains(welcome.text, "ctrl+t shows the originals") {
		t.Errorf("the welcome does not say how to see what was done, and how to undo it:\n%s", welcome.text)
	}
	term.sendMessage("hello")
	told := term.wait("what was done", func(s screen) bool {
		return !s.busy() && s.has("The oldest turns were compacted") && strings.Contains(joinLines(s.text), "ctrl+x or /undo-compact undoes it; ctrl+t or /history shows")
	})
	term.slashCommand("/undo-compact")
	full := term.wait("full gauge again", func(s screen) bool {
		return s.has("(undone)", "Next: /context") && s.gaugePercent(t) > made.gaugePercent(t)+40
	})
	if results, replies := full.legend(t, "results"), full.legend(t, "replies"); results < replies {
		t.Errorf("%d tokens of results and %d of replies do not look like real work:\n%s", results, replies, full.text)
	}
	term.slashCommand("/redo-compact")
	term.wait("the compaction again", func(s screen) bool { return s.has("(redone)") && s.gaugePercent(t) < told.gaugePercent(t)+5 })
	p.quit(term)
}

// legend returns the tokens of a segment as the line below the gauge says.
func (s screen) legend(t testing.TB, name string) int {
	t.Helper()
	_, text, _ := strings.Cut(s.text, "█ "+name+" ")
	var n float64
	var unit string
	if _, err := fmt.Sscanf(text, "%f%1s", &n, &unit); err != nil {
		t.Fatalf("no size of %s: %v\n%s", name, err, s.text)
	}
	if unit == "k" {
		n *= 1000
	}
	return int(n)
}

// joinLines puts a text on one line, and joins words that were broken at a hyphen.
func joinLines(text string) string { return strings.ReplaceAll(oneLine(text), "- ", "-") }

// suggestions returns the texts that the welcome suggests, without their remarks.
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

func TestNoColourIsWrittenToTerminalsWithoutColour(t *testing.T) {
	t.Parallel()
	if len(colours("\x1b[1;31mred")) != 1 {
		t.Fatal("colours are not seen")
	}
	for name, value := range map[string]string{"TERM": "dumb", "NO_COLOR": "1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newSandbox(t, project)
			p.env[name] = value
			term := p.start(defaultSize)
			term.awaitIdle("demo model")
			term.sendMessage("read ships.go")
			term.awaitIdle("▸ read", "TODO")
			term.typeText("/")
			term.awaitText("/new", "/resume")
			term.press("ctrl+c")
			term.awaitText("Next: ") // the empty composer says what to try
			p.quit(term)
			if found := colours(term.written()); len(found) > 0 {
				t.Errorf("colours were written: %q", found)
			}
		})
	}
}
