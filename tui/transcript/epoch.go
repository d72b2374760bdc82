package transcript

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/planner"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

// A compaction is a card of three lines: which turns and how many tokens, what the summary keeps, and what it
// cost and saves, with the keys that show and undo it. Other overlays, and the compactions that some presets
// make before each request, are one line. Lines never wrap: on a narrow screen parts are left out.

// epochItem shows a compaction, the compactions before the requests of a turn, or another overlay.
type epochItem struct {
	versioned
	at           time.Time
	made         conversation.Origin // of the first overlay
	verb         string
	isCompaction bool
	isQuiet      bool // one line
	filesBack    bool // of a rewind: files were brought back with it
	overlays     []overlay
	compactions  int // that the line covers
	saved        int // tokens, by all of them
	state        epochState

	from, to int      // turns that it covers; to is -1 if that is unknown
	kept     string   // what its summaries keep
	costUSD  *float64 // of the summaries, nil if none was requested or the price is unknown

	undo     [2]int // the first cell that undoes it when clicked, and the cell after the last; as last drawn
	undoLine int    // the line of these cells
}

// overlay identifies an overlay that a line covers.
type overlay struct{ seq, epoch uint64 }

// epochState is what later events did to the overlays of a line.
type epochState struct {
	undone int    // how many of its overlays were undone
	undoes uint64 // epoch of its newest compaction in force, which undo reverts; 0 if all are undone
	newest bool   // undoes is the newest compaction in force of the conversation
	turns  int    // of a rewind: how many turns it removed
	redone bool   // it was undone, and redone since
	edits  bool   // of a rewind: the removed turns edited files, which stay changed
}

func (it *epochItem) isCard() bool { return it.isCompaction && !it.isQuiet }

func (it *epochItem) indent(int) int             { return 2 * pane.CountTrue(it.isCard()) }
func (it *epochItem) source(*drawOptions) string { return "" }

func (it *epochItem) undoneWords() string {
	switch {
	case it.undone():
		return " (undone)"
	case it.state.undone > 0:
		return " (partly undone)"
	case it.state.redone:
		return " (redone)"
	}
	return ""
}

// undone reports whether all its overlays were undone.
func (it *epochItem) undone() bool { return it.state.undone == len(it.overlays) }

func (it *epochItem) draw(l *drawOptions, width int) []string {
	it.undo, it.undoLine = [2]int{}, 0
	if it.isCard() {
		return it.card(l, width)
	}
	verb := it.verb
	if it.state.turns > 0 {
		verb = "undid " + numbers.Count(it.state.turns, "turn")
	}
	text := "· " + it.at.In(l.zone).Format("15:04") + " " + verb + it.undoneWords() + it.cause()
	switch {
	case it.compactions == 1 && it.made.Before > 0:
		text += ": " + pane.Tokens(it.made.Before) + " → " + pane.Tokens(max(0, it.made.After))
	case it.saved > 0:
		text += ": " + amount(float64(it.saved)) + " tokens less"
	}
	if it.state.edits && !it.filesBack {
		text += separator + "files were not changed back"
	}
	line, hint := l.styles.Undone.Render(pane.Clip(text, width)), it.undoHint(l)
	if w := ansi.StringWidth(text + separator + hint); hint != "" && w <= width {
		it.undo = [2]int{w - ansi.StringWidth(hint), w}
		line += l.styles.Hint.Render(separator + hint)
	}
	return []string{line}
}

const (
	separator = " · "
	cardBar   = "▎"
	cardWidth = 98 // most cells of a card
	sizeBar   = 15 // cells of the bar for the tokens before
)

// card draws the three lines of a compaction, or the two of one that was undone.
func (it *epochItem) card(l *drawOptions, width int) []string {
	room := max(1, min(width, cardWidth)-2)
	lines := []string{it.headline(l, room)}
	if it.undone() {
		lines = append(lines, l.styles.Hint.Render(pane.Clip("all of it is sent again · /redo-compact compacts it again", room)))
		return barred(l.styles.Undone.Render(cardBar), lines, width)
	}
	keys, hint := "", it.undoHint(l)
	if hint != "" && it.state.newest && l.keys.View != "" && room >= 44 {
		keys = l.keys.View + " read" + separator
	}
	_, reason, _ := strings.Cut(pane.Reason(it.made.Why), ", ")
	rows := []string{cmp.Or(it.kept, oneLine(reason, room), "the originals stay in the history"), it.price(l)}
	keys = pane.Clip(keys+hint, room)
	cells := ansi.StringWidth(keys)
	fits := func(row string) bool { return ansi.StringWidth(row)+2+cells <= room }
	with := pane.CountTrue(!fits(rows[0]) && fits(rows[1])) // the row that the keys stand in
	for i, style := range []lipgloss.Style{l.styles.Output, l.styles.Hint} {
		row := pane.Clip(rows[i], room)
		if i == with && keys != "" {
			row = pane.Fit(pane.Clip(rows[i], max(0, room-cells-2)), room-cells)
			it.undoLine, it.undo = 1+i, [2]int{2 + room - ansi.StringWidth(hint), 2 + room}
			lines = append(lines, style.Render(row)+l.styles.Hint.Render(keys))
			continue
		}
		lines = append(lines, style.Render(row))
	}
	return barred(l.styles.Note.Render(cardBar), lines, width)
}

// barred puts a bar before each line. It changes lines.
func barred(bar string, lines []string, width int) []string {
	for i, line := range lines {
		lines[i] = pane.Clip(bar+" "+line, width)
	}
	return lines
}

// headline says which turns were compacted, and draws the tokens before and after in one scale.
func (it *epochItem) headline(l *drawOptions, room int) string {
	before, after := max(0, it.made.Before), max(0, it.made.After)
	text, style := it.verb, lipgloss.NewStyle()
	if it.to >= 0 {
		text += " " + pane.Turns(it.from, it.to)
	}
	if it.undone() {
		style = l.styles.Undone
	}
	text += it.undoneWords() + it.cause()
	if before == 0 || it.undoneWords() != "" && ansi.StringWidth(text+"   99.9k → 99.9k") > room { // the words matter more
		return style.Render(pane.Clip(text, room))
	}
	from, to := pane.Tokens(before), pane.Tokens(after)
	if it.undone() {
		from, to = to, from
	}
	sizes := "   " + from + " → " + to
	if less := before - after; less > 0 && !it.undone() {
		percent := "  −" + numbers.Percent(float64(less)/float64(before))
		cells := max(1, int(sizeBar*float64(after)/float64(before)))
		if all := ansi.StringWidth(text+sizes+percent) + sizeBar + cells + 2; all <= room {
			return style.Render(text+"   "+from) + " " + l.styles.Faint.Render(strings.Repeat("█", sizeBar)) +
				style.Render(" → "+to) + " " + l.styles.Note.Render(strings.Repeat("█", cells)) + l.styles.Hint.Render(percent)
		}
	}
	return style.Render(pane.Clip(text, max(0, room-ansi.StringWidth(sizes))) + pane.Clip(sizes, room))
}

// price says what the compaction cost and what it saves.
func (it *epochItem) price(l *drawOptions) string {
	var parts []string
	if it.state.redone {
		parts = append(parts, "in force again")
	} else if it.costUSD != nil {
		parts = append(parts, "cost "+dollars(*it.costUSD))
	}
	less := max(0, it.made.Before-it.made.After)
	switch {
	case less == 0:
	case l.price > 0:
		parts = append(parts, "saves "+dollars(float64(less)*l.price/1e6)+" a request")
	default:
		parts = append(parts, "saves "+pane.Tokens(less)+" tokens a request")
	}
	if it.made.Trigger == planner.TriggerCold {
		parts = append(parts, "the cache was cold")
	} else {
		parts = append(parts, "cache rebuilt once")
	}
	return strings.Join(parts, separator)
}

// dollars formats a small cost with three digits after the point.
func dollars(usd float64) string {
	if usd >= 0.0005 && usd < 0.1 {
		return fmt.Sprintf("$%.3f", usd)
	}
	if usd == 0 {
		return "nothing"
	}
	return pane.Dollars(usd)
}

// undoHint names the key or the command that undoes it, "" if none does.
func (it *epochItem) undoHint(l *drawOptions) string {
	switch {
	case it.state.undoes == 0:
		return ""
	case it.state.newest && l.keys.Undo != "":
		return l.keys.Undo + " undo"
	}
	return "/undo-compact " + strconv.FormatUint(it.state.undoes, 10)
}

// cause returns who requested the compaction or what triggered it, or "" if that is the user or the load line.
func (it *epochItem) cause() string {
	switch {
	case it.made.Source == conversation.SourceTool:
		return ", asked for by the model"
	case !automatic(it.made.Source):
		return ""
	case it.isQuiet && it.compactions == 1:
		return " before a request"
	case it.compactions > 1:
		return " before " + strconv.Itoa(it.compactions) + " requests"
	case it.made.Source == conversation.SourceRecovery:
		return ", refused as too long"
	case it.made.Trigger == planner.TriggerCold:
		return " after a pause"
	}
	return ""
}

// automatic reports whether the program, not the user or the model, caused a compaction.
func automatic(s conversation.Source) bool {
	return s == conversation.SourceAuto || s == conversation.SourceRecovery
}

// cover adds what an overlay of the compaction covers and keeps.
func (it *epochItem) cover(b conversation.Body) {
	s, ok := b.(conversation.Summary)
	if !ok || s.ToTurn < s.FromTurn {
		return
	}
	if it.to < 0 {
		it.from, it.to = s.FromTurn, s.ToTurn
	}
	it.from, it.to = min(it.from, s.FromTurn), max(it.to, s.ToTurn)
	if it.kept == "" {
		it.kept = keptBy(s.Text + "\n" + s.Appendix)
	}
}

// keeps are what a summary keeps: words of its headings, and the noun for the items below them.
var keeps = []struct{ heading, noun string }{
	{"file", "file"}, {"decision", "decision"}, {"open", "open point"}, {"error", "error"}, {"user", "sentence"},
	{"asked", "sentence"}, {"done", "step"}, {"names", "name"},
}

// keptBy says what a text keeps: the items of its lists, by their headings.
func keptBy(text string) string {
	counts, current := map[string]int{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if title, heading := strings.CutPrefix(line, "#"); heading {
			title, current = strings.ToLower(title), ""
			for _, k := range keeps {
				if current == "" && strings.Contains(title, k.heading) {
					current = k.noun
				}
			}
		} else if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "> ") {
			counts[current]++
		}
	}
	var parts []string
	for _, k := range keeps {
		if n := counts[k.noun]; n > 0 {
			parts = append(parts, numbers.Count(n, k.noun))
			delete(counts, k.noun)
		}
	}
	switch words := len(strings.Fields(text)); {
	case len(parts) > 0:
		return "kept: " + strings.Join(parts[:min(len(parts), 4)], ", ")
	case words > 0:
		return "kept: a summary of " + numbers.Count(words, "word")
	}
	return ""
}

// failedCompaction is the card of a compaction that was not made: why, what it cost, and when it is tried again.
func (l *drawOptions) failedCompaction(b conversation.Attempt) *noticeItem {
	const maxWidth = 300 // cells: error texts of servers can be long
	n := &noticeItem{level: conversation.NoticeInfo, text: "Compaction failed", failure: b.Why, card: true}
	if b.Outcome == conversation.AttemptFailed {
		n.level = conversation.NoticeWarning
	}
	switch why := strings.TrimSuffix(oneLine(b.Why, maxWidth), "; nothing was changed"); { // the hint says so
	case why == "":
	case b.Outcome == conversation.AttemptCancelled:
		n.text = why
	default:
		n.text += ": " + why
	}
	var more []string
	if b.Model != "" {
		more = append(more, "summary model "+oneLine(b.Model, maxWidth))
	}
	switch {
	case b.CostUSD != nil:
		more = append(more, "cost "+dollars(*b.CostUSD))
	case b.Tokens > 0:
		more = append(more, "took "+pane.Tokens(b.Tokens)+" tokens")
	}
	more = append(more, "nothing changed")
	switch {
	case b.Paused:
		more = append(more, "summaries are paused, /compact tries again")
	case b.RetryTokens > 0:
		more = append(more, "tries again at "+pane.Tokens(b.RetryTokens))
	case automatic(b.Source) && b.Outcome == conversation.AttemptFailed && b.Tokens > 0:
		more = append(more, "the next step tries again")
	}
	n.hint = strings.Join(more, separator)
	return n
}

// Released is the result of a mouse press and release: at most one field is set.
type Released struct {
	Text string // the selected text, to copy
	Undo uint64 // the epoch of the compaction to undo
	View uint64 // the sequence number of the event to show in the history
	Task string // the ID of the call whose task to open
}
