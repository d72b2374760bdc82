package summary

import (
	"time"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// A summary is asked for in one of three forms:
//
//   - view: the request as it would be sent next and one user message behind it,
//     so that the provider has all but that message in its cache
//   - raw: what was said, written out as text in one message, without tools; it
//     reads the events alone, whatever overlays lie over them (S64)
//   - merged: earlier summaries in place of what they cover, and what came after
//     written out (ONE)
//
// What comes back counts only if [Accept] takes it.

// Job is a summary that somebody has to write.
type Job struct {
	Spans            []conversation.Span // what it covers
	FromTurn, ToTurn int                 // of what it covers, both included
	Input            preset.SummaryInput // InputView, InputRaw or InputMerged
	// Messages are what to send: for InputView hardened, everything but the
	// system prompt; otherwise one user message with everything written out.
	Messages []projection.Message
	// System is the system prompt of the request, "" if it has none. For
	// InputView it is "" and the conversation's own is sent, with its tools.
	System        string
	MaxTokens     int    // bound of the answer
	Model         string // provider/id, "" for the conversation's
	Focus         string // what the user or the model wants preserved
	CoveredTokens int    // estimate of what the summary is judged by: what was said, or for InputView what is shown
	// Version is that of the built-in instructions, 0 where the words are those
	// of a source or the user's own.
	Version int

	ask   Options
	parts []part // what was written out, whole; nil for forms that cannot be split
}

// Answer is what came of a summary request.
type Answer struct {
	Text  string
	Stop  conversation.StopReason
	Calls int    // calls of tools in the reply; none of them was run
	Model string // provider/id that wrote it, "" if none did
	Input preset.SummaryInput
	Took  time.Duration // until it was there, failed tries included; 0 unknown
}

// Options is what a job is made from, in whatever form.
type Options struct {
	Spans []conversation.Span // what to cover, ascending, whole units
	Rules preset.SummaryRules // of the profile in force
	Style conversation.Style  // whose words: ONE and JCL have their own
	Focus string              // what the user or the model wants preserved
	// Budget is what a request that writes everything out may have, in estimated
	// tokens, the instructions included; 0 is no bound. One below about 500 is
	// not kept. A request in the form of the view is as long as the view.
	Budget int
	Free   int // tokens of the window that are free for the answer, 0 unknown
	// Covered is an estimate of what the summary is judged by, in tokens: for the
	// view's form what is shown of it (see [CoveredTokens]), otherwise what was said.
	// 0: it is counted.
	Covered int
	Most    int // tokens of the longest answer that is wanted, 0: MaxTokens
	// Room is how many tokens the text may have at most so that the view does not
	// grow, 0 unknown.
	Room int
	// Rewrites says that a summary of the same turns stands there: Room follows that one,
	// and the length that is asked for does not follow Room.
	Rewrites bool
}

const (
	// summaryAimShare is the share of what is covered that is asked for; it
	// leaves room below AcceptedShare, because models count badly. So does
	// summaryRoomShare, of the room that there is.
	summaryAimShare  = 0.30
	summaryRoomShare = 0.85
	minSummaryAim    = 50 // tokens
)

// job is what all forms have in common.
func (a Options) job(input preset.SummaryInput) Job {
	return Job{
		Spans: a.Spans, Input: input, MaxTokens: a.maxTokens(), Model: a.Rules.Model, Focus: a.Focus,
		CoveredTokens: a.Covered, Version: a.version(), ask: a,
	}
}

// maxTokens is the bound of the answer: what is configured, or what is free.
func (a Options) maxTokens() int {
	n := a.Rules.MaxTokens
	if n <= 0 {
		n = preset.SummaryMaxTokens
	}
	if a.Free > 0 {
		n = min(n, a.Free)
	}
	return n
}

// Options is what the job was made from.
func (j *Job) Options() Options { return j.ask }

// aim is the length that the instructions name, in tokens.
func (a Options) aim(covered int) int {
	n := a.maxTokens()
	if n = min(n, MaxTokens); a.Most > 0 {
		n = min(n, a.Most)
	}
	if covered > 0 {
		n = min(n, int(summaryAimShare*float64(covered)))
	}
	n = max(n, minSummaryAim)
	if a.Room > 0 && !a.Rewrites {
		n = min(n, int(summaryRoomShare*float64(a.Room)))
	}
	return max(n, 1)
}

// Tokens is an estimate of what the request holds, without the conversation's
// own system prompt and tools: what the window must have room for, and what the
// call costs.
func (j Job) Tokens() int {
	var s projection.Sizes
	if j.System != "" {
		s.Add(projection.System, conversation.Measure(j.System))
	}
	for i := range j.Messages {
		j.Messages[i].AddTo(&s)
	}
	total := 0.0
	for _, seg := range projection.Segments() {
		if seg != projection.Reasoning {
			total += meter.EstimateOf(&s, seg)
		}
	}
	return int(total)
}

// MaxTokens is the longest summary that is asked for, in tokens: what is
// longer is hardly shorter than a good selection of what it covers.
const MaxTokens = 4000
