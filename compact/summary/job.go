package summary

import (
	"time"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// A summary request has one of three inputs:
//
//   - view: the next request and one more user message, so that the provider has all but
//     that message in its cache
//   - raw: the original messages as a transcript in one message, without tools; overlays
//     do not matter (S64)
//   - merged: earlier summaries in place of the messages that they cover, and a transcript
//     of the other messages (ONE)

// Job is a summary request for a model.
type Job struct {
	Spans            []conversation.Span // covered events
	FromTurn, ToTurn int                 // covered turns, both included
	Input            preset.SummaryInput // InputView, InputRaw or InputMerged
	// Messages are the messages of the request: for InputView hardened, without the
	// system prompt; otherwise one user message with a transcript.
	Messages []projection.Message
	// System is the system prompt of the request, "" if it has none. For
	// InputView it is "" and the conversation's own is sent, with its tools.
	System        string
	MaxTokens     int    // bound of the answer
	Model         string // provider/id, "" for the conversation's model
	Focus         string // what the user or the model wants preserved
	CoveredTokens int    // estimated tokens that the answer is compared with: of the original messages, or for InputView of the view
	// Version is that of the built-in instructions, 0 for those of a source or of the
	// user.
	Version int

	ask   Options
	parts []part // the whole transcript; nil for inputs that cannot be split
}

// Answer is the result of a summary request.
type Answer struct {
	Text  string
	Stop  conversation.StopReason
	Calls int    // number of tool calls in the reply, which were not run
	Model string // provider/id that wrote it, "" without a model
	Input preset.SummaryInput
	Took  time.Duration // time for the answer, with failed tries; 0 unknown
}

// Options are the settings of a job with any input.
type Options struct {
	Spans []conversation.Span // events to cover, ascending, whole units
	Rules preset.SummaryRules // of the profile in force
	Style conversation.Style  // selects the wording: ONE and JCL have their own
	Focus string              // what the user or the model wants preserved
	// Budget bounds a request with a transcript, in estimated tokens with the
	// instructions; 0 is no bound. A budget below about 500 is exceeded. A request with
	// the view as input is as long as the view.
	Budget int
	Free   int // tokens of the window that are free for the answer, 0 unknown
	// Covered is the estimated number of tokens that the answer is compared with: for
	// the input view those of the view (see [meter.CoveredTokens]), otherwise those of the
	// original messages. 0: it is computed.
	Covered int
	Most    int // tokens of the longest answer to ask for, 0: MaxTokens
	// Room is how many tokens the text may have so that the view does not grow, 0
	// unknown.
	Room int
	// Rewrites says that the view has a summary of the same turns: Room depends on it,
	// and the requested length does not depend on Room.
	Rewrites bool
}

const (
	// summaryAimShare is the requested length as a share of the covered tokens. It is
	// below AcceptedShare, because models count badly. So is summaryRoomShare, as a
	// share of the room.
	summaryAimShare  = 0.30
	summaryRoomShare = 0.85
	minSummaryAim    = 50 // tokens
)

// job returns a job with the fields that do not depend on the messages.
func (a Options) job(input preset.SummaryInput) Job {
	return Job{
		Spans: a.Spans, Input: input, MaxTokens: a.maxTokens(), Model: a.Rules.Model, Focus: a.Focus,
		CoveredTokens: a.Covered, Version: a.version(), ask: a,
	}
}

// maxTokens returns the bound of the answer: the configured one, or the free tokens.
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

// Options returns the settings of the job.
func (j *Job) Options() Options { return j.ask }

// aim returns the length that the instructions ask for, in tokens.
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

// Tokens estimates the input tokens of the request, without the conversation's own
// system prompt and tools.
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
			total += meter.EstimateSegment(&s, seg)
		}
	}
	return int(total)
}

// MaxTokens is the longest summary to ask for, in tokens: a longer one is hardly shorter
// than a good selection of the covered messages.
const MaxTokens = 4000
