package alert

import (
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
)

// Rules:
//
//   - no notification while the terminal has the focus, and none about a turn that the user stopped
//   - a finished reply is notified if its turn took at least LongTurn; a failure and a question are notified at once
//   - if the terminal does not report its focus, all notifications come at least LongTurn after the turn began and the last key
//   - a user who leaves the terminal right after a question appeared, without a key, has not seen it
//   - of a shell command only the program is named: arguments may hold secrets, and desktops store notifications

// LongTurn is the least duration of a turn after which a finished reply is notified.
const LongTurn = 10 * time.Second

// glance is how long a question has to be visible to count as seen.
const glance = 2 * time.Second

// focus is whether the terminal has the focus, if known.
type focus int

const (
	focusUnknown focus = iota
	focused
	unfocused
)

// Watch watches one conversation. The zero value is ready.
type Watch struct {
	focus   focus
	actedAt time.Time // by a key or the mouse

	began   time.Time // the turn, zero while none runs
	took    time.Duration
	stopped bool   // by the user
	failed  bool   // the last turn failed
	pending string // text of the notification that TakeDue may return, "" for none
	urgent  bool   // notify also in a short turn

	asked      string // text of the question that waits, "" for none
	askedAt    time.Time
	askingCall string // ID of the tool call that asks it
}

// ExpectFocus notes that the terminal reports changes of its focus. Until the first report it has the focus.
func (w *Watch) ExpectFocus() {
	if w.focus == focusUnknown {
		w.focus = focused
	}
}

// SetFocus notes whether the terminal has the focus.
func (w *Watch) SetFocus(has bool, now time.Time) {
	w.focus = unfocused
	switch {
	case has:
		w.focus = focused
	case w.asked != "" && now.Sub(w.askedAt) < glance && !w.actedAt.After(w.askedAt):
		w.notify(w.asked, true, now)
	}
}

// UserActed notes a key or a mouse event: the terminal then has the focus even if it did not report that.
func (w *Watch) UserActed(at time.Time) {
	w.actedAt = at
	if w.focus == unfocused {
		w.focus = focused
	}
}

// Reset forgets the turn, because another conversation is open.
func (w *Watch) Reset() { *w = Watch{focus: w.focus, actedAt: w.actedAt} }

// Update takes an update of the agent into account.
func (w *Watch) Update(u updates.Update, now time.Time) {
	switch u := u.(type) {
	case updates.Status:
		w.phase(u.Phase, now)
	case updates.AskApproval:
		w.asked, w.askedAt, w.askingCall = question(u), now, u.Call.ID
		w.notify(w.asked, true, now)
	case updates.ApprovalClosed:
		if u.CallID == w.askingCall {
			w.asked = ""
		}
	case updates.Reviewing:
		if u.RequestWaits {
			w.notify("a summary is ready for review, and the request waits for it", true, now)
		}
	case updates.Failed:
		if u.Err != nil && u.Err.Class != llm.Cancelled && !w.began.IsZero() {
			w.failed = true
			w.notify("failed: "+u.Err.Message, true, now)
		}
	}
}

func (w *Watch) phase(p updates.Phase, now time.Time) {
	switch {
	case p == updates.Idle || p == "":
		if !w.began.IsZero() && !w.stopped && !w.failed {
			w.notify("reply ready", false, now)
		}
		w.began = time.Time{}
	case w.began.IsZero():
		w.began, w.stopped, w.failed = now, false, false
	}
	w.stopped = w.stopped || p == updates.Stopping
}

func (w *Watch) notify(text string, urgent bool, now time.Time) {
	since := w.began
	if w.focus == focusUnknown && w.actedAt.After(since) {
		since = w.actedAt
	}
	w.pending, w.urgent, w.took = text, urgent, now.Sub(since)
}

// TakeDue returns and forgets the notification to send after a batch of updates, "" for none. title is the conversation's.
func (w *Watch) TakeDue(title string) string {
	text, long := w.pending, w.took >= LongTurn
	w.pending = ""
	if text == "" || w.focus == focused || !long && !(w.urgent && w.focus == unfocused) {
		return ""
	}
	w.asked = "" // a question is notified only once
	text = ansi.Truncate(plain.Line(text), maxText, "…")
	if title = strings.TrimSpace(plain.Line(title)); title == "" {
		return text
	}
	return ansi.Truncate(title, maxTitle, "…") + " · " + text
}

// Failed reports whether the turn that ended last failed.
func (w *Watch) Failed() bool { return w.failed }

// The longest texts in a notification, in cells. Desktops show two or three lines.
const (
	maxTitle = 50
	maxText  = 120
)

// question describes what a tool call needs from the user.
func question(u updates.AskApproval) string {
	switch r := u.Review; {
	case r.Need == conversation.NeedAnswer, r.Need == conversation.NeedForm:
		return "has a question: " + r.Question
	case r.Command != "" && u.Call.Name != "": // a question of an MCP server has no command
		return "waiting for your approval: run " + program(r.Command)
	default:
		return "waiting for your approval: " + r.Title
	}
}

// program returns the program of a shell command, "a command" if the first word is not a plain name.
func program(command string) string {
	for _, word := range strings.Fields(command) {
		if strings.Contains(word, "=") && !strings.ContainsAny(word, "\"'`\\(") {
			continue // a variable assignment
		}
		if strings.ContainsFunc(word, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-._/+", r)
		}) {
			break
		}
		return word
	}
	return "a command"
}
