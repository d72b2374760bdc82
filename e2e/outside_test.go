package e2e_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

// What the terminal is told beside the frames: who is called, how far a turn is, where links lead.

// focus says that the terminal has the focus, or has it no more, and waits until the program knows: it asks something
// after the report of a mode that comes behind.
func (t *terminal) focus(has bool) {
	t.t.Helper()
	asks := func() int { return strings.Count(t.written(), ansi.RequestModeFocusEvent) }
	before, said := asks(), ansi.Blur
	if has {
		said = ansi.Focus
	}
	t.send(said + ansi.ReportMode(ansi.ModeSynchronizedOutput, ansi.ModeReset))
	t.wait("answer to a report", func(screen) bool { return asks() > before })
}

const (
	busyBar = "\x1b]9;4;3\a"
	noBar   = "\x1b]9;4;0\a"
	notice  = "\x1b]777;notify;Plimsoll;"
)

// TestAQuestionCallsWhoLooksElsewhere has questions wait, seen and unseen, in a terminal that shows notifications and
// progress, and in one of which nothing is known.
func TestAQuestionCallsWhoLooksElsewhere(t *testing.T) {
	t.Parallel()
	for term, env := range map[string]map[string]string{
		"ghostty": {"TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty", "TERM_PROGRAM_VERSION": "1.2.3"},
		"other":   {},
	} {
		t.Run(term, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, nil)
			for name, value := range env {
				p.env[name] = value
			}
			gate := make(chan struct{})
			s := newServer(t, calls("c1", "run_command", object{"command": "touch one --token=hunter2"}), says("The first is done."),
				func(w *wire) {
					w.await(gate)
					w.call(0, "c2", "run_command", object{"command": "touch two"})
					w.end("tool_calls", 0, 0)
				}, says("The second is done."))
			term := p.talking(usual, s)
			notices := func() int {
				return strings.Count(term.written(), notice) + strings.Count(ansi.Strip(term.written()), "\a")
			}
			term.say("make one")
			term.asked("Allow this?")
			if n := notices(); n != 0 {
				t.Errorf("who looks at the question is called %d times", n)
			}
			term.typed("y")
			term.idle("The first is done.")
			bars := strings.Count(term.written(), busyBar)
			term.say("make two")
			if len(env) > 0 { // a turn that is over before the next frame shows none
				term.wait("progress", func(screen) bool { return strings.Count(term.written(), busyBar) > bars })
			}
			term.focus(false)
			close(gate)
			term.see("Allow this?")
			called := notice + "make one · waiting for your approval: run touch\a"
			if len(env) == 0 {
				called = "\a"
			}
			term.wait("a call", func(screen) bool { return strings.Contains(term.written(), called) })
			term.focus(true)
			term.asked("Allow this?")
			term.typed("y")
			term.idle("The second is done.")
			if n := notices(); n != 1 {
				t.Errorf("called %d times, not once", n)
			}
			term.key("ctrl+c", "ctrl+c")
			term.end()
			written := term.written()
			if len(env) == 0 {
				if strings.Contains(written, "\x1b]9;") || strings.Contains(written, "\x1b]777;") {
					t.Error("a terminal is told what it may not know")
				}
				return
			}
			if strings.LastIndex(written, "\x1b]9;4;") != strings.LastIndex(written, noBar) {
				t.Error("the progress stays")
			}
		})
	}
}

// TestProgressEndsWithTheProgram leaves while a turn runs.
func TestProgressEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	p.env["WT_SESSION"] = "1"
	s := newServer(t, func(w *wire) { w.text("Half of"); w.hang() })
	term := p.talking(usual, s)
	term.say("go")
	term.wait("a bar", func(screen) bool { return strings.Contains(term.written(), busyBar) })
	term.see("Half of")
	if err := term.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	term.end()
	if written := term.written(); strings.LastIndex(written, "\x1b]9;4;") != strings.LastIndex(written, noBar) {
		t.Error("the bar stays when the program has ended")
	}
}

// links are the addresses of the cells of a row, one letter for each, in the order in which they are met, and what the
// letters stand for.
func (t *terminal) links(y int) (letters string, addresses []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for x := range t.screen.Width() {
		letter := " "
		if c := t.screen.CellAt(x, y); c != nil && c.Link.URL != "" {
			n := slices.Index(addresses, c.Link.URL)
			if n < 0 {
				n, addresses = len(addresses), append(addresses, c.Link.URL)
			}
			letter = string(rune('a' + n))
		}
		letters += letter
	}
	return strings.TrimRight(letters, " "), addresses
}

// TestLinksOfAReplyAreLinks streams a reply with links in small pieces, covers it, and scrolls it: what is a link is
// always what the reply says.
func TestLinksOfAReplyAreLinks(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	const text = "First https://a.org/b?c=d, then [the docs](https://docs.org/x), then [bank.org](https://evil.org) and a tail."
	s := newServer(t, says(slices.Collect(strings.SplitSeq(text, ""))...), says(strings.Repeat("more\n\n", 10)))
	term := p.talking(size{140, 30}, s)
	term.say("links?")
	whole := func(when string, s screen) {
		t.Helper()
		y := slices.IndexFunc(strings.Split(s.text, "\n"), func(row string) bool { return strings.Contains(row, "First") })
		letters, addresses := term.links(y)
		if got := strings.Join(addresses, " "); got != "https://a.org/b?c=d https://docs.org/x https://evil.org" {
			t.Errorf("%s the row leads to %q:\n%s", when, got, s.text)
		}
		row := []rune(s.row(y))
		for n, want := range []string{"https://a.org/b?c=d", "https://docs.org/x", "https://evil.org"} {
			linked := ""
			for x, letter := range letters {
				if letter == rune('a'+n) {
					linked += string(row[x])
				}
			}
			if linked != want {
				t.Errorf("%s %q is linked, not %q", when, linked, want)
			}
		}
	}
	whole("at its end", term.idle("a tail."))
	term.key("ctrl+l")
	whole("drawn anew", term.idle("a tail."))
	term.key("ctrl+p")
	s2 := term.see("Commands")
	term.key("esc")
	whole("uncovered", term.wait("no dialog", func(s screen) bool { return s.text != s2.text && s.has("a tail.") && s.broken() == "" }))
	term.say("more")
	term.idle("more")
	term.key("pgup")
	whole("scrolled", term.see("First", "a tail."))
}

// drag drags the mouse over the screen.
func (t *terminal) drag(x1, y1, x2, y2 int) {
	t.send(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<32;%d;%dM\x1b[<0;%d;%dm", x1+1, y1+1, x2+1, y2+1, x2+1, y2+1))
}

// clipboard waits for the next text that the terminal is given for the clipboard, behind so many bytes.
func (t *terminal) clipboard(behind int) string {
	t.t.Helper()
	text := ""
	t.wait("copied text", func(screen) bool {
		found := clipped.FindStringSubmatch(t.written()[behind:])
		if found == nil {
			return false
		}
		plain, err := base64.StdEncoding.DecodeString(found[1])
		if err != nil {
			t.t.Fatalf("the terminal is given %q: %v", found[1], err)
		}
		text = string(plain)
		return true
	})
	return text
}

// TestWhatIsCopiedIsWhatWasSaid drags over a message, a wrapped paragraph with a link and code with long lines, and copies
// a code block and the reply by name.
func TestWhatIsCopiedIsWhatWasSaid(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	const asked = "a question that is long enough to be broken by the width of this screen"
	const paragraph = "A paragraph that is far too long for one line of this screen, with a link to https://example.org/a/b, and an end."
	const code = "func main() {\n\tif x {\n\t\treturn somethingWithAVeryLongName(andAnArgument, andAnother)\n\t}\n\n\ty()\n}"
	const reply = paragraph + "\n\n```go\n" + code + "\n```\n\nThe end."
	s := newServer(t, says(reply))
	term := p.talking(size{60, 40}, s)
	term.say(asked)
	shown := term.idle("The end.", "↳")
	rows := strings.Split(shown.text, "\n")
	first := slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, "▌ a question") })
	last := slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, "The end.") })
	for _, c := range []struct {
		do   func()
		want string
	}{
		{func() { term.drag(0, first, 59, last) }, asked + "\n\n" + paragraph + "\n\n" + code + "\n\nThe end."},
		{func() { term.typed("/copy"); term.key("enter") }, reply},
		{func() { term.typed("/copy code"); term.key("enter") }, code},
	} {
		behind := len(term.written())
		c.do()
		if d := cmp.Diff(c.want, term.clipboard(behind)); d != "" {
			t.Errorf("%s\nof\n%s", d, term.shown().text)
		}
	}
}
