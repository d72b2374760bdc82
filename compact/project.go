package compact

import (
	"slices"
	"strconv"

	"plimsoll/conversation"
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
// events that are new, unless one of them is an overlay: then the log is
// projected again. The receiver stays as it was; a view is extended by one
// goroutine at a time.
func (v View) Extend(log []conversation.Event) View {
	if v.read > len(log) {
		return Project(log)
	}
	added := log[v.read:]
	if slices.ContainsFunc(added, func(e conversation.Event) bool { return e.Body.Kind().Overlay() }) {
		return Project(log)
	}
	if v.tip == nil || *v.tip != len(v.Messages) {
		// Another view grew on this array, or this one was not projected here.
		v.Messages = append(make([]Message, 0, len(v.Messages)+len(added)), v.Messages...)
		v.tip = new(int)
	}
	for i := range added {
		v.say(&added[i])
	}
	v.read = len(log)
	*v.tip = len(v.Messages)
	return v
}

// say adds an event that no overlay speaks of.
func (v *View) say(e *conversation.Event) {
	v.Through = e.Seq
	m, ok := message(e)
	if !ok {
		return
	}
	if r, isResult := e.Body.(conversation.ToolResult); isResult && r.Repeats != 0 && v.showsInFull(r.Repeats, m.Text) {
		pointTo(&m, r.Repeats)
	}
	v.add(m)
}

func (v *View) add(m Message) {
	v.Messages = append(v.Messages, m)
	m.AddTo(&v.Sizes)
}

// showsInFull reports whether the view shows a result with this very text.
func (v *View) showsInFull(seq uint64, text string) bool {
	for i := len(v.Messages) - 1; i >= 0; i-- {
		m := &v.Messages[i]
		if m.Role == RoleTool && m.Events[0] == seq {
			return m.whole() && m.Text == text
		}
	}
	return false
}

// whole reports whether a message shows all that the log holds of it.
func (m *Message) whole() bool { return m.Overlay == 0 && m.Repeats == 0 }

// pointTo shows a pointer in place of a result, if that is shorter.
func pointTo(m *Message, target uint64) {
	text := pointer(m, target)
	if size := conversation.Measure(text); size.Chars() < m.Size.Chars() {
		m.Text, m.Size, m.State, m.Repeats = text, size, StateMasked, target
		m.Why = "the same as e" + strconv.FormatUint(target, 10) + " above"
	}
}

// message is an event as it was said; false for events that are not sent.
func message(e *conversation.Event) (Message, bool) {
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
			m.Why = "cut on arrival: " + number(b.Total) + " characters"
			m.Before = conversation.Size{ASCII: b.Total}
		}
	default:
		return Message{}, false
	}
	if m.State == StateVerbatim {
		m.Before = m.After()
	}
	m.Events = []uint64{e.Seq}
	return m, true
}

// projector makes a view of a log with overlays in force.
type projector struct {
	*rulings
	view View
	run  run
}

// project makes the view of a whole log.
func (v View) project(events []conversation.Event) View {
	v.Messages = make([]Message, 0, len(events))
	for i := range events {
		if events[i].Body.Kind().Overlay() {
			v.Revision = events[i].Seq
		}
	}
	r := (*rulings)(nil)
	if v.Revision != 0 {
		r = resolve(events)
	}
	if r == nil {
		for i := range events {
			v.say(&events[i])
		}
	} else {
		p := &projector{rulings: r, view: v}
		for i := range events {
			p.show(i)
		}
		p.flush()
		v = p.view
		v.Notes = r.notes
	}
	if len(events) > 0 {
		v.Through = events[len(events)-1].Seq
	}
	v.read = len(events)
	*v.tip = len(v.Messages)
	return v
}

// show adds an event as it is ruled.
func (p *projector) show(i int) {
	e, d := &p.events[i], &p.by[i]
	m, ok := message(e)
	if !ok {
		return
	}
	switch {
	case d.gone != 0:
		p.absent(e, d.gone, StateDropped, "taken back")
	case d.pinned:
		m.State, m.Why = StatePinned, "pinned"
		if d.summary != nil {
			p.cover(&m, d.summary)
			return
		}
		p.emit(m)
	case d.summary != nil:
		p.cover(&m, d.summary)
	case d.drop != 0:
		p.join(dropRun, &m)
		p.run.overlay = max(p.run.overlay, d.drop)
	case d.omit != nil:
		p.leaveOut(e, &m, d)
	default:
		p.reduce(e, &m, d)
		p.emit(m)
	}
}

// cover takes a message into the run of a summary. In JP's style each summary
// is a pair of its own, so another one ends the run.
func (p *projector) cover(m *Message, s *summaryInForce) {
	r := &p.run
	if s.Style == conversation.StyleJP && r.kind == summaryRun && len(r.summaries) > 0 && r.summaries[0] != s {
		p.flush()
	}
	if m.State == StatePinned {
		p.begin(summaryRun)
		p.run.pinned = append(p.run.pinned, *m)
		return
	}
	p.join(summaryRun, m)
	p.run.addSummary(s)
}

// begin ends a run of another kind.
func (p *projector) begin(kind runKind) {
	if p.run.kind != kind {
		p.flush()
		p.run.kind = kind
	}
}

// join takes a message into a run of a kind.
func (p *projector) join(kind runKind, m *Message) {
	p.begin(kind)
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
	for _, m := range p.run.messages() {
		p.view.add(m)
	}
	p.run = run{}
}

// absent records that an event stands nowhere in the view.
func (p *projector) absent(e *conversation.Event, overlay uint64, state State, why string) {
	p.view.Absent = append(p.view.Absent, Absence{Event: e.Seq, Turn: e.Turn, Overlay: overlay, State: state, Why: why})
}
