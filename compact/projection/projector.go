package projection

import (
	"slices"

	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

type projector struct {
	*decisions
	view View
	run  run
	seqs []uint64 // of all events
	told map[*activeSummary]bool
	note *activeSummary // whose note is not shown yet, nil if none is left
}

func (p *projector) emit(m Message) {
	p.flush()
	p.view.add(m)
}

func (p *projector) flush() {
	if p.run.kind == noRun {
		return
	}
	if p.run.silent(p.told) {
		for _, seq := range p.run.events {
			p.addAbsence(&p.events[conversation.IndexOf(p.events, seq)], p.run.overlay, StateSummarised, WhyToldAbove)
		}
		p.run.kind = noRun
	}
	p.takeNote()
	for _, m := range p.run.messages(p.told) {
		p.view.add(m)
	}
	p.run = run{}
}

// join takes a message into a run of a kind, after ending one of another.
func (p *projector) join(kind runKind, m *Message) {
	if p.run.kind != kind {
		p.flush()
		p.run.kind = kind
	}
	p.run.add(m)
}

func (p *projector) addAbsence(e *conversation.Event, overlay uint64, state State, why string) {
	p.view.Absent = append(p.view.Absent, Absence{Event: e.Seq, Turn: e.Turn, Overlay: overlay, State: state, Why: why})
}

// showPinned adds what is pinned. In the middle of what is summarised it waits,
// so that there is one block.
func (p *projector) showPinned(m Message) {
	m.State, m.Why = StatePinned, "pinned"
	if p.run.kind == summaryRun {
		p.run.pinned = append(p.run.pinned, m)
		return
	}
	p.emit(m)
}

// cover takes a message into the run of a summary. In JP's style each summary
// is a pair of its own, so another one begins a run.
func (p *projector) cover(m *Message, s *activeSummary) {
	if r := &p.run; r.kind == summaryRun && r.summaries[0] != s &&
		(preset.WordingOf(s.Style).Alone || preset.WordingOf(r.summaries[0].Style).Alone) {
		p.flush()
	}
	p.join(summaryRun, m)
	p.run.addSummary(s)
}

// takeNote gives a run of summaries the newest note: the first run of a view, or in
// the words of earlier versions that which holds the newest summary.
func (p *projector) takeNote() {
	r := &p.run
	if p.note == nil || r.kind != summaryRun {
		return
	}
	if slices.Contains(r.summaries, p.note) || p.note.Version >= noteVersion && r.newest().inOwnWords() {
		r.note, p.note = p.note, nil
	}
}

// newestSummary is the newest summary of those that share what the program adds,
// nil without one. A text that joined a step has no note of its own: where nothing is
// left of the note beside it, an earlier one still speaks of what was evicted before.
func (r *decisions) newestSummary() (newest *activeSummary) {
	for i := range r.by {
		d := &r.by[i]
		if d.summary != nil && d.rewound == 0 && !d.pinned && d.summary.hasNote() && (newest == nil || d.summary.seq > newest.seq) {
			newest = d.summary
		}
	}
	return newest
}
