package history

import (
	"slices"
	"strings"

	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// Rows across both columns: an event that is no message, which unfolded says all that the log knows of it, and the
// instructions of a request.

// Marks of events.
const (
	markFolded = "▸ "
	markOpen   = "▾ "
	markEvent  = "· "
	markNotice = "! "
	markFailed = "✗ "
)

func (d *drawer) sketchEvent(it item, open bool, width int) sketch {
	e := &d.book.Log[it.at]
	made, overlay := conversation.MadeOf(e.Body)
	style, mark, text := d.styles.Event, markEvent, d.book.words(it.at)
	right := d.right("", eventName(e.Seq), clock(e.Time, d.zone), width)
	switch n, notice := e.Body.(conversation.Notice); {
	case e.Body.Kind() == conversation.KindTurnFailed:
		style, mark = d.styles.Failure, markFailed
	case notice && n.Level != conversation.NoticeInfo:
		style, mark = d.styles.Pane.Warning, markNotice
	case overlay && compacts(e.Body):
		if style, mark = d.styles.Epoch, markFolded; open {
			mark = markOpen
		}
		if made.Before > 0 && width >= leastNames {
			text = d.book.compacted(it.at, false)
			right = d.right("", eventName(e.Seq), change(made.Before, made.After), width)
		}
	}
	if d.book.undone(it.at) {
		style, text = d.styles.Pane.Muted, text+" · "+since(e.Body)
	}
	if entry, ok := d.book.ledger[e.Seq]; ok {
		right = d.entryColumns(entry, width)
		if entry.Kind == inspect.EntryEpoch {
			text = "compacted " + orElse(made.Why, effects(d.book.pass(it.at)))
		}
		if width >= leastNames {
			text = e.Time.In(d.zone).Format("2 Jan 15:04  ") + text
		}
	}
	text = pane.Clip(mark+plain.Line(head(text, 4*width)), width)
	s := sketch{lines: []string{d.headLine(d.paint(line{text: text, style: style}), right, width)}}
	if !open {
		return s
	}
	whole := cells(mark+plain.Line(d.book.words(it.at))) <= width-cells(right)-1
	details, links := d.details(it.at, whole, width)
	s.lines, s.links = append(s.lines, details...), links
	return s
}

// details are all that the log knows of an event. Told says that its words stand there already.
func (d *drawer) details(at int, told bool, width int) ([]string, []target) {
	details := d.book.details(at, d.zone)
	if told {
		details = details[1:]
	}
	var out []string
	for _, l := range details {
		out = append(out, d.paintAll(d.spread(l, d.styles.Pane.Muted, width))...)
	}
	body, links := d.did(at, width)
	return append(out, d.paintAll(body)...), links
}

// compacts reports whether an overlay is part of a compaction.
func compacts(b conversation.Body) bool {
	switch b.(type) {
	case conversation.Cap, conversation.Mask, conversation.Summary, conversation.Drop:
		return true
	}
	return false
}

// mostItems is how many of the texts that a compaction shortened are listed.
const mostItems = 40

// did is what a compaction came to: the texts it shortened, and the summaries.
func (d *drawer) did(at, width int) ([]line, []target) {
	var out []line
	n := numbering{book: d.book}
	var events []uint64
	for _, o := range d.book.pass(at) {
		events = append(events, shortened(o.Body)...)
	}
	events = slices.Compact(events)
	for i, seq := range events {
		if i == mostItems {
			out = append(out, line{text: "… " + numbers.Count(len(events)-i, "more message"), style: d.styles.Faint})
			break
		}
		e := d.book.index(seq)
		if e < 0 {
			continue
		}
		number, _ := n.of(target{n: seq})
		name := eventName(seq)
		if number > 0 {
			name += numeral(number)
		}
		size, _ := conversation.MessageSize(d.book.Log[e].Body)
		text := pane.Fit("  "+name, 2+nameCells+4) + alignedRight(pane.Tokens(d.book.tokens(size)), nameCells) + "  " + d.book.gist(e)
		out = append(out, line{text: pane.Clip(text, width), style: d.styles.Pane.Muted, links: true})
	}
	for _, o := range d.book.pass(at) {
		sum, ok := o.Body.(conversation.Summary)
		if !ok || sum.Text == "" && sum.Appendix == "" {
			continue
		}
		var body []line
		body, n.list = d.summary(strings.TrimSpace(sum.Text+"\n\n"+sum.Appendix), d.book.covered(sum), n.list, true, width)
		if len(out) > 0 {
			out = append(out, line{})
		}
		out = append(out, body...)
	}
	return out, n.list
}

// shortened is the events whose texts an overlay shows in part.
func shortened(b conversation.Body) []uint64 {
	var out []uint64
	switch b := b.(type) {
	case conversation.Mask:
		for _, it := range b.Items {
			out = append(out, it.Event)
		}
	case conversation.Cap:
		for _, it := range b.Items {
			out = append(out, it.Event)
		}
	}
	return out
}

// gist is what an event says, on one line.
func (b *book) gist(at int) string {
	switch body := b.Log[at].Body.(type) {
	case conversation.ToolResult:
		return strings.TrimSpace(plain.Line(body.Tool) + "  " + b.about(b.Log[at].Seq, body.CallID))
	case conversation.AssistantMessage:
		if len(body.Calls) > 0 {
			return "→ " + plain.Line(body.Calls[0].Name) + "  " + subject(body.Calls[0])
		}
		return plain.Line(head(strings.TrimSpace(body.Text), maxSubject))
	}
	return b.words(at)
}

// sketchInstructions draws the system prompt or the tools of a request.
func (d *drawer) sketchInstructions(it item, open bool, width int) sketch {
	name, text := d.book.request.instructions(it.kind)
	right := d.right("", "", pane.Tokens(d.book.tokens(conversation.Measure(text))), width)
	s := sketch{lines: []string{d.headLine(d.styles.Assistant.Render(name), right, width)}}
	body := d.fold(text, d.styles.Sent, foldLines, width)
	if open {
		body = d.spread(text, d.styles.Sent, width)
	}
	if text == "" {
		body = styled(d.styles.Pane.Muted, "none")
	}
	s.lines = append(s.lines, d.paintAll(body)...)
	return s
}
