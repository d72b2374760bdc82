package e2e_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Requests of the past: what the history and the command line make again is what the
// server received, whatever was done to the conversation between them and since.

// replyNumber is a whole reply of which there is one only.
func replyNumber(n int) reply { return says(fmt.Sprintf("This is reply %d.", n)) }

// converseUntil says something, and waits for reply n.
func (t *terminal) converseUntil(text string, n int) screen {
	t.t.Helper()
	t.say(text)
	return t.idle(fmt.Sprintf("This is reply %d.", n))
}

// browse opens the history.
func (t *terminal) browse(texts ...string) screen {
	t.t.Helper()
	t.key("ctrl+t")
	return t.see(append(texts, " History")...)
}

// newest shows the newest request in the history.
func (t *terminal) newest(s *server) {
	t.t.Helper()
	body := s.request(-1)
	t.typed("[")
	there := func(s screen) bool { return s.has("byte for byte as sent ✓") && s.rows() > 0 }
	if t.wait("request", there).has(commas(len(body)) + " bytes") {
		return
	}
	t.typed("]") // its record had not come yet
	t.wait("newest request", func(s screen) bool { return there(s) && s.has(commas(len(body))+" bytes") })
}

// commas writes a number as the screen has it.
func commas(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// compactsTwice talks for four turns, with two compactions in between and an undo.
func (t *terminal) compactsTwice() {
	t.converseUntil("how is the wind?", 1)
	t.command("/compact --keep-last 20")
	t.idle("compacted turns 0–40: ")
	t.converseUntil("and now? 漢字", 2)
	t.command("/summarize --keep-last 30")
	t.idle("compacted turns 0–31: ", "1 summary")
	t.converseUntil("and after the summary?", 3)
	t.key("ctrl+x")
	t.idle("compacted (undone) turns")
	t.converseUntil("and without it?", 4)
}

// printsAsSent prints a request and compares it with what the server received.
func (p *place) printsAsSent(s *server, id string, at int) {
	if got := string(p.prints("print", id, "--request", strconv.Itoa(at+1))); got != s.request(at) {
		p.t.Errorf("print --request %d writes %d bytes that are not the %d that were sent", at+1, len(got), len(s.request(at)))
	}
}

func TestEveryRequestCanBeSeenAsItWasSent(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"log.txt": logbook(1)})
	s := newServer(t, calls("c1", "read_file", object{"path": "log.txt"}))
	for n := 1; n <= 6; n++ {
		s.script = append(s.script, replyNumber(n))
	}
	s.aside(summarises(openGate()))
	term, id := p.underway(s, usual)
	term.compactsTwice()
	term.command("/pin 4")
	term.idle("pinned: always sent in full")
	term.converseUntil("and with a pin? 👩‍👩‍👧‍👦", 5)
	term.command("/undo")
	term.idle("│ and with a pin?")
	term.key("ctrl+u")
	term.converseUntil("and in place of it?", 6)

	n := s.count()
	if n != 7 {
		t.Fatalf("%d requests were sent, not 7", n)
	}
	term.browse()
	term.newest(s)
	for at := n; at >= 1; at-- {
		body := s.request(at - 1)
		rows := len(speaks(t, body)) + 1 // the system prompt is one, and the tools are
		term.wait(fmt.Sprintf("request %d with %d rows", at, rows), func(s screen) bool {
			return s.has(fmt.Sprintf("as sent in request %d of %d", at, n), "byte for byte as sent ✓") && s.rows() == rows
		})
		if at == 4 { // behind a summary
			term.showsMessages(rows, body)
		}
		term.typed("[")
	}
	term.see("this is the first request")
	for at := 2; at <= n; at++ {
		term.typed("]")
		term.see(fmt.Sprintf("as sent in request %d of %d", at, n), "byte for byte as sent ✓")
	}
	term.typed("]")
	term.see("this is the newest request")
	term.key("ctrl+t")
	term.idle()
	p.quits(term)
	for at := range n {
		p.printsAsSent(s, id, at)
	}
}

var placed = regexp.MustCompile(` (\d+) of (\d+)$`)

// hints is the row with the keys of a view that stands above the gauge.
func (s screen) hints() string { return s.row(-3) }

// rows is how many rows the view in sight says that it has, 0 if it does not say.
func (s screen) rows() int {
	m := placed.FindStringSubmatch(s.hints())
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return 0
	}
	return n
}

// showsMessages copies every row of a request, and checks that they are the messages
// of its body: all of them, and nothing else but the tools.
func (t *terminal) showsMessages(rows int, body string) {
	t.t.Helper()
	got := t.copies(rows, func() { t.typed("g" + strings.Repeat("yj", rows)) })
	want := make([]string, 0, rows)
	for _, m := range speaks(t.t, body) {
		want = append(want, m.copied())
	}
	slices.Sort(want)
	tools := 0
	got = slices.DeleteFunc(got, func(text string) bool {
		if _, ok := slices.BinarySearch(want, text); !ok && strings.HasPrefix(text, "read_file  ") {
			tools++
			return true
		}
		return false
	})
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || tools != 1 {
		t.t.Errorf("the tools stand there %d times, and the messages differ (-sent +shown):\n%.3000s", tools, diff)
	}
}

// copied is what a message looks like in the clipboard: its text, and its calls.
func (m spoken) copied() string {
	var parts []string
	if m.Content != "" {
		parts = append(parts, m.Content)
	}
	for _, c := range m.Calls {
		parts = append(parts, c.Function.Name+" "+c.Function.Arguments)
	}
	return strings.Join(parts, "\n")
}
