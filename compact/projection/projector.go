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
	view           View
	run            run
	seqs           []uint64                // of all events
	shownSummaries map[*activeSummary]bool // summaries whose text is in the view
	pendingNote    *activeSummary          // has the note that is not yet in the view, nil after that
}

func (p *projector) addMessage(m Message) {
	p.endRun()
	p.view.add(m)
}

func (p *projector) endRun() {
	if p.run.kind == noRun {
		return
	}
	if p.run.needsNoMessage(p.shownSummaries) {
		for _, seq := range p.run.events {
			p.addAbsence(&p.events[conversation.IndexOf(p.events, seq)], p.run.overlay, StateSummarised, WhySummarisedAbove)
		}
		p.run.kind = noRun
	}
	p.placeNote()
	for _, m := range p.run.messages(p.shownSummaries) {
		p.view.add(m)
	}
	p.run = run{}
}

// addToRun adds a message to the run of a kind, after ending a run of another kind.
func (p *projector) addToRun(kind runKind, m *Message) {
	if p.run.kind != kind {
		p.endRun()
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
	p.addMessage(m)
}

// addToSummary adds a message to the run of a summary. In JP's style each summary is a pair of
// messages, so another summary starts a new run.
func (p *projector) addToSummary(m *Message, s *activeSummary) {
	if r := &p.run; r.kind == summaryRun && r.summaries[0] != s &&
		(preset.WordingOf(s.Style).SeparateBlocks || preset.WordingOf(r.summaries[0].Style).SeparateBlocks) {
		p.endRun()
	}
	p.addToRun(summaryRun, m)
	p.run.addSummary(s)
}

// placeNote gives the newest note to a run of summaries: to the first run of a view, or in
// earlier versions to the run with the newest summary.
func (p *projector) placeNote() {
	r := &p.run
	if p.pendingNote == nil || r.kind != summaryRun {
		return
	}
	if slices.Contains(r.summaries, p.pendingNote) || p.pendingNote.Version >= noteVersion && r.newestSummary().hasPlimsollStyle() {
		r.note, p.pendingNote = p.pendingNote, nil
	}
}

// newestSummary returns the newest summary whose note describes all evicted events, nil
// without one. A summary that an eviction committed with its note has none itself: if that note
// is not in force, an earlier note still describes the events evicted before.
func (r *decisions) newestSummary() (newest *activeSummary) {
	for i := range r.perEvent {
		d := &r.perEvent[i]
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
	v := View{sharedLen: new(int)}
	return v.project(events)
}

// Extend returns the view of a longer log that begins with the events of v. It equals
// Project of that log and costs only the new events, unless one of them is an overlay or
// the result of a pinned call: then it projects the whole log. The receiver does not
// change. Only one goroutine at a time may extend a view.
func (v View) Extend(log []conversation.Event) View {
	if v.eventCount > len(log) || slices.ContainsFunc(log[v.eventCount:], v.needsProjection) {
		return Project(log)
	}
	if v.sharedLen == nil || *v.sharedLen != len(v.Messages) {
		// Another view has extended this array, or v was not made by Project.
		v.Messages = append(make([]Message, 0, len(v.Messages)+len(log)-v.eventCount), v.Messages...)
		v.sharedLen = new(int)
	}
	for i := v.eventCount; i < len(log); i++ {
		v.addOriginal(log, i, rootOf(log, i), []uint64{log[i].Seq})
	}
	v.eventCount = len(log)
	*v.sharedLen = len(v.Messages)
	return v
}

// needsProjection reports whether an event changes how others are shown, or is affected
// by an overlay before it.
func (v View) needsProjection(e conversation.Event) bool {
	if len(v.pinnedCalls) > 0 {
		if b, ok := e.Body.(conversation.ToolResult); ok && v.pinnedCalls[b.CallID] {
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
		same, seqs := roots(events), seqsOf(events)
		for i := range events {
			root := uint64(0)
			if same != nil {
				root = same[i]
			}
			v.addOriginal(events, i, root, seqs[i:i+1:i+1])
		}
	} else {
		p := &projector{decisions: r, view: v, seqs: seqsOf(events), shownSummaries: map[*activeSummary]bool{}, pendingNote: r.newestSummary()}
		for i := range events {
			p.showEvent(i)
		}
		p.endRun()
		v = p.view
		v.fullResult, v.pinnedCalls = r.fullResult, r.pinnedCalls
		v.Notes = append(v.Notes, r.notes...)
	}
	if len(events) > 0 {
		v.Through = events[len(events)-1].Seq
	}
	v.eventCount = len(events)
	*v.sharedLen = len(v.Messages)
	return v
}

func (p *projector) showEvent(i int) {
	e, d := &p.events[i], &p.perEvent[i]
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
		p.addToSummary(&m, d.summary)
	case d.drop != 0:
		p.addToRun(dropRun, &m)
		p.run.overlay = max(p.run.overlay, d.drop)
	case d.leftOut != nil:
		p.showLeftOut(i, &m)
	default:
		p.endRun() // a pointer needs the messages before it
		p.applyReductions(i, &m)
		p.view.add(m)
	}
}

func (p *projector) applyReductions(i int, m *Message) {
	switch m.Role {
	case RoleAssistant:
		reduceReply(m, &p.perEvent[i])
	case RoleTool:
		p.reduceResult(i, m)
	}
}

func reduceReply(m *Message, d *decision) {
	if d.reasoning != nil && m.Reasoning != "" {
		stripReasoning(m, d.reasoning.seq)
	}
	if len(m.Calls) == 0 || d.calls == nil && d.caps == nil {
		return
	}
	originals := m.Calls
	for k, c := range originals {
		args, overlay, state := d.arguments(c)
		if overlay == 0 {
			continue
		}
		if &m.Calls[0] == &originals[0] {
			m.Calls = slices.Clone(originals) // events are never changed
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
	if mask := d.maskOfArguments(c.ID); mask != nil {
		if args := reducedArguments(c.Arguments, mask); args != c.Arguments {
			return args, mask.seq, StateMasked
		}
		return "", 0, ""
	}
	chars := utf8.RuneCountInString(c.Arguments)
	for _, limit := range d.caps {
		if limit.call != c.ID {
			continue
		}
		short := cappedArguments(c.Arguments, limit.endLimits)
		n := utf8.RuneCountInString(short)
		if short != "" && (n < chars || n == chars && overlay != 0) {
			args, chars, overlay, state = short, n, limit.seq, StateCapped
		}
	}
	return args, overlay, state
}

// stripReasoning removes reasoning. A message with calls keeps it, because some endpoints
// refuse a request without it; the wire decides whether to send it.
func stripReasoning(m *Message, overlay uint64) {
	m.Overlay, m.State, m.Why = max(m.Overlay, overlay), StateMasked, "reasoning is not sent"
	if m.ReasoningStripped = true; len(m.Calls) > 0 {
		return
	}
	m.Reasoning, m.ReasoningSize = "", conversation.Size{}
}

func reducedArguments(args string, mask *masking) string {
	if shorten := mask.words.Arguments; shorten != nil {
		return shorten(args, mask.fields, mask.threshold)
	}
	return EmptyArguments
}

// cappedArguments returns arguments whose long texts are cut to their ends; "" if no text
// is long. They remain an object with the same fields.
func cappedArguments(args string, limits endLimits) string {
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
		if fits(text, limits.head, limits.tail) {
			continue
		}
		head, tail := bothEnds(text, limits.head, limits.tail)
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

// shownResult is a way to show a result.
type shownResult struct {
	text    string
	size    conversation.Size
	state   State  // "" for the original
	overlay uint64 // Seq of its overlay, 0 for the original
	exact   bool   // the exact text of a source, whatever its length and whatever it repeats
	images  []conversation.Image
}

// shorten replaces the form by the text of an overlay, if that is not longer.
func (f *shownResult) shorten(text string, overlay uint64, state State) {
	if text == "" {
		return
	}
	short := shownResult{text: text, size: conversation.Measure(text), state: state, overlay: overlay, exact: f.exact}
	if state == StateCapped {
		short.images, short.size.Images = f.images, f.size.Images
	}
	if n := short.size.Length(); n < f.size.Length() || n == f.size.Length() && f.state == state {
		*f = short
	}
}

// formOf returns the form that the overlays give a result, whatever it repeats.
func (r *decisions) formOf(i int) shownResult {
	b, _ := r.events[i].Body.(conversation.ToolResult) // callers pass only results
	d := &r.perEvent[i]
	f := shownResult{text: b.Text, size: b.Size, images: b.Images}
	for _, c := range d.caps {
		if c.call == "" {
			f.shorten(capped(b, c.endLimits, r.recallID(i, b)), c.seq, StateCapped)
		}
	}
	for _, mask := range d.masks {
		switch {
		case mask.isExact():
			text := stub(b, mask, "")
			f = shownResult{text: text, size: conversation.Measure(text), state: StateMasked, overlay: mask.seq, exact: true}
		case b.Size.Length() >= mask.minChars:
			f.shorten(stub(b, mask, r.recallID(i, b)), mask.seq, StateMasked)
		}
	}
	return f
}

// recallID returns the id with which recall returns the text of a result. For a result of
// recall that is the id that was recalled, so that stubs never refer to each other.
func (r *decisions) recallID(i int, b conversation.ToolResult) string {
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
	f := p.formOf(i)
	root := p.root(i)
	if full := p.fullResult[root]; root != 0 && full != 0 && !f.exact {
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
	m.Text, m.Size, m.State, m.Overlay, m.Images = f.text, f.size, f.state, f.overlay, f.images
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
	return stub(b, newMasking(0, preset.OwnStyle, preview), (&decisions{events: log}).recallID(i, b))
}

func (p *projector) showLeftOut(i int, m *Message) {
	e, d := &p.events[i], &p.perEvent[i]
	switch {
	case !m.isWork():
		p.endRun()
		p.applyReductions(i, m)
		p.view.add(*m)
	case !d.leftOut.isExact():
		p.addToRun(omitRun, m)
		p.run.overlay = max(p.run.overlay, d.leftOut.seq)
		p.run.addTools(m.Calls)
	case m.Role == RoleAssistant && m.Text != "":
		m.Calls, m.State, m.Overlay, m.Why = nil, StateMasked, d.leftOut.seq, WhyLeftOut
		if d.reasoning != nil {
			stripReasoning(m, d.reasoning.seq)
			m.Why = WhyLeftOut
		}
		p.addMessage(*m)
	default:
		p.addAbsence(e, d.leftOut.seq, StateDropped, WhyLeftOut)
	}
}

func (r *run) addTools(calls []conversation.ToolCall) {
	for _, c := range calls {
		if name := ToolName(c.Name); !slices.Contains(r.tools, name) {
			r.tools = append(r.tools, name)
		}
	}
}

func (d *decision) maskOfArguments(call string) *masking {
	for _, m := range slices.Backward(d.calls) {
		if m.call == call {
			return m.masking
		}
	}
	return nil
}
