package projection

import (
	"slices"
	"sort"
	"strconv"

	"plimsoll/compact/preset"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// Project returns what the model is sent for a log: every user message, reply
// and result in order, each as the overlays in force have it, with where it
// came from. It is pure and total: any log has a view, and the same log always
// the same one. Precedence: pin, summary, drop, mask, cap, as it was said.
func Project(events []conversation.Event) View {
	v := View{tip: new(int)}
	return v.project(events)
}

// Extend returns the view of a longer log: one that begins with the events v
// was projected from. It is the same as Project of that log, at the cost of the
// events that are new, unless one of them is an overlay or the result of a call
// that is pinned: then the log is projected again. The receiver stays as it was;
// a view is extended by one goroutine at a time.
func (v View) Extend(log []conversation.Event) View {
	if v.read > len(log) || slices.ContainsFunc(log[v.read:], v.matters) {
		return Project(log)
	}
	if v.tip == nil || *v.tip != len(v.Messages) {
		// Another view grew on this array, or this one was not projected here.
		v.Messages = append(make([]Message, 0, len(v.Messages)+len(log)-v.read), v.Messages...)
		v.candidates.List = slices.Clip(v.candidates.List)
		v.tip = new(int)
	}
	for i := v.read; i < len(log); i++ {
		v.say(log, i, rootOf(log, i), []uint64{log[i].Seq})
	}
	v.read = len(log)
	*v.tip = len(v.Messages)
	return v
}

// matters reports whether an event changes how others are shown, or is ruled on
// by an overlay that stands before it.
func (v View) matters(e conversation.Event) bool {
	if len(v.pins) > 0 {
		if b, ok := e.Body.(conversation.ToolResult); ok && v.pins[b.CallID] {
			return true
		}
	}
	return e.Body.Kind().Overlay()
}

// say adds an event that no overlay speaks of. Root is the first result it
// repeats, 0 if it repeats none; seqs is its Seq as a list.
func (v *View) say(events []conversation.Event, i int, root uint64, seqs []uint64) {
	v.Through = events[i].Seq
	m, ok := MessageOf(&events[i])
	if !ok {
		return
	}
	m.Events = seqs
	if root != 0 && root != events[i].Seq {
		v.repeat(&m, events, i, root)
	}
	v.add(m)
}

func (v *View) add(m Message) {
	v.Messages = append(v.Messages, m)
	m.AddTo(&v.Sizes)
	v.candidates.add(&m)
}

// ShowsInFull reports whether the view shows a result with this very text, so
// that a pointer to it tells as much.
func (v *View) ShowsInFull(seq uint64, text string) bool {
	i := sort.Search(len(v.Messages), func(i int) bool { return v.Messages[i].Events[0] >= seq })
	if i == len(v.Messages) {
		return false
	}
	m := &v.Messages[i]
	return m.Role == RoleTool && m.Events[0] == seq && m.whole() && m.Text == text
}

// whole reports whether a message shows all that the log holds of it.
func (m *Message) whole() bool { return m.Overlay == 0 && m.Repeats == 0 }

// MessageOf is an event as it was said, but for Events; false for events that are
// not sent.
func MessageOf(e *conversation.Event) (Message, bool) {
	m := Message{Turn: e.Turn, State: StateVerbatim}
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		m.Role, m.Text, m.Size = RoleUser, b.Text, b.Size
	case conversation.AssistantMessage:
		m.Role, m.Text, m.Size = RoleAssistant, b.Text, b.Size
		m.Reasoning, m.ReasoningSize = b.Reasoning, b.ReasoningSize
		m.Calls, m.Extras = b.Calls, b.Extras
	case conversation.ToolResult:
		m.Role, m.Text, m.Size = RoleTool, b.Text, b.Size
		m.CallID, m.Tool = b.CallID, b.Tool
		if b.Total > 0 {
			m.State = StateCapped
			m.Why = "cut on arrival: " + numbers.Grouped(b.Total) + " characters"
			m.Before = conversation.Size{ASCII: b.Total}
		}
	default:
		return Message{}, false
	}
	if m.State == StateVerbatim {
		m.Before = m.After()
	}
	return m, true
}

// projector makes a view of a log with overlays in force.
type projector struct {
	*rulings
	view View
	run  run
	seqs []uint64 // of all events
	told map[*activeSummary]bool
	note *activeSummary // whose note is not shown yet, nil if none is left
}

// project makes the view of a whole log.
func (v View) project(events []conversation.Event) View {
	messages := 0
	for i := range events {
		if b := events[i].Body; conversation.IsMessage(b) {
			messages++
		} else if b.Kind().Overlay() {
			v.Revision = events[i].Seq
			if _, known := conversation.MadeOf(b); !known {
				v.Notes = append(v.Notes, "the "+string(b.Kind())+" of e"+strconv.FormatUint(events[i].Seq, 10)+
					" is of a newer form than this version knows, and was not applied")
			}
		}
	}
	v.Messages = make([]Message, 0, messages)
	r := (*rulings)(nil)
	if v.Revision != 0 {
		r = resolve(events)
	}
	if r == nil {
		v.sayAll(events)
	} else {
		p := &projector{rulings: r, view: v, seqs: seqsOf(events), told: map[*activeSummary]bool{}, note: r.newestSummary()}
		for i := range events {
			p.show(i)
		}
		p.flush()
		v = p.view
		v.stands, v.pins = r.stands, r.pins
		v.Notes = append(v.Notes, r.notes...)
	}
	if len(events) > 0 {
		v.Through = events[len(events)-1].Seq
	}
	v.read = len(events)
	*v.tip = len(v.Messages)
	return v
}

// sayAll adds events that no overlay speaks of.
func (v *View) sayAll(events []conversation.Event) {
	same, seqs := roots(events), seqsOf(events)
	for i := range events {
		root := uint64(0)
		if same != nil {
			root = same[i]
		}
		v.say(events, i, root, seqs[i:i+1:i+1])
	}
}

// seqsOf is the Seq of every event: a message that stands for one holds a part
// of this list.
func seqsOf(events []conversation.Event) []uint64 {
	seqs := make([]uint64, len(events))
	for i := range events {
		seqs[i] = events[i].Seq
	}
	return seqs
}

// show adds an event as it is ruled.
func (p *projector) show(i int) {
	e, d := &p.events[i], &p.by[i]
	m, ok := MessageOf(e)
	if !ok {
		return
	}
	m.Events = p.seqs[i : i+1 : i+1]
	switch {
	case d.gone != 0:
		p.absent(e, d.gone, StateDropped, "taken back")
	case d.pinned:
		p.showPinned(m)
	case d.summary != nil:
		p.cover(&m, d.summary)
	case d.drop != 0:
		p.join(dropRun, &m)
		p.run.overlay = max(p.run.overlay, d.drop)
	case d.omit != nil:
		p.showLeftOut(i, &m)
	default:
		p.flush() // what comes before may be pointed to
		p.reduce(i, &m)
		p.view.add(m)
	}
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

// join takes a message into a run of a kind, after ending one of another.
func (p *projector) join(kind runKind, m *Message) {
	if p.run.kind != kind {
		p.flush()
		p.run.kind = kind
	}
	p.run.add(m)
}

func (p *projector) emit(m Message) {
	p.flush()
	p.view.add(m)
}

// flush ends a run.
func (p *projector) flush() {
	if p.run.kind == noRun {
		return
	}
	if p.run.silent(p.told) {
		for _, seq := range p.run.events {
			p.absent(&p.events[conversation.IndexOf(p.events, seq)], p.run.overlay, StateSummarised, WhyToldAbove)
		}
		p.run.kind = noRun
	}
	p.takeNote()
	for _, m := range p.run.messages(p.told) {
		p.view.add(m)
	}
	p.run = run{}
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
func (r *rulings) newestSummary() (newest *activeSummary) {
	for i := range r.by {
		d := &r.by[i]
		if d.summary != nil && d.gone == 0 && !d.pinned && d.summary.hasNote() && (newest == nil || d.summary.seq > newest.seq) {
			newest = d.summary
		}
	}
	return newest
}

// absent records that an event stands nowhere in the view.
func (p *projector) absent(e *conversation.Event, overlay uint64, state State, why string) {
	p.view.Absent = append(p.view.Absent, Absence{Event: e.Seq, Turn: e.Turn, Overlay: overlay, State: state, Why: why})
}
