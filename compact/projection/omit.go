package projection

import (
	"slices"
	"sort"

	"plimsoll/conversation"
)

// Tool calls that are left out. In JP's style the calls and results go and the
// words stay. Otherwise a unit goes whole and a line says so, because words about
// work without the work make models invent work; and it goes only if the line,
// for this unit alone, would be no longer than what the unit took when the overlay
// was made, so that the view never grows by it.

func (r *decisions) leaveOut(seq uint64, spans []conversation.Span, how *masking) {
	var line run // used again for each
	r.eachUnit(seq, spans, func(members []int) {
		line = run{kind: omitRun, events: line.events[:0], tools: line.tools[:0]}
		if r.lineIsShorter(&line, members, seq) {
			for _, i := range members {
				r.by[i].omit = how
			}
		}
	})
}

// lineIsShorter reports whether a unit does work, and takes at least as much
// room as a line in its place; line is an empty run.
func (r *decisions) lineIsShorter(line *run, members []int, seq uint64) bool {
	works, room := false, 0
	for _, i := range members {
		m, ok := MessageOf(&r.events[i])
		if !ok {
			continue
		}
		d := &r.by[i]
		works = works || m.works()
		line.add(&m)
		line.events = append(line.events, r.events[i].Seq)
		line.name(m.Calls)
		switch {
		case d.omit != nil && d.omit.exact() && m.Role == RoleTool:
		case d.omit != nil && d.omit.exact():
			room += m.Size.Chars()
		case m.Role == RoleTool:
			room += r.leastChars(i, seq)
		default:
			reduceReply(&m, d)
			after := m.After()
			room += after.Chars()
		}
	}
	return works && (line.omitNoteIsWithin(room) || conversation.Measure(line.omitNote()).Chars() <= room)
}

// omitNoteIsWithin reports whether a run's note is no longer than so many code
// points, whatever the numbers in it: mostly it is far shorter.
func (r *run) omitNoteIsWithin(chars int) bool {
	const words = 300
	for _, name := range r.tools {
		chars -= len(name) + len(", ")
	}
	return words <= chars
}

func (m *Message) works() bool { return m.Role == RoleTool || len(m.Calls) > 0 }

// leastChars is how much room at least is won when an overlay hides a result.
// Where others have the same text, one of those may have to stand in full for it,
// and the number that the rest point to may be longer. Those that came after the
// overlay have no say.
func (r *decisions) leastChars(i int, overlay uint64) int {
	chars, group := r.form(i).size.Chars(), r.alike[r.root(i)]
	alike := sort.Search(len(group), func(k int) bool { return r.events[group[k]].Seq >= overlay })
	if alike < 2 {
		return chars
	}
	b, _ := r.events[i].Body.(conversation.ToolResult) // only results repeat and are repeated
	return min(chars, pointerChars(b)) - alike*(decimals(overlay)-decimals(r.events[i].Seq))
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
