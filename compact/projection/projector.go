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

// projector builds a view from the decisions for each event.
type projector struct {
	*decisions
	view View
	run  run
	seqs []uint64                // of all events
	told map[*activeSummary]bool // summaries whose text is in the view
	note *activeSummary          // has the note that is not yet in the view, nil after that
}

func (p *projector) emit(m Message) {
	p.flush()
	p.view.add(m)
}

func (p *projector) flush() {
	if p.run.kind == noRun {
		return
	}
	if p.run.isSilent(p.told) {
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

// join adds a message to the run of a kind, after ending a run of another kind.
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

// showPinned adds a pinned message. Inside a summarised run it is added after the block,
// so that the run has one block.
func (p *projector) showPinned(m Message) {
	m.State, m.Why = StatePinned, "pinned"
	if p.run.kind == summaryRun {
		p.run.pinned = append(p.run.pinned, m)
		return
	}
	p.emit(m)
}

// cover adds a message to the run of a summary. In JP's style each summary is a pair of
// messages, so another summary starts a new run.
func (p *projector) cover(m *Message, s *activeSummary) {
	if r := &p.run; r.kind == summaryRun && r.summaries[0] != s &&
		(preset.WordingOf(s.Style).SeparateBlocks || preset.WordingOf(r.summaries[0].Style).SeparateBlocks) {
		p.flush()
	}
	p.join(summaryRun, m)
	p.run.addSummary(s)
}

// takeNote gives the newest note to a run of summaries: to the first run of a view, or in
// earlier versions to the run with the newest summary.
func (p *projector) takeNote() {
	r := &p.run
	if p.note == nil || r.kind != summaryRun {
		return
	}
	if slices.Contains(r.summaries, p.note) || p.note.Version >= noteVersion && r.newest().hasOwnStyle() {
		r.note, p.note = p.note, nil
	}
}

// newestSummary returns the newest summary whose note describes all evicted events, nil
// without one. A summary that a step committed with its note has none itself: if that note
// is not in force, an earlier note still describes the events evicted before.
func (r *decisions) newestSummary() (newest *activeSummary) {
	for i := range r.by {
		d := &r.by[i]
		if d.summary != nil && d.rewound == 0 && !d.pinned && d.summary.hasNote() && (newest == nil || d.summary.seq > newest.seq) {
			newest = d.summary
		}
	}
	return newest
}

// Project returns the view of a log: every user message, reply and result in order, as
// the overlays in force show it, with its events. It is pure and works for any log, and
// the same log always has the same view. Precedence: pin, summary, drop, mask, cap,
// original.
func Project(events []conversation.Event) View {
	v := View{tip: new(int)}
	return v.project(events)
}

// Extend returns the view of a longer log that begins with the events of v. It equals
// Project of that log and costs only the new events, unless one of them is an overlay or
// the result of a pinned call: then it projects the whole log. The receiver does not
// change. Only one goroutine at a time may extend a view.
func (v View) Extend(log []conversation.Event) View {
	if v.read > len(log) || slices.ContainsFunc(log[v.read:], v.needsProjection) {
		return Project(log)
	}
	if v.tip == nil || *v.tip != len(v.Messages) {
		// Another view has extended this array, or v was not made by Project.
		v.Messages = append(make([]Message, 0, len(v.Messages)+len(log)-v.read), v.Messages...)
		v.tip = new(int)
	}
	for i := v.read; i < len(log); i++ {
		v.addOriginal(log, i, rootOf(log, i), []uint64{log[i].Seq})
	}
	v.read = len(log)
	*v.tip = len(v.Messages)
	return v
}

// needsProjection reports whether an event changes how others are shown, or is affected
// by an overlay before it.
func (v View) needsProjection(e conversation.Event) bool {
	if len(v.pins) > 0 {
		if b, ok := e.Body.(conversation.ToolResult); ok && v.pins[b.CallID] {
			return true
		}
	}
	return e.Body.Kind().IsOverlay()
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
		v.addAllOriginals(events)
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
		p.flush() // a pointer needs the messages before it
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

// arguments returns the arguments of a call as overlays shorten them, and the Seq of the
// overlay that decided; 0 if they do not change.
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

// stripReasoning hides reasoning. With calls the message keeps it, because some endpoints
// refuse a request without it; the wire decides whether to send it.
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

// cappedArguments returns arguments whose long texts are cut to their ends; "" if no text
// is long. They remain an object with the same fields.
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

// The following code shows tool results. Rules:
//
//   - A mask in the style of a source is exact. Plimsoll's own masks and caps take
//     effect only where they make the result shorter, so that none makes a view longer;
//     a mask is stronger than a cap.
//   - A result that repeats another one is shown as a pointer to it, where that is shorter
//     and the other one is shown in full before it.

// form is a way to show a result.
type form struct {
	text    string
	size    conversation.Size
	state   State  // "" for the original
	overlay uint64 // Seq of its overlay, 0 for the original
	exact   bool   // the exact text of a source, whatever its length and whatever it repeats
}

// shorten replaces the form by the text of an overlay, if that is not longer.
func (f *form) shorten(text string, overlay uint64, state State) {
	if text == "" {
		return
	}
	size := conversation.Measure(text)
	if chars := size.Chars(); chars < f.size.Chars() || chars == f.size.Chars() && f.state == state {
		*f = form{text: text, size: size, state: state, overlay: overlay, exact: f.exact}
	}
}

// form returns the form that the overlays give a result, whatever it repeats.
func (r *decisions) form(i int) form {
	b, _ := r.events[i].Body.(conversation.ToolResult) // callers pass only results
	d := &r.by[i]
	f := form{text: b.Text, size: b.Size}
	for _, c := range d.caps {
		if c.call == "" {
			f.shorten(capped(b, c.cut, r.original(i, b)), c.seq, StateCapped)
		}
	}
	for _, how := range d.masks {
		switch {
		case how.exact():
			text := stub(b, how, "")
			f = form{text: text, size: conversation.Measure(text), state: StateMasked, overlay: how.seq, exact: true}
		case b.Size.Chars() >= how.minChars:
			f.shorten(stub(b, how, r.original(i, b)), how.seq, StateMasked)
		}
	}
	return f
}

// original returns the id with which recall returns the text of a result. For a result of
// recall that is the id that was recalled, so that stubs never refer to each other.
func (r *decisions) original(i int, b conversation.ToolResult) string {
	own := "e" + strconv.FormatUint(r.events[i].Seq, 10)
	if b.Tool != conversation.ToolRecall || b.Status != conversation.ResultOK { // a failed recall has no original
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
	if full := p.canonical[root]; root != 0 && full != 0 && !f.exact {
		switch seq := p.events[i].Seq; {
		case seq == full:
			if f.overlay != 0 {
				m.Why = "shown in full, because results below point to it"
			}
			return
		case seq > full && p.view.pointTo(m, p.events, i, full, f.size.Chars()):
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

// StubOf returns Plimsoll's own stub for the result at an index of a log, with preview code points of each end; "" if the
// preview would be the whole result.
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
	case !m.isWork():
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
