package history

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// What happened besides what was said: an overlay, another model, a notice. Each is a
// line across both columns; unfolded, it says all that the log knows of it.

// clock writes the time of day.
func (m *Model) clock(t time.Time) string { return t.In(m.zone).Format("15:04") }

// undone reports whether a pass was taken back.
func (b *book) undone(i int) bool {
	if _, overlay := conversation.MadeOf(b.Log[i].Body); !overlay {
		return false
	}
	for _, e := range b.pass(i) {
		if b.force[e.Seq] {
			return false
		}
	}
	return true
}

func (m *Model) sketchEvent(it item, open bool, width int) sketch {
	e := &m.book.Log[it.at]
	style := m.styles.Event
	if n, ok := e.Body.(conversation.Notice); ok && n.Level != conversation.NoticeInfo {
		style = m.styles.Pane.Warning
	}
	text := "── " + eventName(e.Seq) + " " + m.clock(e.Time) + " " + m.words(it.at)
	if m.book.undone(it.at) {
		text += " · " + since(e.Body)
	}
	s := sketch{lines: []string{m.paint(line{text: ruled(plain.Line(head(text, 4*width)), width), style: style})}}
	if !open {
		return s
	}
	account := m.account(it.at)
	if cells(plain.Line(text)) < width { // all of it stands there
		account = account[1:]
	}
	for _, l := range account {
		s.lines = append(s.lines, m.paintAll(m.spread(l, m.styles.Pane.Muted, width))...)
	}
	for _, o := range m.book.pass(it.at) {
		sum, ok := o.Body.(conversation.Summary)
		if !ok || sum.Text == "" && sum.Appendix == "" {
			continue
		}
		body, links := m.summary(strings.TrimSpace(sum.Text+"\n\n"+sum.Appendix), m.book.covered(sum), s.links, true, width)
		s.lines, s.links = append(s.lines, m.paintAll(body)...), links
	}
	return s
}

// since says what became of an overlay that is not in force any more.
func since(b conversation.Body) string {
	switch b := b.(type) {
	case conversation.Rewind:
		return "brought back since"
	case conversation.Revert:
		if b.Redoes == 0 {
			return "redone since"
		}
	}
	return "undone"
}

// covered is the events of a summary that were said.
func (b *book) covered(s conversation.Summary) []uint64 {
	var out []uint64
	for i := range b.rows {
		seq := b.Log[b.rows[i].Event].Seq
		if slices.ContainsFunc(s.Spans, func(span conversation.Span) bool { return span.Holds(seq) }) {
			out = append(out, seq)
		}
	}
	return out
}

// words says what an event was.
func (m *Model) words(i int) string {
	switch b := m.book.Log[i].Body.(type) {
	case conversation.Cap, conversation.Mask, conversation.Summary, conversation.Drop:
		return m.compacted(i)
	case conversation.Rewind:
		return "taken back: from turn " + numbers.Grouped(b.Turn) + " on"
	case conversation.Pin:
		return "pinned " + namesOf(b.Events)
	case conversation.Unpin:
		return "pin ended: " + namesOf(b.Events)
	case conversation.Revert:
		return m.reverted(b)
	case conversation.ModelChanged:
		text := "model " + b.Name()
		if b.Window > 0 {
			text += ", window " + pane.Tokens(b.Window)
		}
		return text
	case conversation.Instructions:
		return "system prompt " + pane.Tokens(m.book.tokens(b.SystemSize)) + ", tools " + pane.Tokens(m.book.tokens(b.ToolsSize))
	case conversation.ConfigChanged:
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(b.Set)) {
			parts = append(parts, k+" = "+b.Set[k])
		}
		return "settings: " + strings.Join(parts, ", ")
	case conversation.Renamed:
		return "title: " + b.Title
	case conversation.Notice:
		return b.Text
	case conversation.Attempt:
		return "compaction came to nothing (" + b.Outcome + "): " + b.Why
	}
	return "an event of a kind that this version does not know: " + string(m.book.Log[i].Body.Kind())
}

// compacted says what a pass did.
func (m *Model) compacted(i int) string {
	made, _ := conversation.MadeOf(m.book.Log[i].Body)
	text := "compacted" + by(made)
	if made.Before > 0 {
		text += ": " + pane.Tokens(made.Before) + " → " + pane.Tokens(made.After)
	}
	what := made.Why
	if what == "" {
		what = deeds(m.book.pass(i))
	}
	if what != "" {
		text += " · " + what
	}
	return text
}

// deeds counts what the overlays of a pass do.
func deeds(pass []conversation.Event) string {
	masked, capped := 0, 0
	var parts []string
	for _, e := range pass {
		switch b := e.Body.(type) {
		case conversation.Mask:
			masked += len(b.Items)
		case conversation.Cap:
			capped += len(b.Items)
		case conversation.Summary:
			what := "summary of "
			switch {
			case b.Policies != nil:
				what = "stripped "
			case b.Text == "":
				what = "note on "
			}
			parts = append(parts, what+compact.Range{From: b.FromTurn, To: b.ToTurn}.String())
		case conversation.Drop:
			parts = append(parts, "the oldest left out")
		}
	}
	if capped > 0 {
		parts = slices.Insert(parts, 0, numbers.Grouped(capped)+" capped")
	}
	if masked > 0 {
		parts = slices.Insert(parts, 0, numbers.Grouped(masked)+" masked")
	}
	return strings.Join(parts, ", ")
}

// by is who wanted an overlay, with a space before; "" for the user.
func by(made conversation.Made) string {
	switch made.Source {
	case conversation.SourceAuto:
		return " by itself"
	case conversation.SourceTool:
		return " as the model asked"
	case conversation.SourceRecovery:
		return " to recover from an overflow"
	}
	return ""
}

// reverted says what a revert took back, or brought back.
func (m *Model) reverted(b conversation.Revert) string {
	seq := max(b.Epoch, b.Event)
	if b.Redoes != 0 {
		return "compaction " + eventName(b.Redoes) + " redone"
	}
	if i := m.book.index(seq); i >= 0 {
		switch m.book.Log[i].Body.(type) {
		case conversation.Rewind:
			return "turns that were taken back at " + eventName(seq) + " brought back"
		case conversation.Revert:
			return "what was undone at " + eventName(seq) + " is in force again"
		}
	}
	return "compaction " + eventName(seq) + " undone"
}

// namesOf lists events, not too many.
func namesOf(events []uint64) string {
	const most = 6
	var parts []string
	for i, seq := range events {
		if i == most {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, eventName(seq))
	}
	return strings.Join(parts, ", ")
}

// account is all that the log knows of an event.
func (m *Model) account(i int) []string {
	e := m.book.Log[i]
	out := []string{m.words(i)}
	made, ok := conversation.MadeOf(e.Body)
	if !ok {
		return out
	}
	about := "made in turn " + numbers.Grouped(e.Turn) + by(made)
	for _, p := range [][2]string{{"set off by", made.Trigger}, {"preset", made.Preset}, {"profile", made.Profile}} {
		if p[1] != "" {
			about += ", " + p[0] + " " + p[1]
		}
	}
	out = append(out, about)
	for _, o := range m.book.pass(i) {
		s, ok := o.Body.(conversation.Summary)
		if ok && s.Policies == nil && s.Text == "" {
			out = append(out, fmt.Sprintf("note on %s by the program, without a model", compact.Range{From: s.FromTurn, To: s.ToTurn}))
		}
		if ok && s.Model != "" {
			text := fmt.Sprintf("summary of %s by %s", compact.Range{From: s.FromTurn, To: s.ToTurn}, s.Model)
			if s.Depth > 0 {
				text += fmt.Sprintf(", %s from what was said", numbers.Count(s.Depth, "step"))
			}
			if s.Edited {
				text += ", edited by you"
			}
			out = append(out, text)
		}
	}
	return out
}
