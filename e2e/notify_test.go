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

// Output other than frames: notifications, the progress bar, links and the clipboard.

// setFocus reports that the terminal gained or lost the focus, and waits until the program has read it: the program queries
// the terminal after the report of a mode that follows.
func (t *terminal) setFocus(has bool) {
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

// TestAQuestionNotifiesAUserWithoutFocus shows questions with and without focus, in a terminal that supports notifications and
// progress, and in an unknown one.
func TestAQuestionNotifiesAUserWithoutFocus(t *testing.T) {
	t.Parallel()
	for term, env := range map[string]map[string]string{
		"ghostty": {"TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty", "TERM_PROGRAM_VERSION": "1.2.3"},
		"other":   {},
	} {
		t.Run(term, func(t *testing.T) {
			t.Parallel()
			p := newSandbox(t, nil)
			for name, value := range env {
				p.env[name] = value
			}
			gate := make(chan struct{})
			s := newServer(t, callReply("c1", "run_command", object{"command": "touch one --token=hunter2"}), textReply("The first is done."),
				func(w *wire) {
					w.awaitGate(gate)
					w.call(0, "c2", "run_command", object{"command": "touch two"})
					w.end("tool_calls", 0, 0)
				}, textReply("The second is done."))
			term := p.startChat(defaultSize, s)
			notices := func() int {
				return strings.Count(term.written(), notice) + strings.Count(ansi.Strip(term.written()), "\a")
			}
			term.sendMessage("make one")
			term.awaitQuestion("Allow this?")
			if n := notices(); n != 0 {
				t.Errorf("a user with focus was notified %d times", n)
			}
			term.typeText("y")
			term.awaitIdle("The first is done.")
			bars := strings.Count(term.written(), busyBar)
			term.sendMessage("make two")
			if len(env) > 0 { // a turn that ends before the next frame shows no bar
				term.wait("progress", func(screen) bool { return strings.Count(term.written(), busyBar) > bars })
			}
			term.setFocus(false)
			close(gate)
			term.awaitText("Allow this?")
			called := notice + "make one · waiting for your approval: run touch\a"
			if len(env) == 0 {
				called = "\a"
			}
			term.wait("notification", func(screen) bool { return strings.Contains(term.written(), called) })
			term.setFocus(true)
			term.awaitQuestion("Allow this?")
			term.typeText("y")
			term.awaitIdle("The second is done.")
			if n := notices(); n != 1 {
				t.Errorf("notified %d times, not once", n)
			}
			term.press("ctrl+c", "ctrl+c")
			term.awaitExit()
			written := term.written()
			if len(env) == 0 {
				if strings.Contains(written, "\x1b]9;") || strings.Contains(written, "\x1b]777;") {
					t.Error("an unknown terminal received sequences it may not support")
				}
				return
			}
			if strings.LastIndex(written, "\x1b]9;4;") != strings.LastIndex(written, noBar) {
				t.Error("the progress bar stays")
			}
		})
	}
}

// TestProgressEndsWithTheProgram ends the program while a turn runs.
func TestProgressEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	p.env["WT_SESSION"] = "1"
	s := newServer(t, func(w *wire) { w.text("Half of"); w.hang() })
	term := p.startChat(defaultSize, s)
	term.sendMessage("go")
	term.wait("a bar", func(screen) bool { return strings.Contains(term.written(), busyBar) })
	term.awaitText("Half of")
	if err := term.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	term.awaitExit()
	if written := term.written(); strings.LastIndex(written, "\x1b]9;4;") != strings.LastIndex(written, noBar) {
		t.Error("the bar stays when the program has ended")
	}
}

// links returns, for a row, one letter for each cell with a link, and the addresses that the letters a, b, … mean.
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

// TestLinksOfAReplyAreHyperlinks streams a reply with links in small pieces, covers it with a dialog, and scrolls it. The
// hyperlinks on the screen are always those of the reply.
func TestLinksOfAReplyAreHyperlinks(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	const text = "First https://a.org/b?c=d, then [the docs](https://docs.org/x), then [bank.org](https://evil.org) and a tail."
	s := newServer(t, textReply(slices.Collect(strings.SplitSeq(text, ""))...), textReply(strings.Repeat("further\n\n", 29)+"the end"))
	term := p.startChat(size{140, 30}, s)
	term.sendMessage("links?")
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
	whole("at its end", term.awaitIdle("a tail."))
	term.redraw()
	whole("drawn anew", term.shown())
	term.press("ctrl+p")
	s2 := term.awaitText("Commands")
	term.press("esc")
	whole("uncovered", term.wait("no dialog", func(s screen) bool { return s.text != s2.text && s.has("a tail.") && s.frameFault() == "" }))
	term.sendMessage("more")
	term.awaitIdle("the end")
	term.press("pgup", "pgup", "pgup")
	whole("scrolled", term.awaitText("First", "a tail."))
}

// drag drags the mouse over the screen.
func (t *terminal) drag(x1, y1, x2, y2 int) {
	t.send(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<32;%d;%dM\x1b[<0;%d;%dm", x1+1, y1+1, x2+1, y2+1, x2+1, y2+1))
}

// awaitClipboard waits for the next text that is copied in the output after an offset.
func (t *terminal) awaitClipboard(behind int) string {
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

// TestCopiedTextIsTheSourceText selects a message, a wrapped paragraph with a link and code with long lines, and copies a code
// block and the reply with /copy.
func TestCopiedTextIsTheSourceText(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	const asked = "a question that is long enough to be broken by the width of this screen"
	const paragraph = "A paragraph that is far too long for one line of this screen, with a link to https://example.org/a/b, and an end."
	const code = "func main() {\n\tif x {\n\t\treturn somethingWithAVeryLongName(andAnArgument, andAnother)\n\t}\n\n\ty()\n}"
	const reply = paragraph + "\n\n```go\n" + code + "\n```\n\nThe end."
	s := newServer(t, textReply(reply))
	term := p.startChat(size{60, 40}, s)
	term.sendMessage(asked)
	shown := term.awaitIdle("The end.", "↳")
	rows := strings.Split(shown.text, "\n")
	first := slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, "▌ a question") })
	last := slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, "The end.") })
	for _, c := range []struct {
		do   func()
		want string
	}{
		{func() { term.drag(0, first, 59, last) }, asked + "\n\n" + paragraph + "\n\n" + code + "\n\nThe end."},
		{func() { term.typeText("/copy"); term.press("enter") }, reply},
		{func() { term.typeText("/copy code"); term.press("enter") }, code},
	} {
		behind := len(term.written())
		c.do()
		if d := cmp.Diff(c.want, term.awaitClipboard(behind)); d != "" {
			t.Errorf("%s\nof\n%s", d, term.shown().text)
		}
	}
}
