package inspect

import (
	"math"
	"strconv"
	"time"

	"plimsoll/conversation"
)

// The ledger is what compaction did to a conversation, from the log alone: every
// epoch, every attempt that failed, and what was undone or redone,
// in the order in which it happened. Rules:
//
//   - Every overlay is part of one entry: those that reduce of the one of their
//     epoch, each other one of its own.
//   - What summaries cost stands directly before the epoch or the attempt that they
//     were for, because it is appended in the same transaction. Where a summary waited
//     for a step, it stands alone: it is that of the next epoch with a text, or of the
//     next attempt that has no cost of its own. Where neither follows, as after a crash,
//     it has an entry of its own at the end, so that no cost is missing.
//   - A revert is told by what it comes to: to undo an undo is to redo.

// EntryKind is what an entry of the ledger tells of.
type EntryKind string

// The kinds of entries.
const (
	EntryEpoch   EntryKind = "compaction" // a pass that was made
	EntryAttempt EntryKind = "attempt"    // one that failed
	EntryUndo    EntryKind = "undo"       // of a pass
	EntryRedo    EntryKind = "redo"       // of a pass
	EntryPin     EntryKind = "pin"        // by hand
	EntryUnpin   EntryKind = "unpin"
	EntryRewind  EntryKind = "rewind"  // of turns
	EntryRestore EntryKind = "restore" // of turns that were rewound
)

// EntryResult is what became of an entry.
type EntryResult string

// The results of entries.
const (
	ResultInForce   EntryResult = "in force"
	ResultUndone    EntryResult = "undone" // it was undone
	ResultFailed    EntryResult = "failed"
	ResultCancelled EntryResult = "cancelled"
	ResultStale     EntryResult = "stale"
	ResultUnused    EntryResult = "unused" // a summary was paid for, and nothing came of it yet
)

// Entry is a line of the ledger. Its texts are as they stand in the log, not
// sanitised.
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
	Why     string // what it did, or why it failed
	Target  uint64 // for undo and redo: the epoch they are about; for a restore the rewind

	Model    string        // that wrote a summary, "" where none was asked
	Before   int           // estimated tokens of a request before, 0 unknown
	After    int           // and after, 0 unknown
	CostUSD  *float64      // of the requests for summaries, nil where none was made or nobody knows
	Prompt   int           // tokens that they read, 0 none
	Output   int           // tokens that they wrote, 0 none
	Duration time.Duration // 0 unknown, or at once

	Overlays int // how many it has, 0 for an attempt
}

// CompactionLog lists what compaction did to a conversation, oldest first.
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

// addUnused enters what was paid for summaries that no entry has.
func (b *logBuilder) addUnused() {
	rest := b.takeSpending(true)
	if rest.last.Seq == 0 {
		return
	}
	usage, _ := rest.last.Body.(conversation.Usage)
	b.entries = append(b.entries, Entry{Kind: EntryAttempt, Event: rest.last.Seq, Turn: rest.last.Turn, Time: rest.last.Time,
		Result: ResultUnused, Source: conversation.SourceAuto, Why: "a summary was requested, and no compaction has used it so far",
		Model: usage.Model, CostUSD: rest.cost, Prompt: rest.prompt, Output: rest.output})
}

type logBuilder struct {
	entries []Entry
	entryOf map[uint64]int           // of compactions by epoch: the entry
	epochs  map[uint64]overlayTarget // what an epoch is about
	events  map[uint64]overlayTarget // and an overlay
	spent   spending                 // directly before the event
	waiting spending                 // before that, and not told of yet
}

// overlayTarget is what an overlay is about: for a revert what it comes to, and of what.
type overlayTarget struct {
	kind EntryKind
	of   uint64 // the epoch of a compaction, otherwise the event
}

// reversed is what taking something back comes to.
func (k EntryKind) reversed() EntryKind {
	switch k {
	case EntryUndo:
		return EntryRedo
	case EntryRewind:
		return EntryRestore
	case EntryRestore:
		return EntryRewind
	case EntryPin:
		return EntryUnpin
	case EntryUnpin:
		return EntryPin
	}
	return EntryUndo
}

type spending struct {
	cost           *float64
	prompt, output int
	last           conversation.Event // the newest of the requests
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

// takeSpending is what was spent on what is entered; with waiting also on what waited.
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
	entry := Entry{Kind: EntryAttempt, Event: e.Seq, Turn: e.Turn, Time: e.Time, Result: ResultFailed,
		Source: a.Source, Trigger: a.Trigger, Preset: a.Preset, Profile: a.Profile, Why: a.Why, Model: a.Model, Before: a.Before,
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
		b.entries = append(b.entries, Entry{Kind: s.kind, Event: e.Seq, Turn: e.Turn, Time: e.Time, Result: ResultUndone,
			Source: made.Source, Trigger: made.Trigger, Preset: made.Preset, Profile: made.Profile, Why: made.Why,
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
		if entry.Why == "" {
			entry.Why = "from turn " + strconv.Itoa(body.Turn) + " on"
		}
	case conversation.Summary:
		if entry.Model == "" {
			entry.Model = body.Model
		}
		entry.Duration = max(entry.Duration, milliseconds(body.Duration))
	}
	if s.kind == EntryEpoch && !known {
		b.entryOf[s.of] = at
		text, _ := e.Body.(conversation.Summary)
		spent := b.takeSpending(text.Text != "")
		entry.Event, entry.CostUSD, entry.Prompt, entry.Output = s.of, spent.cost, spent.prompt, spent.output
	}
}

// target is what an overlay is about. One that takes back what the log does not
// hold is an undo of that.
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
		return overlayTarget{s.kind.reversed(), s.of}
	}
	return overlayTarget{EntryEpoch, conversation.EpochOf(e)}
}

// remember notes what an overlay is about, for those that take it back. An epoch is
// about what it reduces, otherwise about the turns it takes back.
func (b *logBuilder) remember(e conversation.Event, s overlayTarget) {
	b.events[e.Seq] = s
	epoch := conversation.EpochOf(e)
	old, known := b.epochs[epoch]
	if !known || s.kind == EntryEpoch || s.kind == EntryRewind && old.kind != EntryEpoch {
		b.epochs[epoch] = s
	}
}

// milliseconds is a duration of a log, 0 for one that cannot be.
func milliseconds(n int64) time.Duration {
	return time.Duration(min(max(0, n), math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
}
