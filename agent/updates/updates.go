package updates

import (
	"time"

	"plimsoll/agent/llm"
	"plimsoll/compact/edit"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// Update is a message to the watcher of a conversation. Only Appended reports what is stored.
type Update interface{ update() }

// Appended reports events that are now in the log.
type Appended struct{ Events []conversation.Event }

// Delta is text of the reply as it streams. Neighboring deltas merge in the mailbox.
type Delta struct{ Text, Reasoning string }

// CallStreaming reports that the model is writing a call: its name and how many characters of arguments have
// arrived.
type CallStreaming struct {
	Index int
	Name  string
	Chars int
}

// Discarded says that the text streamed since the last Appended is void, because the request is made again.
type Discarded struct{}

// ToolStarted reports that a call has started.
type ToolStarted struct {
	CallID string
	Title  string
}

// ToolOutput is output of a running call as it appears.
type ToolOutput struct{ CallID, Text string }

// AskApproval asks the user for an Answer before a call runs.
type AskApproval struct {
	Call   conversation.ToolCall
	Review conversation.Review
}

// ApprovalClosed says that the call no longer needs an answer.
type ApprovalClosed struct{ CallID string }

// Queued lists the messages that wait for the end of the turn, oldest first.
type Queued struct{ Texts []string }

// Returned gives messages back to the composer, oldest first: the turn that they waited for was cancelled or
// failed, the user took them back, or they could not be saved.
type Returned struct{ Texts []string }

// Phase is what the conversation is doing.
type Phase string

const (
	Idle            Phase = "idle"
	Starting        Phase = "starting"   // MCP servers start
	Hooking         Phase = "hooking"    // commands of the user run
	Waiting         Phase = "waiting"    // the request is sent, nothing has arrived
	Streaming       Phase = "streaming"  // a reply is arriving
	Running         Phase = "running"    // tools run
	Asking          Phase = "asking"     // a call waits for the user
	Retrying        Phase = "retrying"   // waiting before another try
	Stopping        Phase = "stopping"   // cancelled, and ending
	PhaseCompacting Phase = "compacting" // a compaction is made or undone
)

// Status is what the conversation is doing now.
type Status struct {
	Phase       Phase
	Since       time.Time
	Attempt     int           // for Retrying: the number of the next try, from 2
	MaxAttempts int           // for Retrying: the largest number of tries, 0 if unknown
	Wait        time.Duration // for Retrying
	Why         string        // for Retrying: the failure, for the status line
	Class       llm.Class     // for Retrying: its class
	Progress    *llm.Prefill  // for Waiting, where the server reports it
}

// Metered is the meter after a change.
type Metered struct{ Meter meter.Meter }

// CacheCold is the time from which the provider's cache no longer holds the conversation, by all that is known: the
// next request then writes the whole prompt again. The zero time says that the cache holds nothing: no request was
// made yet, or the endpoint has no cache.
type CacheCold struct{ At time.Time }

// ModelSwitched says that requests now go to another model, or that more is known about its limits.
type ModelSwitched struct{ Model llm.Model }

// OpenElsewhere says whether another process has the conversation open, which is then read-only here.
type OpenElsewhere struct {
	Open   bool   // another process has it open, and its events are shown here
	Closed bool   // the other process has closed it: opening it again continues it here
	Task   bool   // it is a task of the conversation behind it: Open while it runs, Closed when it has ended
	Why    string // why messages cannot be sent here, and what to do
}

// Jobs says how many background commands run.
type Jobs struct{ Running int }

// Unreachable says, before the first request, why the server does not answer and what to do; "" when it answers.
type Unreachable struct{ Why string }

// Failed is a failure that the user must know about. The conversation goes on.
type Failed struct {
	Err    *llm.Error
	Logged bool // an event reports it, too
}

// Compacting says that a model now writes a summary, or that a request waits for one. Compacted or CompactionFailed
// follows; until then the conversation goes on.
type Compacting struct {
	Since        time.Time
	Summary      bool // a model writes a text
	Source       conversation.Source
	RequestWaits bool // the next request does not fit and waits for the summary
	FromTurn     int  // the first and the last turn that the summary covers
	ToTurn       int
}

// Prepared says that a summary is written and waits for the eviction of what it covers. The view is unchanged
// until Compacted or CompactionFailed follows.
type Prepared struct{}

// Compacted says that a compaction is in force, or was undone or redone. Its overlays came with Appended. After an
// undo or a redo, Preview has the profile, the range and the tokens only.
type Compacted struct {
	Epoch   uint64 // of the compaction, also after an undo
	Preview edit.Preview
	Source  conversation.Source
	Layer   bool // made by a rule that acts before every request (J-CLI, adachsoft)
	Trimmed bool // the oldest messages were dropped, because all other steps did not make enough room
	Undone  bool // an undo made the change
	Redone  bool // a redo made the change
	Next    int  // after an undo: tokens of a request at which compaction acts again, 0 for never
}

// CompactionFailed says that a compaction was not made and nothing was changed. The conversation goes on. If the user
// did not request the compaction, no notice is needed: the failure is in the log.
type CompactionFailed struct {
	Err     *llm.Error
	Request edit.Request
}

// SummariesPaused says whether automatic compaction no longer requests summaries. It pauses after failures in a row, until
// the user compacts, undoes a compaction or changes the model.
type SummariesPaused struct{ Paused bool }

// Previewed is the answer to Preview: what a compaction would do, or why none can be made.
type Previewed struct {
	Request edit.Request
	Preview edit.Preview
	Now     meter.Reading // of the next request as it is
	Then    meter.Reading // after the compaction; with a summary that is not written yet, with the longest expected
	// CostNow is how much more the next request costs with the compaction, in US dollars, and PaysAfter the number of
	// requests that earn it back; nil if unknown.
	CostNow   *float64
	PaysAfter *int
	Err       *llm.Error // nil if the other fields are valid
}

// Inspected is the answer to Inspect.
type Inspected struct{ Breakdown inspect.Breakdown }

// Edited is the result of a pin, a mask or turns restored by hand: the size of a request before and after it, or
// why nothing was changed.
type Edited struct {
	What   Edit
	Events []uint64 // the events that were named
	Before int      // estimated tokens of a request
	After  int
	Err    *llm.Error // nil if the edit is in force
}

// Edit is a change that the user makes to single messages or turns.
type Edit string

const (
	EditPin     Edit = "pin"
	EditUnpin   Edit = "unpin"
	EditMask    Edit = "mask"
	EditRestore Edit = "restore" // turns that a rewind undid
	// EditReview: the user's text for a summary in review was refused. The summary still waits for the user.
	EditReview Edit = "review"
)

// Reviewing says that a summary is written and waits for the user, who may change it: Review accepts or discards
// it. Until then it is not in force.
type Reviewing struct {
	Text         string // what the model wrote
	Appendix     string // what the program adds to it, which stays as it is
	Request      edit.Request
	FromTurn     int
	ToTurn       int
	Covers       int  // tokens that it replaces
	RequestWaits bool // the next request does not fit and waits for the user
}

// Reviewed says that no summary waits for the user any more: it was accepted, discarded, or overtaken.
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
func (OpenElsewhere) update()  {}
func (Jobs) update()           {}
func (Unreachable) update()    {}
func (Failed) update()         {}

func (Compacting) update()       {}
func (Prepared) update()         {}
func (Compacted) update()        {}
func (CompactionFailed) update() {}
func (Previewed) update()        {}
func (SummariesPaused) update()  {}
func (Inspected) update()        {}
func (Edited) update()           {}
func (Reviewing) update()        {}
func (Reviewed) update()         {}
