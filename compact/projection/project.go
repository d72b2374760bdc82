package projection

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
