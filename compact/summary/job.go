package summary

import (
	"cmp"
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
//     are ignored (JP's RFD 064)
//   - merged: earlier summaries in place of the messages that they cover, and a transcript
//     of the other messages (OneClaw)

// Job is a summary request for a model.
type Job struct {
	Spans            []conversation.Span // covered events
	FromTurn, ToTurn int                 // covered turns, both included
	Input            preset.SummaryInput // InputView, InputRaw or InputMerged
	// Messages are the messages of the request: for InputView the view as the endpoint accepts
	// it, without the system prompt; otherwise one user message with a transcript.
	Messages []projection.Message
	// System is the system prompt of the request, "" if it has none. For
	// InputView it is "" and the conversation's own is sent, with its tools.
	System        string
	MaxTokens     int    // bound of the answer
	Model         string // provider/id, "" for the conversation's model
	CoveredTokens int    // estimated tokens that the summary replaces, see [Options]
	// Version is the version of the built-in instructions; 0 for a published design's or the
	// user's.
	Version int

	options Options
	parts   []part // the whole transcript; nil for inputs that cannot be split
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
	Spans []conversation.Span // events to cover, ascending; no reply is cut off from its calls or results
	Rules preset.SummaryRules // of the profile in force
	Style conversation.Style  // selects the wording: OneClaw and J-CLI have their own
	Focus string              // what the user or the model wants preserved
	// Budget bounds a request with a transcript, in estimated tokens with the
	// instructions; 0 is no bound. A budget below about 500 is exceeded. InputView ignores
	// it: such a request is as long as the view.
	Budget     int
	FreeTokens int // tokens of the window that are free for the answer, 0 unknown
	// CoveredTokens is the estimated tokens that the summary replaces: for InputView those of
	// the view (see [meter.CoveredTokens]), otherwise those of the original messages. 0: it is
	// computed.
	CoveredTokens int
	MaxRequested  int // tokens of the longest answer to ask for, 0: [MaxSummary]
	// MaxText is the most tokens that the text may have so that the view does not grow, 0
	// unknown.
	MaxText int
	// Rewrites says that the view already has a summary of the same turns. MaxText then
	// depends on that summary. The requested length then ignores MaxText.
	Rewrites bool
}

const (
	// MaxSummary is the longest summary to ask for, in tokens: a longer one is hardly shorter
	// than a good selection of the covered messages.
	MaxSummary = 4000
	// requestedShare is the requested length as a share of the covered tokens. It is below
	// [AcceptedShare], as models overshoot. maxTextShare is the same as a share of MaxText.
	requestedShare = 0.30
	maxTextShare   = 0.85
	minRequested   = 50 // tokens
)

// newJob returns a job with the fields that do not depend on the messages.
func (o Options) newJob(input preset.SummaryInput) Job {
	j := Job{Spans: o.Spans, Input: input, MaxTokens: o.maxTokens(), Model: o.Rules.Model, CoveredTokens: o.CoveredTokens, options: o}
	if o.Rules.Instructions == "" && preset.WordingOf(o.Style).Prompt == "" {
		j.Version = promptVersion
	}
	return j
}

// maxTokens returns the bound of the answer: the configured one, or the free tokens.
func (o Options) maxTokens() int {
	n := cmp.Or(o.Rules.MaxTokens, preset.SummaryMaxTokens)
	if o.FreeTokens > 0 {
		n = min(n, o.FreeTokens)
	}
	return n
}

// Options returns the settings of the job.
func (j *Job) Options() Options { return j.options }

// requestedTokens returns the length that the instructions ask for, in tokens.
func (o Options) requestedTokens(covered int) int {
	n := o.maxTokens()
	if n = min(n, MaxSummary); o.MaxRequested > 0 {
		n = min(n, o.MaxRequested)
	}
	if covered > 0 {
		n = min(n, int(requestedShare*float64(covered)))
	}
	n = max(n, minRequested)
	if o.MaxText > 0 && !o.Rewrites {
		n = min(n, int(maxTextShare*float64(o.MaxText)))
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
