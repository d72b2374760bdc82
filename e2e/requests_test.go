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

// Earlier requests: the history and the command line rebuild them byte for byte, whatever happened to the conversation since.

func replyNumber(n int) reply { return textReply(fmt.Sprintf("This is reply %d.", n)) }

// converseUntil sends a message, and waits for reply n.
func (t *terminal) converseUntil(text string, n int) screen {
	t.t.Helper()
	t.sendMessage(text)
	return t.awaitIdle(fmt.Sprintf("This is reply %d.", n))
}

func (t *terminal) openHistory(texts ...string) screen {
	t.t.Helper()
	t.press("ctrl+t")
	return t.awaitText(append(texts, " History")...)
}

func (t *terminal) showNewestRequest(s *server) {
	t.t.Helper()
	body := s.request(-1)
	t.typeText("[")
	there := func(s screen) bool { return s.has("byte for byte as sent ✓") && s.rowCount() > 0 }
	if t.wait("request", there).has(commas(len(body)) + " bytes") {
		return
	}
	t.typeText("]") // the history did not have it yet
	t.wait("newest request", func(s screen) bool { return there(s) && s.has(commas(len(body))+" bytes") })
}

// commas formats a number as the screen does.
func commas(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// compactTwice sends four messages, with two compactions between them and an undo.
func (t *terminal) compactTwice() {
	t.converseUntil("how is the wind?", 1)
	t.slashCommand("/compact --keep-last 20")
	t.awaitIdle("Compacted turns 1–41   ")
	t.converseUntil("and now? 漢字", 2)
	t.slashCommand("/summarize --keep-last 30")
	t.awaitIdle("Compacted turns 1–32   ")
	t.converseUntil("and after the summary?", 3)
	t.press("ctrl+x")
	t.awaitIdle("(undone)")
	t.converseUntil("and without it?", 4)
}

// checkPrintedRequest compares the printed request with what the server received.
func (p *sandbox) checkPrintedRequest(s *server, id string, at int) {
	if got := string(p.output("print", id, "--request", strconv.Itoa(at+1))); got != s.request(at) {
		p.t.Errorf("print --request %d writes %d bytes that are not the %d that were sent", at+1, len(got), len(s.request(at)))
	}
}

func TestEveryRequestIsShownAndPrintedAsSent(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, map[string]string{"log.txt": logbook(1)})
	s := newServer(t, callReply("c1", "read_file", object{"path": "log.txt"}))
	for n := 1; n <= 6; n++ {
		s.script = append(s.script, replyNumber(n))
	}
	s.scriptSummaries(summaryReply(openGate()))
	term, id := p.openRecording(s, defaultSize)
	term.compactTwice()
	term.slashCommand("/pin 5")
	term.awaitIdle("pinned: always sent in full")
	term.converseUntil("and with a pin? 👩‍👩‍👧‍👦", 5)
	term.slashCommand("/undo")
	term.awaitIdle("│ and with a pin?")
	term.press("ctrl+u")
	term.converseUntil("and in place of it?", 6)

	n := s.requestCount()
	if n != 7 {
		t.Fatalf("%d requests were sent, not 7", n)
	}
	term.openHistory()
	term.showNewestRequest(s)
	for at := n; at >= 1; at-- {
		body := s.request(at - 1)
		rows := len(parseMessages(t, body)) + 1 // the system prompt is one, and the tools are
		term.wait(fmt.Sprintf("request %d with %d rows", at, rows), func(s screen) bool {
			return s.has(fmt.Sprintf("as sent in request %d of %d", at, n), "byte for byte as sent ✓") && s.rowCount() == rows
		})
		if at == 4 { // after a summary
			term.checkMessages(rows, body)
		}
		term.typeText("[")
	}
	term.awaitText("this is the first request")
	for at := 2; at <= n; at++ {
		term.typeText("]")
		term.awaitText(fmt.Sprintf("as sent in request %d of %d", at, n), "byte for byte as sent ✓")
	}
	term.typeText("]")
	term.awaitText("this is the newest request")
	term.press("ctrl+t")
	term.awaitIdle()
	p.quit(term)
	for at := range n {
		p.checkPrintedRequest(s, id, at)
	}
}

var placed = regexp.MustCompile(` (\d+) of (\d+)$`)

// hints returns the row of key hints of a view, which is above the gauge.
func (s screen) hints() string { return s.row(-3) }

// rowCount returns the number of rows that the visible view reports, or 0.
func (s screen) rowCount() int {
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

// checkMessages copies every row of a request, and checks that they are exactly the messages of its body and the tools.
func (t *terminal) checkMessages(rows int, body string) {
	t.t.Helper()
	got := t.awaitCopies(rows, func() { t.typeText("g" + strings.Repeat("yj", rows)) })
	want := make([]string, 0, rows)
	for _, m := range parseMessages(t.t, body) {
		want = append(want, m.clipboardText())
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
		t.t.Errorf("the tools are shown %d times, and the messages differ (-sent +shown):\n%.3000s", tools, diff)
	}
}

// clipboardText returns how a message is copied: its text and its calls.
func (m sentMessage) clipboardText() string {
	var parts []string
	if m.Content != "" {
		parts = append(parts, m.Content)
	}
	for _, c := range m.Calls {
		parts = append(parts, c.Function.Name+" "+c.Function.Arguments)
	}
	return strings.Join(parts, "\n")
}
