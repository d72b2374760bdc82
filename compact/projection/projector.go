package projection

import (
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"

	"plimsoll/compact/ordered"
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
	return e.Body.Kind().IsOverlay()
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

func (v View) project(events []conversation.Event) View {
	messages := 0
	for i := range events {
		if b := events[i].Body; conversation.IsMessage(b) {
			messages++
		} else if b.Kind().IsOverlay() {
			v.Revision = events[i].Seq
			if _, known := conversation.OriginOf(b); !known {
				v.Notes = append(v.Notes, "the "+string(b.Kind())+" of e"+strconv.FormatUint(events[i].Seq, 10)+
					" is of a newer form than this version knows, and was not applied")
			}
		}
	}
	v.Messages = make([]Message, 0, messages)
	r := (*decisions)(nil)
	if v.Revision != 0 {
		r = resolve(events)
	}
	if r == nil {
		v.sayAll(events)
	} else {
		p := &projector{decisions: r, view: v, seqs: seqsOf(events), told: map[*activeSummary]bool{}, note: r.newestSummary()}
		for i := range events {
			p.show(i)
		}
		p.flush()
		v = p.view
		v.canonical, v.pins = r.canonical, r.pins
		v.Notes = append(v.Notes, r.notes...)
	}
	if len(events) > 0 {
		v.Through = events[len(events)-1].Seq
	}
	v.read = len(events)
	*v.tip = len(v.Messages)
	return v
}

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

func (p *projector) show(i int) {
	e, d := &p.events[i], &p.by[i]
	m, ok := MessageOf(e)
	if !ok {
		return
	}
	m.Events = p.seqs[i : i+1 : i+1]
	switch {
	case d.rewound != 0:
		p.addAbsence(e, d.rewound, StateDropped, "undone")
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

func (p *projector) reduce(i int, m *Message) {
	switch m.Role {
	case RoleAssistant:
		reduceReply(m, &p.by[i])
	case RoleTool:
		p.reduceResult(i, m)
	}
}

func reduceReply(m *Message, d *decision) {
	if d.thought != nil && m.Reasoning != "" {
		stripReasoning(m, d.thought.seq)
	}
	if len(m.Calls) == 0 || d.calls == nil && d.caps == nil {
		return
	}
	said := m.Calls
	for k, c := range said {
		args, overlay, state := d.arguments(c)
		if overlay == 0 {
			continue
		}
		if &m.Calls[0] == &said[0] {
			m.Calls = slices.Clone(said) // events are never changed
		}
		m.Calls[k].Arguments = args
		m.Calls[k].Size = conversation.Measure(c.Name).Plus(conversation.Measure(args))
		m.Overlay = max(m.Overlay, overlay)
		if m.State != StateMasked {
			m.State = state
		}
		m.Why = "arguments are shortened"
	}
}

// arguments is how overlays have the arguments of a call, with the one that
// decided; 0 if they stay.
func (d *decision) arguments(c conversation.ToolCall) (args string, overlay uint64, state State) {
	if how := d.argumentsOf(c.ID); how != nil {
		if args := reducedArguments(c.Arguments, how); args != c.Arguments {
			return args, how.seq, StateMasked
		}
		return "", 0, ""
	}
	chars := utf8.RuneCountInString(c.Arguments)
	for _, one := range d.caps {
		if one.call != c.ID {
			continue
		}
		short := cappedArguments(c.Arguments, one.cut)
		n := utf8.RuneCountInString(short)
		if short != "" && (n < chars || n == chars && overlay != 0) {
			args, chars, overlay, state = short, n, one.seq, StateCapped
		}
	}
	return args, overlay, state
}

// stripReasoning hides reasoning. With calls it stays at hand, because some
// endpoints refuse a request without it: hardening decides.
func stripReasoning(m *Message, overlay uint64) {
	m.Overlay, m.State, m.Why = max(m.Overlay, overlay), StateMasked, "reasoning is not sent"
	if m.Stripped = true; len(m.Calls) > 0 {
		return
	}
	m.Reasoning, m.ReasoningSize = "", conversation.Size{}
}

func reducedArguments(args string, how *masking) string {
	if shorten := how.words.Arguments; shorten != nil {
		return shorten(args, how.fields, how.threshold)
	}
	return EmptyArguments
}

// cappedArguments is arguments whose long texts show their ends only; "" if
// none is long. They remain an object with the same fields.
func cappedArguments(args string, c cut) string {
	object, ok := ordered.Parse(args)
	if !ok {
		return ""
	}
	changed := false
	for i, field := range object {
		var text string
		if json.Unmarshal(field.Value, &text) != nil {
			continue
		}
		if fits(text, c.head, c.tail) {
			continue
		}
		head, tail := ends(text, c.head, c.tail)
		short, err := conversation.EncodeJSON(head + "\n…\n" + tail)
		if err == nil && utf8.RuneCount(short) < utf8.RuneCount(field.Value) {
			object[i].Value, changed = short, true
		}
	}
	if !changed {
		return ""
	}
	return object.String()
}

// How a tool result is shown. Rules:
//
//   - A mask in the style of a source is exact. Plimsoll's own masks and
//     caps take effect only where what they show is shorter than what is shown
//     without them, so that none makes a view longer; a mask is stronger than a cap.
//   - A result that repeats another one points to it instead, where that is shorter
//     and the other one stands above in full.

// form is a way to show a result.
type form struct {
	text    string
	size    conversation.Size
	state   State  // "" for as it was said
	overlay uint64 // what made it, 0 for as it was said
	exact   bool   // in the exact words of a source: pointers and sizes do not matter
}

// take is the form an overlay gives, if it is no longer than the one so far.
func (f *form) take(text string, overlay uint64, state State) {
	if text == "" {
		return
	}
	size := conversation.Measure(text)
	if chars := size.Chars(); chars < f.size.Chars() || chars == f.size.Chars() && f.state == state {
		*f = form{text: text, size: size, state: state, overlay: overlay, exact: f.exact}
	}
}

// form is how the overlays have a result, whatever it repeats.
func (r *decisions) form(i int) form {
	b, _ := r.events[i].Body.(conversation.ToolResult) // asked for results only
	d := &r.by[i]
	f := form{text: b.Text, size: b.Size}
	for _, c := range d.caps {
		if c.call == "" {
			f.take(capped(b, c.cut, r.original(i, b)), c.seq, StateCapped)
		}
	}
	for _, how := range d.masks {
		switch {
		case how.exact():
			text := stub(b, how, "")
			f = form{text: text, size: conversation.Measure(text), state: StateMasked, overlay: how.seq, exact: true}
		case b.Size.Chars() >= how.minChars:
			f.take(stub(b, how, r.original(i, b)), how.seq, StateMasked)
		}
	}
	return f
}

// original is the id by which recall brings back what a result is about: for
// what recall itself brought back that which was recalled, so that stubs never
// form chains.
func (r *decisions) original(i int, b conversation.ToolResult) string {
	own := "e" + strconv.FormatUint(r.events[i].Seq, 10)
	if b.Tool != conversation.ToolRecall || b.Status != conversation.ResultOK { // a miss has no original
		return own
	}
	for i--; i >= 0; i-- {
		reply, ok := r.events[i].Body.(conversation.AssistantMessage)
		if !ok {
			continue
		}
		for _, c := range reply.Calls {
			if c.ID != b.CallID {
				continue
			}
			if id, ok := conversation.RecallTarget(c.Arguments); ok {
				return id
			}
			return own
		}
	}
	return own
}

func (p *projector) reduceResult(i int, m *Message) {
	f := p.form(i)
	root := p.root(i)
	if stands := p.canonical[root]; root != 0 && stands != 0 && !f.exact {
		switch seq := p.events[i].Seq; {
		case seq == stands:
			if f.overlay != 0 {
				m.Why = "shown in full, because results below point to it"
			}
			return
		case seq > stands && p.view.pointTo(m, p.events, i, stands, f.size.Chars()):
			return
		}
	}
	if f.overlay == 0 {
		return
	}
	m.Text, m.Size, m.State, m.Overlay = f.text, f.size, f.state, f.overlay
	m.Why = "old result, shown as a stub"
	if f.state == StateCapped {
		m.Why = "only the ends are shown"
	}
}

// StubOf is the stub of Plimsoll's own for the result at an index of a log, with so many code points of each end; "" if
// nothing shorter can stand there.
func StubOf(log []conversation.Event, i, preview int) string {
	b, ok := log[i].Body.(conversation.ToolResult)
	if !ok {
		return ""
	}
	return stub(b, newMasking(0, preset.OwnStyle, preview), (&decisions{events: log}).original(i, b))
}

func (p *projector) showLeftOut(i int, m *Message) {
	e, d := &p.events[i], &p.by[i]
	switch {
	case !m.works():
		p.flush()
		p.reduce(i, m)
		p.view.add(*m)
	case !d.omit.exact():
		p.join(omitRun, m)
		p.run.overlay = max(p.run.overlay, d.omit.seq)
		p.run.name(m.Calls)
	case m.Role == RoleAssistant && m.Text != "":
		m.Calls, m.State, m.Overlay, m.Why = nil, StateMasked, d.omit.seq, WhyLeftOut
		if d.thought != nil {
			stripReasoning(m, d.thought.seq)
			m.Why = WhyLeftOut
		}
		p.emit(*m)
	default:
		p.addAbsence(e, d.omit.seq, StateDropped, WhyLeftOut)
	}
}

func (r *run) name(calls []conversation.ToolCall) {
	for _, c := range calls {
		if name := ToolName(c.Name); !slices.Contains(r.tools, name) {
			r.tools = append(r.tools, name)
		}
	}
}

func (d *decision) argumentsOf(call string) *masking {
	for _, m := range slices.Backward(d.calls) {
		if m.call == call {
			return m.masking
		}
	}
	return nil
}
