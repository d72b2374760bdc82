package inspect

import (
	"cmp"
	"math"
	"strconv"
	"time"

	"plimsoll/conversation"
)

// The compaction log lists every epoch, every failed compaction, and every undo and redo, in order. It is computed
// from the event log alone. Rules:
//
//   - Every overlay belongs to one entry: the reducing overlays of an epoch share one, every other overlay has
//     its own.
//   - The usage events of summaries are appended in the same transaction as their epoch or failed compaction,
//     directly before it. If a summary waited for an eviction, its usage events stand alone. They then
//     belong to the next epoch with a summary text, or to the next failed compaction without a cost of its
//     own. If neither follows, as after a crash, an entry at the end holds them, so that no cost is missing.
//   - A revert is shown by its effect: undoing an undo is a redo.

// EntryKind is the kind of a compaction log entry.
type EntryKind string

// The kinds of entries.
const (
	EntryEpoch   EntryKind = "compaction" // a committed compaction
	EntryAttempt EntryKind = "attempt"    // a failed compaction
	EntryUndo    EntryKind = "undo"       // of a compaction
	EntryRedo    EntryKind = "redo"       // of a compaction
	EntryPin     EntryKind = "pin"        // by the user
	EntryUnpin   EntryKind = "unpin"
	EntryRewind  EntryKind = "rewind"  // of turns
	EntryRestore EntryKind = "restore" // of turns that were rewound
)

// EntryResult is the result of an entry.
type EntryResult string

// The results of entries.
const (
	ResultInForce   EntryResult = "in force"
	ResultUndone    EntryResult = "undone" // reverted by a later entry
	ResultFailed    EntryResult = "failed"
	ResultCancelled EntryResult = "cancelled"
	ResultStale     EntryResult = "stale"
	ResultUnused    EntryResult = "unused" // a summary was paid for, and no compaction has used it yet
)

// Entry is one line of the compaction log. Its texts are not sanitised.
type Entry struct {
	Kind   EntryKind
	Event  uint64 // Seq of its first event; of a compaction the epoch number by which it can be undone
	Time   time.Time
	Result EntryResult

	Source  conversation.Source
	Trigger string
	Why     string // its effect, or the reason of the failure
	Target  uint64 // of undo and redo the epoch that is undone or redone; of a restore the rewind

	Model    string        // model that wrote the summary, "" without one
	Before   int           // estimated tokens of a request before, 0 unknown
	After    int           // estimated tokens of a request after, 0 unknown
	CostUSD  *float64      // of the summary requests, nil if there were none or the cost is unknown
	Prompt   int           // tokens of the summary prompts, 0 without one
	Output   int           // tokens of the summaries, 0 without one
	Duration time.Duration // 0 if unknown or instantaneous

	Overlays int // number of overlays, 0 for a failed compaction
}

// CompactionLog lists a conversation's compactions and related changes, oldest first.
func CompactionLog(log []conversation.Event) []Entry {
	force := make([]bool, len(log))
	for _, list := range [][]int{conversation.OverlaysInForce(log), conversation.RevertsInForce(log)} {
		for _, i := range list {
			force[i] = true
		}
	}
	b := logBuilder{entryOf: map[uint64]int{}, epochs: map[uint64]overlayTarget{}, events: map[uint64]overlayTarget{}}
	for i, e := range log {
		switch body := e.Body.(type) {
		case conversation.Usage:
			if body.Purpose == conversation.PurposeSummary {
				b.spent.add(e, body)
				continue
			}
		case conversation.Attempt:
			b.addAttempt(e, body)
		default:
			if made, ok := conversation.OriginOf(body); ok {
				b.addOverlay(e, made, force[i])
			}
		}
		b.waiting.join(b.spent)
		b.spent = spending{}
	}
	b.addUnused()
	return b.entries
}

// addUnused adds an entry for the summary costs that belong to no other entry.
func (b *logBuilder) addUnused() {
	rest := b.takeSpending(true)
	if rest.last.Seq == 0 {
		return
	}
	usage, _ := rest.last.Body.(conversation.Usage)
	b.entries = append(b.entries, Entry{Kind: EntryAttempt, Event: rest.last.Seq, Time: rest.last.Time,
		Result: ResultUnused, Source: conversation.SourceAuto, Why: "a summary was requested, and no compaction has used it so far",
		Model: usage.Model, CostUSD: rest.cost, Prompt: rest.prompt, Output: rest.output})
}

type logBuilder struct {
	entries []Entry
	entryOf map[uint64]int           // index of a compaction's entry, by epoch
	epochs  map[uint64]overlayTarget // target of each epoch
	events  map[uint64]overlayTarget // target of each overlay event
	spent   spending                 // summary costs directly before the current event
	waiting spending                 // earlier summary costs without an entry
}

// overlayTarget is what an overlay changes. For a revert, kind is the effect and of the reverted target.
type overlayTarget struct {
	kind EntryKind
	of   uint64 // the epoch of a compaction, otherwise the event
}

// reversed holds what a revert of a kind is.
var reversed = map[EntryKind]EntryKind{
	EntryEpoch: EntryUndo, EntryRedo: EntryUndo, EntryUndo: EntryRedo,
	EntryRewind: EntryRestore, EntryRestore: EntryRewind, EntryPin: EntryUnpin, EntryUnpin: EntryPin,
}

type spending struct {
	cost           *float64
	prompt, output int
	last           conversation.Event // the newest of the summary requests
}

func (s *spending) add(e conversation.Event, u conversation.Usage) {
	s.last = e
	addTo(&s.cost, u.CostUSD)
	s.prompt += max(0, u.Prompt)
	s.output += max(0, u.Completion)
}

func (s *spending) join(o spending) {
	addTo(&s.cost, o.cost)
	s.prompt += o.prompt
	s.output += o.output
	if o.last.Seq > s.last.Seq {
		s.last = o.last
	}
}

// takeSpending returns and clears the costs directly before the event, with waiting also the earlier ones.
func (b *logBuilder) takeSpending(waiting bool) spending {
	sum := b.spent
	b.spent = spending{}
	if waiting {
		sum.join(b.waiting)
		b.waiting = spending{}
	}
	return sum
}

func (b *logBuilder) addAttempt(e conversation.Event, a conversation.Attempt) {
	spent := b.takeSpending(b.spent.last.Seq == 0 && a.Model != "")
	entry := Entry{Kind: EntryAttempt, Event: e.Seq, Time: e.Time, Result: ResultFailed,
		Source: a.Source, Trigger: a.Trigger, Why: a.Why, Model: a.Model, Before: a.Before,
		Duration: milliseconds(a.Duration), CostUSD: spent.cost, Prompt: spent.prompt, Output: spent.output}
	switch a.Outcome {
	case conversation.AttemptCancelled:
		entry.Result = ResultCancelled
	case conversation.AttemptStale:
		entry.Result = ResultStale
	}
	b.entries = append(b.entries, entry)
}

func (b *logBuilder) addOverlay(e conversation.Event, made conversation.Origin, force bool) {
	s := b.target(e)
	b.remember(e, s)
	at, known := b.entryOf[s.of]
	if s.kind != EntryEpoch || !known {
		at = len(b.entries)
		b.entries = append(b.entries, Entry{Kind: s.kind, Event: e.Seq, Time: e.Time, Result: ResultUndone,
			Source: made.Source, Trigger: made.Trigger, Why: made.Why,
			Before: made.Before, After: made.After})
	}
	entry := &b.entries[at]
	entry.Overlays++
	if force {
		entry.Result = ResultInForce
	}
	switch body := e.Body.(type) {
	case conversation.Revert:
		entry.Target = s.of
	case conversation.Rewind:
		entry.Why = cmp.Or(entry.Why, "from turn "+strconv.Itoa(body.Turn)+" on")
	case conversation.Summary:
		entry.Model = cmp.Or(entry.Model, body.Model)
		entry.Duration = max(entry.Duration, milliseconds(body.Duration))
	}
	if s.kind == EntryEpoch && !known {
		b.entryOf[s.of] = at
		text, _ := e.Body.(conversation.Summary)
		spent := b.takeSpending(text.Text != "")
		entry.Event, entry.CostUSD, entry.Prompt, entry.Output = s.of, spent.cost, spent.prompt, spent.output
	}
}

// target returns what an overlay changes. A revert whose target is missing in the log counts as an undo.
func (b *logBuilder) target(e conversation.Event) overlayTarget {
	switch body := e.Body.(type) {
	case conversation.Pin:
		return overlayTarget{EntryPin, e.Seq}
	case conversation.Unpin:
		return overlayTarget{EntryUnpin, e.Seq}
	case conversation.Rewind:
		return overlayTarget{EntryRewind, e.Seq}
	case conversation.Revert:
		if body.Redoes != 0 {
			return overlayTarget{EntryRedo, body.Redoes}
		}
		s, known := b.epochs[body.Epoch]
		if body.Epoch == 0 {
			s, known = b.events[body.Event]
		}
		if !known {
			s = overlayTarget{EntryEpoch, body.Epoch}
			if body.Epoch == 0 {
				s.of = body.Event
			}
		}
		return overlayTarget{reversed[s.kind], s.of}
	}
	return overlayTarget{EntryEpoch, conversation.EpochOf(e)}
}

// remember stores the target of an overlay for later reverts. An epoch's target is its compaction if it has one,
// otherwise its rewind.
func (b *logBuilder) remember(e conversation.Event, s overlayTarget) {
	b.events[e.Seq] = s
	epoch := conversation.EpochOf(e)
	old, known := b.epochs[epoch]
	if !known || s.kind == EntryEpoch || s.kind == EntryRewind && old.kind != EntryEpoch {
		b.epochs[epoch] = s
	}
}

// milliseconds converts a logged duration, clamped to valid values.
func milliseconds(n int64) time.Duration {
	return time.Duration(min(max(0, n), math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
}
