package history

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// Only visible rows are laid out. Drawn rows are kept until the content, the size or the styles change.

// Widths and heights of rows.
const (
	gutter       = 2   // cells before a row: the cursor, or the mark of how it is sent
	leastColumns = 72  // width from which there are two columns
	leastNames   = 60  // width from which rows have the names of their events
	leastGaps    = 20  // height from which there are empty lines between rows
	divider      = 3   // cells between the columns
	nameCells    = 6   // cells of the name of an event, before the tokens
	changeCells  = 13  // cells of the tokens before and after
	foldLines    = 4   // lines of a folded text
	foldResult   = 2   // lines of a folded tool result
	maxKept      = 600 // drawn rows that are kept
	mostItems    = 40  // shortened messages that the details of a compaction list
)

// Marks of rows.
const (
	markFolded = "▸ "
	markOpen   = "▾ "
	markEvent  = "· "
	markNotice = "! "
	markFailed = "✗ "
	cursor     = "▌ " // before every line of the row with the cursor
)

// drawn is a drawn row, without and with the cursor.
type drawn struct {
	width int
	lines [2][]string
}

// drawer draws the rows of a document. It knows which rows are expanded.
type drawer struct {
	painter
	document *document
	zone     *time.Location
	keys     *KeyMap
	height   int
	expanded map[rowID]bool
	cache    map[int]*drawn // by row; in full by ^row
}

func (d *drawer) redraw() { d.cache = map[int]*drawn{} }

func (d *drawer) isOpen(it item) bool { return d.expanded[d.document.id(it)] }

// Len returns the number of rows.
func (d *drawer) Len() int { return len(d.document.items) }

// Lines draws a row.
func (d *drawer) Lines(i int, selected bool, width int) []string {
	row := d.cache[i]
	if row == nil || row.width != width {
		if len(d.cache) >= maxKept {
			d.redraw()
		}
		row = d.drawRow(i, width)
		d.cache[i] = row
	}
	if selected {
		return row.lines[1]
	}
	return row.lines[0]
}

// drawRow draws a row, without and with the cursor.
func (d *drawer) drawRow(i, width int) *drawn {
	row, it := &drawn{width: width}, d.document.items[i]
	if d.hasGap(i) {
		row.lines = [2][]string{{""}, {""}}
	}
	lines, mark := d.drawItem(it, d.isOpen(it), max(width-gutter, 1))
	first := d.styles.Faint.Render(pane.Fit(mark, gutter))
	for n, l := range lines {
		chosen := d.band.Under(pane.Fit(d.styles.UserMark.Render(cursor)+l, width))
		if n == 0 { // highlighted as in every list; the text below keeps its colors
			chosen = d.styles.Selected.Render(pane.Fit(cursor+ansi.Strip(l), width))
		}
		row.lines[0], row.lines[1] = append(row.lines[0], pane.Clip(first+l, width)), append(row.lines[1], chosen)
		if mark == markSame { // only before the first line
			first = "  "
		}
	}
	return row
}

// inFull draws all of a row, to stand beside the rows: what is sent in place of a message is below it.
func (d *drawer) inFull(i, width int) []string {
	row := d.cache[^i]
	if row == nil || row.width != width {
		lines, _ := d.drawItem(d.document.items[i], true, min(width, leastColumns-gutter-1))
		row = &drawn{width: width, lines: [2][]string{lines}}
		d.cache[^i] = row
	}
	return row.lines[0]
}

// hasGap reports whether an empty line is before a row.
func (d *drawer) hasGap(i int) bool {
	if i == 0 {
		return false
	}
	it, before := d.document.items[i], d.document.items[i-1]
	role := d.document.role(it)
	return it.startsTurn ||
		d.height >= leastGaps && ((it.kind == kindEvent) != (before.kind == kindEvent) || role != "" && role != projection.RoleTool)
}

// drawItem draws a row without gutter and cursor. It also returns the mark in its gutter.
func (d *drawer) drawItem(it item, open bool, width int) (lines []string, mark string) {
	switch it.kind {
	case kindOriginal:
		return d.drawOriginal(it, open, width)
	case kindEvent:
		return d.drawEvent(it, open, width), ""
	case kindMessage:
		return d.drawMessage(it, open, width), ""
	}
	return d.drawInstructions(it, open, width), ""
}

// turnStart is the number and time of the turn that a row begins, "" for none.
func (d *drawer) turnStart(it item) string {
	if !it.startsTurn {
		return ""
	}
	turn, at := 0, ""
	if e := d.document.event(it); e != nil {
		turn, at = e.Turn, " · "+clock(e.Time, d.zone)
	}
	if it.kind == kindMessage {
		turn = d.document.messages[it.at].Turn
	}
	return d.styles.Faint.Render("  turn " + pane.Turn(turn) + at)
}

// drawOriginal draws an event that is a message. If another text is sent in its place, that is beside it, or below it on a
// narrow screen. A message that is sent as it was has the whole width.
func (d *drawer) drawOriginal(it item, open bool, width int) (lines []string, mark string) {
	r := &d.document.rows[it.at]
	e := &d.document.Log[r.Event]
	status := d.sendStatus(r, width)
	lines = []string{d.headLine(d.author(e, open, width-cells(status)-1)+d.turnStart(it), status, width)}
	both := d.document.side == sideBoth
	if both {
		mark = d.gutterMark(r)
	}
	left, right := width, width-2
	replaced := both && d.document.isReplaced(r)
	if replaced && width+gutter >= leastColumns {
		left = (width - divider) / 2
		right = width - divider - left
	}
	original := d.originalLines(e, open, replaced, left)
	if both && !d.document.isSentUnchanged(r) { // the original is not sent
		for i, l := range original {
			original[i] = line{text: strings.TrimRight(ansi.Strip(l.text), " "), style: d.styles.Muted}
		}
	}
	if !replaced {
		return append(lines, d.paintAll(original)...), mark
	}
	msg := d.document.View.Messages[r.Message]
	for _, p := range d.document.replacing(r.Message)[1:] { // a question and an answer are one summary
		msg.Text += "\n\n" + p.Text
	}
	sent := d.paintAll(d.sentLines(&msg, open, true, right))
	if left < width {
		if it.at == 0 || !d.document.isReplaced(&d.document.rows[it.at-1]) { // headings above the first of several
			lines = append(lines, d.styles.Faint.Render(pane.Clip(pane.Fit("original", left+divider)+"what the model is sent instead", width)))
		}
		bar := " " + d.styles.Rule.Render("│") + " "
		return append(lines, pane.Columns(d.paintAll(original), sent, bar, left, max(len(original), len(sent)))...), mark
	}
	lines = append(lines, d.paintAll(original)...)
	for i, l := range sent {
		lead := "  "
		if i == 0 {
			lead = d.styles.Muted.Render("↳ ")
		}
		lines = append(lines, lead+l)
	}
	return lines, mark
}

// headLine is the first line of a row, with a text at the left and one at the right.
func (d *drawer) headLine(left, right string, width int) string {
	room := width - cells(right) - 1
	if right == "" || room < 4 {
		return pane.Clip(left, width)
	}
	return pane.Fit(left, room) + " " + right
}

// drawEvent draws an event that is no message. Expanded, it has all details of the event.
func (d *drawer) drawEvent(it item, open bool, width int) []string {
	e := &d.document.Log[it.at]
	style, mark, text := d.styles.Muted, markEvent, d.eventText(it.at, width)
	right := d.rightColumns("", eventName(e.Seq), clock(e.Time, d.zone), width)
	switch n, notice := e.Body.(conversation.Notice); {
	case e.Body.Kind() == conversation.KindTurnFailed:
		style, mark = d.styles.Error.Bold(false), markFailed
	case notice && n.Level != conversation.NoticeInfo:
		style, mark = d.styles.Warning, markNotice
	case isCompaction(e.Body):
		if style, mark = d.styles.Gauge.Summary, markFolded; open {
			mark = markOpen
		}
		if origin, _ := conversation.OriginOf(e.Body); origin.Before > 0 && width >= leastNames {
			right = d.rightColumns("", eventName(e.Seq), change(origin.Before, origin.After), width)
		}
	}
	entry, listed := d.document.entries[e.Seq]
	if d.document.isUndone(it.at) {
		if style = d.styles.Muted; entry.Kind != inspect.EntryEpoch {
			text += " · " + undoneLabel(e.Body)
		}
	}
	if listed {
		right = d.entryColumns(entry, width)
		if width >= leastNames {
			text = e.Time.In(d.zone).Format("2 Jan 15:04  ") + text
		}
	}
	text = pane.Clip(mark+plain.Line(conversation.Beginning(text, 4*width)), width)
	lines := []string{d.headLine(d.paint(line{text: text, style: style}), right, width)}
	if open {
		lines = append(lines, d.details(it.at, lines[0], width)...)
	}
	return lines
}

// eventText describes an event; a compaction without its tokens where they are in a column.
func (d *drawer) eventText(at, width int) string {
	e := d.document.Log[at]
	if _, listed := d.document.entries[e.Seq]; isCompaction(e.Body) && (listed || width >= leastNames) {
		return d.document.compacted(at, false)
	}
	return d.document.describe(at)
}

// details draws all of an event that its row does not say: for a compaction also the messages that it shortened, and the
// summaries.
func (d *drawer) details(at int, row string, width int) []string {
	out := d.facts(at, row, width)
	var shortened []conversation.Span // each one message
	for _, o := range d.document.epochFrom(at) {
		if kind := o.Body.Kind(); kind == conversation.KindMask || kind == conversation.KindCap {
			shortened = append(shortened, conversation.SpansOf(o.Body)...)
		}
	}
	shortened = slices.Compact(shortened)
	for i, s := range shortened {
		if i == mostItems {
			out = append(out, line{text: "… " + numbers.Count(len(shortened)-i, "more message"), style: d.styles.Faint})
			break
		}
		if e := d.document.index(s.First); e >= 0 {
			size, _ := conversation.MessageSize(d.document.Log[e].Body)
			tokens := pane.AlignRight(pane.Tokens(d.document.tokens(size)), nameCells)
			text := "  " + pane.Fit(eventName(s.First), nameCells) + tokens + "  " + d.document.describeBriefly(e)
			out = append(out, line{text: pane.Clip(text, width), style: d.styles.Muted})
		}
	}
	for _, o := range d.document.epochFrom(at) {
		if sum, ok := o.Body.(conversation.Summary); ok && sum.Text+sum.Appendix != "" {
			out = append(out, line{})
			out = append(out, d.summaryLines(strings.TrimSpace(sum.Text+"\n\n"+sum.Appendix), true, width)...)
		}
	}
	return d.paintAll(out)
}

// drawInstructions draws the system prompt or the tools of a request.
func (d *drawer) drawInstructions(it item, open bool, width int) []string {
	name, text := d.document.request.instructions(it.kind)
	right := d.rightColumns("", "", pane.Tokens(d.document.tokens(conversation.Measure(text))), width)
	lines := []string{d.headLine(d.styles.Gauge.Assistant.Bold(true).Render(name), right, width)}
	if text == "" {
		return append(lines, d.styles.Muted.Render("none"))
	}
	return append(lines, d.paintAll(d.textLines(text, unstyled, open, foldLines, width))...)
}

func (d *drawer) drawMessage(it item, open bool, width int) []string {
	msg := &d.document.messages[it.at]
	before, after := d.document.tokens(msg.Before), d.document.tokens(msg.After())
	whole := msg.State == projection.StateVerbatim || msg.State == projection.StatePinned
	if whole || len(msg.Events) == 0 {
		before = after
	}
	right := d.rightColumns(d.badge(msg.State, msg.Why, false), eventsName(msg.Events), change(before, after), width)
	lines := []string{d.headLine(d.sender(it, msg, open, width-cells(right)-1)+d.turnStart(it), right, width)}
	lines = append(lines, d.paintAll(d.sentLines(msg, open, false, width))...)
	e := d.document.event(it)
	if !open || e == nil || len(msg.Events) != 1 || whole {
		return lines
	}
	rule := "─ in full "
	rule += strings.Repeat("─", max(0, width-cells(rule)))
	lines = append(lines, d.styles.Muted.Render(pane.Clip(rule, width)))
	return append(lines, d.paintAll(d.originalLines(e, true, false, width))...)
}
