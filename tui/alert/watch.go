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
//   - the user is not called while looking at the screen, or after stopping the turn
//   - a reply is worth a call when its turn took Long; a failure and a question are at once
//   - some terminals never say who has the focus: there everything has to be Long after the turn began, and after the
//     last key
//   - who leaves just after a question came, without a key, has not seen it
//   - what is said of a command is the program: arguments may hold secrets, and a desktop keeps what it shows

// Long is how long a turn takes that nobody is expected to watch.
const Long = 10 * time.Second

// glance is how long a question stands until it was surely seen.
const glance = 2 * time.Second

// focus is what is known of who looks at the screen.
type focus int

const (
	unknown focus = iota
	here
	away
)

// Watch watches one conversation. The zero value is ready.
type Watch struct {
	focus   focus
	touched time.Time // by a key or the mouse

	began   time.Time // the turn, zero while none runs
	took    time.Duration
	stopped bool   // by the user
	failed  bool   // the turn did, and none began since
	say     string // what to call for, "" for nothing
	urgent  bool   // also in a short turn

	asked    string // that waits, "" without one
	askedAt  time.Time
	question string // the call that asks it
}

// Reports notes that the terminal says when it loses the focus. It has it so far.
func (w *Watch) Reports() {
	if w.focus == unknown {
		w.focus = here
	}
}

// Focus notes whether the terminal has the focus.
func (w *Watch) Focus(has bool, now time.Time) {
	w.focus = away
	switch {
	case has:
		w.focus = here
	case w.asked != "" && now.Sub(w.askedAt) < glance && !w.touched.After(w.askedAt):
		w.call(w.asked, true, now)
	}
}

// Touched notes that the user did something: also a terminal that did not say so has the focus.
func (w *Watch) Touched(at time.Time) {
	w.touched = at
	if w.focus == away {
		w.focus = here
	}
}

// Leave forgets the turn: another conversation is open.
func (w *Watch) Leave() { *w = Watch{focus: w.focus, touched: w.touched} }

// Update takes over what happened.
func (w *Watch) Update(u updates.Update, now time.Time) {
	switch u := u.(type) {
	case updates.Status:
		w.phase(u.Phase, now)
	case updates.AskApproval:
		w.asked, w.askedAt, w.question = question(u), now, u.Call.ID
		w.call(w.asked, true, now)
	case updates.ApprovalClosed:
		if u.CallID == w.question {
			w.asked = ""
		}
	case updates.Reviewing:
		if u.RequestWaits {
			w.call("a summary is ready for review, and the request waits for it", true, now)
		}
	case updates.Failed:
		if u.Err != nil && u.Err.Class != llm.Cancelled && !w.began.IsZero() {
			w.failed = true
			w.call("failed: "+u.Err.Message, true, now)
		}
	}
}

func (w *Watch) phase(p updates.Phase, now time.Time) {
	switch {
	case p == updates.Idle || p == "":
		if !w.began.IsZero() && !w.stopped && !w.failed {
			w.call("reply ready", false, now)
		}
		w.began = time.Time{}
	case w.began.IsZero():
		w.began, w.stopped, w.failed = now, false, false
	}
	w.stopped = w.stopped || p == updates.Stopping
}

func (w *Watch) call(what string, urgent bool, now time.Time) {
	since := w.began
	if w.focus == unknown && w.touched.After(since) {
		since = w.touched
	}
	w.say, w.urgent, w.took = what, urgent, now.Sub(since)
}

// Due is what to call the user for, "" for nothing, after all updates that came together. title is the conversation's.
func (w *Watch) Due(title string) string {
	say, long := w.say, w.took >= Long
	w.say = ""
	if say == "" || w.focus == here || !long && !(w.urgent && w.focus == away) {
		return ""
	}
	w.asked = "" // a question calls the user only once
	return joined(title, say)
}

// Failed reports whether the turn that ended last failed.
func (w *Watch) Failed() bool { return w.failed }

// How many cells a call shows: desktops show two or three lines.
const (
	mostTitle = 50
	mostSaid  = 120
)

func joined(title, say string) string {
	say = ansi.Truncate(plain.Line(say), mostSaid, "…")
	if title = strings.TrimSpace(plain.Line(title)); title == "" {
		return say
	}
	return ansi.Truncate(title, mostTitle, "…") + " · " + say
}

// question says what a call waits for.
func question(u updates.AskApproval) string {
	switch r := u.Review; {
	case r.Need == conversation.NeedAnswer:
		return "has a question: " + r.Question
	case r.Command != "":
		return "waiting for your approval: run " + program(r.Command)
	default:
		return "waiting for your approval: " + r.Title
	}
}

// program is the program of a command, without arguments, "a command" where its first word is more than a name.
func program(command string) string {
	for _, word := range strings.Fields(command) {
		if strings.Contains(word, "=") && !strings.ContainsAny(word, "\"'`\\(") {
			continue // a variable, all of it
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
