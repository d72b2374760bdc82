package transcript

import (
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/diffview"
	"plimsoll/tui/pane"
)

// A turn ends with a line: how long its replies and calls took, its calls, the lines it changed, the tokens that were sent and
// their price. The wait for an approval does not count; that for a question of a running call does. All of it comes from the log,
// so that the line is the same when the conversation is opened again. What the log does not tell is left out, and on a narrow
// screen so is the end of the line.

// turnEnd adds up a turn, and is its last line once it has ended.
type turnEnd struct {
	versioned
	worked, rest time.Duration // rest: the other time before the newest event; worked is negative if it is unknown
	last         time.Time     // of the newest reply, result or failure, or of the message
	ended        bool          // the line is shown

	calls          int
	added, removed int      // lines
	files          []string // that it changed, in the order of the first change
	prompt, cached int      // tokens of all requests; -1 if a request did not report them
	costUSD        float64  // negative if a price is unknown
}

func (t *turnEnd) indent(int) int             { return 0 }
func (t *turnEnd) source(*drawOptions) string { return "" }

func (t *turnEnd) draw(l *drawOptions, width int) []string {
	line := pane.Clip(pane.Joined(t.parts(), width), width)
	if line == "" {
		return nil
	}
	return []string{l.styles.Hint.Render(line)}
}

func (t *turnEnd) parts() []string {
	var parts []string
	if t.worked >= 100*time.Millisecond {
		parts = append(parts, seconds(t.worked, time.Minute))
	}
	if t.calls > 0 {
		parts = append(parts, numbers.Count(t.calls, "call"))
	}
	if n := len(t.files); n > 0 {
		in := diffview.Stat(t.added, t.removed) + " in " + oneLine(path.Base(t.files[0]), 40)
		if n > 1 {
			in += ", +" + strconv.Itoa(n-1)
		}
		parts = append(parts, in)
	}
	if t.prompt > 0 {
		in := pane.Tokens(t.prompt) + " in"
		if t.cached >= 0 {
			in += ", " + pane.Percent(t.cached, t.prompt) + " cached"
		}
		parts = append(parts, in)
	}
	if t.costUSD > 0 {
		parts = append(parts, dollars(t.costUSD))
	}
	return parts
}

// addUsage counts a request of the turn.
func (t *turnEnd) addUsage(u conversation.Usage) {
	if u.Purpose == conversation.PurposeSummary || u.Purpose == conversation.PurposeTitle || u.Purpose == conversation.PurposeWarm {
		return // summaries have their card, and the gauge tells of a cache that is kept warm
	}
	switch {
	case u.CostUSD == nil:
		t.costUSD = -1
	case t.costUSD >= 0:
		t.costUSD += *u.CostUSD
	}
	if u.Purpose == conversation.PurposeReply {
		sum := func(to *int, n int, known bool) {
			if *to += n; !known || *to < n {
				*to = -1
			}
		}
		sum(&t.prompt, u.Prompt, u.CountsWholePrompt() && t.prompt >= 0)
		sum(&t.cached, u.Cached, u.Cached >= 0 && t.cached >= 0)
	}
	t.bump()
}

// work counts the time since the event before it, but at most most. Events of one transaction have one time.
func (t *turnEnd) work(at time.Time, most time.Duration) {
	if since := at.Sub(t.last); since > 0 {
		t.rest = since
	}
	d := min(t.rest, most)
	t.worked, t.rest, t.last = t.worked+d, t.rest-d, at
}

// programEnded begins the result of a call that was running when the program ended. It is written when the conversation is
// opened again.
const programEnded = "interrupted: the program ended"

// follow counts a reply, a result or a failure in the turn, and shows the line below it if the turn ended with it. A turn
// that goes on after its end does so when the user wants it, so that nobody knows how long it took.
func (m *Model) follow(e conversation.Event) {
	t, ends := m.turn, false
	if t == nil {
		return
	}
	again, most := t.ended, time.Duration(math.MaxInt64)
	switch b := e.Body.(type) {
	case conversation.AssistantMessage:
		t.calls += len(b.Calls)
		ends = len(b.Calls) == 0
		if b.Stop == conversation.StopInterrupted {
			again = true // the event was written when the conversation was opened again
		}
	case conversation.HookRan:
		if e.Time.Equal(t.last) { // hooks of calls share the time of their results
			t.work(e.Time, time.Duration(b.Duration)*time.Millisecond)
		}
		return
	case conversation.ToolResult:
		most = b.Duration
		again = again || most == 0 && b.Status == conversation.ResultOK && b.Tool != "ask_user" // imported without times
		if change := m.calls[b.CallID].change; change != nil && b.Status == conversation.ResultOK {
			added, removed := change.Stat()
			t.added, t.removed = t.added+added, t.removed+removed
			if !slices.Contains(t.files, change.Name()) {
				t.files = append(t.files, change.Name())
			}
		}
		if ends = b.Status == conversation.ResultInterrupted; ends { // so are all calls of a reply that was stopped
			again = strings.HasPrefix(b.Text, programEnded)
		}
	case conversation.TurnFailed:
		ends, again = t.calls > 0 || t.prompt != 0, false // else the failure says all there is
	default:
		return
	}
	if t.work(e.Time, most); again {
		t.worked = math.MinInt64 / 2 // and stays negative
	}
	if t.ended {
		m.scroll.remove(m.turnLine)
		t.ended, m.turnLine = false, nil
	}
	if ends {
		t.ended = true
		t.bump()
		m.push(t)
		m.turnLine = m.items.entries[len(m.items.entries)-1]
	}
}
