package compact

import (
	"time"

	"plimsoll/conversation"
)

// The ledger is what compaction did to a conversation, from the log alone: every
// epoch, every attempt that came to nothing, and what was taken back or brought
// back, in the order in which it happened.

// EntryKind is what an entry of the ledger tells of.
type EntryKind string

// The kinds of entries.
const (
	EntryEpoch   EntryKind = "compaction" // a pass that was made
	EntryAttempt EntryKind = "attempt"    // one that came to nothing
	EntryUndo    EntryKind = "undo"       // of a pass
	EntryRedo    EntryKind = "redo"       // of a pass
	EntryPin     EntryKind = "pin"        // by hand
	EntryUnpin   EntryKind = "unpin"
	EntryRewind  EntryKind = "rewind"  // of turns
	EntryRestore EntryKind = "restore" // of turns that were taken back
)

// EntryResult is what became of an entry.
type EntryResult string

// The results of entries.
const (
	ResultInForce   EntryResult = "in force"
	ResultUndone    EntryResult = "undone" // it was taken back
	ResultFailed    EntryResult = "failed"
	ResultCancelled EntryResult = "cancelled"
	ResultStale     EntryResult = "stale"
)

// Entry is a line of the ledger.
type Entry struct {
	Kind   EntryKind
	Event  uint64 // Seq of its first event: of a compaction the epoch that takes it back
	Turn   int    // at which it was made
	Time   time.Time
	Result EntryResult

	Source  conversation.Source
	Trigger string
	Preset  string
	Profile string
	Why     string // what it did, or why it came to nothing
	About   uint64 // for undo and redo: the epoch they are about; for a restore the rewind

	Model    string        // that wrote a summary, "" where none was asked
	Before   int           // estimated tokens of a request before, 0 unknown
	After    int           // and after, 0 unknown
	CostUSD  *float64      // of the requests for summaries, nil where none was made or nobody knows
	Prompt   int           // tokens that they read, 0 none
	Output   int           // tokens that they wrote, 0 none
	Duration time.Duration // 0 unknown, or at once

	Overlays int // how many events it has
}

// Ledger lists what compaction did to a conversation, oldest first.
func Ledger(log []conversation.Event) []Entry { return nil }
