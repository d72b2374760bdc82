package updates

import (
	"time"

	"plimsoll/agent/llm"
	"plimsoll/compact/edit"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// Update is something for the eye. Only Appended is backed by the log.
type Update interface{ update() }

// Appended says that events are in the log now.
type Appended struct{ Events []conversation.Event }

// Delta is text of the reply as it streams. Neighbouring deltas merge in the
// mailbox.
type Delta struct{ Text, Reasoning string }

// CallStreaming says that the model is writing a call: its name and how many
// characters of arguments have come so far.
type CallStreaming struct {
	Index int
	Name  string
	Chars int
}

// Discarded says that what streamed since the last Appended is void, because
// the request is tried again.
type Discarded struct{}

// ToolStarted says that a call runs.
type ToolStarted struct {
	CallID string
	Title  string
}

// ToolOutput is output of a running call as it appears.
type ToolOutput struct{ CallID, Text string }

// AskApproval wants an Answer for a call before it runs.
type AskApproval struct {
	Call   conversation.ToolCall
	Review conversation.Review
}

// ApprovalClosed says that the question for a call is moot.
type ApprovalClosed struct{ CallID string }

// Queued is the messages that wait for the running turn, oldest first.
type Queued struct{ Texts []string }

// Returned gives messages back to the composer, oldest first: the turn they
// waited for was cancelled or failed, the user took them back, or they could
// not be saved.
type Returned struct{ Texts []string }

// Phase is what the conversation is doing.
type Phase string

// The phases of a conversation.
const (
	Idle      Phase = "idle"
	Waiting   Phase = "waiting"   // request sent, nothing came yet
	Streaming Phase = "streaming" // a reply is arriving
	Running   Phase = "running"   // tools run
	Asking    Phase = "asking"    // a call waits for the user
	Retrying  Phase = "retrying"  // waiting before another try
	Stopping  Phase = "stopping"  // cancelled, winding down
	// PhaseCompacting: a compaction is made, or undone.
	PhaseCompacting Phase = "compacting"
)

// Status is what the conversation is doing now.
type Status struct {
	Phase    Phase
	Since    time.Time
	Attempt  int           // for Retrying: which try comes next, from 2
	Of       int           // for Retrying: how many there are at most, 0 where that is not known
	Wait     time.Duration // for Retrying
	Why      string        // for Retrying: the failure, for the status line
	Class    llm.Class     // for Retrying: its class
	Progress *llm.Prefill  // for Waiting, where the server says
}

// Metered is the meter after something changed it.
type Metered struct{ Meter meter.Meter }

// CacheCold says from when on the provider's cache no longer holds the conversation,
// as far as is known: the next request is then written anew. The zero time says that
// it holds nothing: nothing was sent yet, or the endpoint keeps no cache.
type CacheCold struct{ At time.Time }

// ModelSwitched says that requests go to another model from here on, or that
// its window became known.
type ModelSwitched struct{ Model llm.Model }

// Elsewhere says who may write a conversation that is only read here.
type Elsewhere struct {
	Open   bool   // somebody has it open elsewhere, and what happens there follows
	Closed bool   // nobody has it open any more: opening it again continues it here
	Why    string // why nothing can be sent in it here, and what to do
}

// Unreachable says, before anything is sent, why the server does not answer and what to do; "" that it does.
type Unreachable struct{ Why string }

// Failed is a failure the user must know about. The conversation goes on.
type Failed struct {
	Err    *llm.Error
	Logged bool // an event says it, too
}

// Compacting says that a compaction has begun for which a model writes a
// summary, or that a request waits for it. Compacted or CompactionFailed
// follows; meanwhile the conversation goes on.
type Compacting struct {
	Since   time.Time
	Focus   string // what the summary shall preserve, "" for nothing in particular
	Summary bool   // a model is asked for a text
	Source  conversation.Source
	Held    bool // the next request does not fit and waits for it
}

// Prepared says that a summary is written and waits for the step that evicts what it
// covers. Nothing is in force, and nothing goes on. Compacted or CompactionFailed
// follows one day.
type Prepared struct{ FromTurn, ToTurn int } // covered, both included

// Compacted says that a compaction is in force, or was undone; its overlays
// came with Appended. Of one that was undone or redone the preview
// has the profile, the range and the tokens.
type Compacted struct {
	Epoch   uint64 // of the compaction, also where it was undone
	Preview edit.Preview
	Source  conversation.Source
	Layer   bool // made by what acts before every request (JCL, ADA)
	Trimmed bool // the oldest messages were left out, because nothing else made room
	Undone  bool // an undo made the change
	Redone  bool // a redo made the change
	Next    int  // tokens of a request from which on compaction acts again after an undo, 0 if none makes it act
}

// CompactionFailed says that a compaction was not made, and that nothing was
// changed. The conversation goes on. Where the source of the request is not the
// user, nobody has to be told: it is in the log.
type CompactionFailed struct {
	Err     *llm.Error
	Request edit.Request
}

// Summaries says whether compaction still asks a model automatically. After failures
// in a row it does not, until the user compacts, takes back or changes the model.
type Summaries struct{ Paused bool }

// Previewed is the answer to Preview: what would be done, or why nothing can be.
type Previewed struct {
	Request edit.Request
	Preview edit.Preview
	Now     meter.Reading // of the next request as it is
	Then    meter.Reading // as it would be; with a summary that is not written yet, with the longest expected
	// CostNow is what the next request costs more than without it, in US dollars,
	// and PaysAfter after how many requests that is earned back; nil if unknown.
	CostNow   *float64
	PaysAfter *int
	Err       *llm.Error // nil if the rest holds
}

// Inspected is the answer to Inspect.
type Inspected struct{ Account inspect.Breakdown }

// Edited says what came of a pin, a mask or turns restored by hand: what a
// request held before and holds now, or why nothing was changed.
type Edited struct {
	What   Edit
	Events []uint64 // that it was about
	Before int      // estimated tokens of a request
	After  int
	Err    *llm.Error // nil if it is in force
}

// Edit is what a user does to single messages or turns.
type Edit string

// The ways to steer.
const (
	EditPin     Edit = "pin"
	EditUnpin   Edit = "unpin"
	EditMask    Edit = "mask"
	EditRestore Edit = "restore" // turns that a rewind took back
	// EditReview: a text for a summary that waits for the user was not taken. It
	// waits on.
	EditReview Edit = "review"
)

// Reviewing says that a summary is written and waits for the user, who may change
// it: Review takes it in or gives it up. Until then nothing is in force.
type Reviewing struct {
	Text     string // what the model wrote
	Appendix string // what the program adds to it, which stays as it is
	Request  edit.Request
	FromTurn int
	ToTurn   int
	Covers   int  // tokens that it stands for
	Held     bool // a request waits for it
}

// Reviewed says that no summary waits for the user any more: it was taken in, given
// up, or overtaken.
type Reviewed struct{}

func (Appended) update()       {}
func (Delta) update()          {}
func (CallStreaming) update()  {}
func (Discarded) update()      {}
func (ToolStarted) update()    {}
func (ToolOutput) update()     {}
func (AskApproval) update()    {}
func (ApprovalClosed) update() {}
func (Queued) update()         {}
func (Returned) update()       {}
func (Status) update()         {}
func (Metered) update()        {}
func (CacheCold) update()      {}
func (ModelSwitched) update()  {}
func (Elsewhere) update()      {}
func (Unreachable) update()    {}
func (Failed) update()         {}

func (Compacting) update()       {}
func (Prepared) update()         {}
func (Compacted) update()        {}
func (CompactionFailed) update() {}
func (Previewed) update()        {}
func (Summaries) update()        {}
func (Inspected) update()        {}
func (Edited) update()           {}
func (Reviewing) update()        {}
func (Reviewed) update()         {}
