package transcript

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"plimsoll/conversation/numbers"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/edit"
	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// The line of an overlay: when, what, how many tokens before and after, and how
// to undo it. It never wraps; what does not fit is left out in a fixed
// order: the command that undoes an older one, what was done (from the end
// of its list), who wanted it, the key to view it, the key, the turns, the time, the dashes, the
// tokens. That it was undone goes last, and stands in words, for screens
// without colour.

// epochItem is a compaction, or another overlay.
type epochItem struct {
	versioned
	id       uint64 // of the epoch; 0 for what is no compaction
	at       time.Time
	made     conversation.Made
	verb     string
	parts    int // how many overlays it stands for
	from, to int // turns; to is -1 if they are not known
	did      deeds
	state    epochState
	small    bool // it does not stand out
	passes   int  // how many compactions it stands for, if several
	saved    int  // tokens, by all of them

	undo [2]int // cells of the line as drawn last that undo it when clicked
}

// epochState is what later reverts did.
type epochState struct {
	gone   int       // how many of the overlays were undone
	redone bool      // they were, and are in force again
	since  time.Time // when that came about
	newest bool      // of the compactions in force
	turns  int       // of a rewind: how many it undid
	edits  bool      // of a rewind: it undid edits of files, which stay in the files
}

func (it *epochItem) indent(int) int      { return 0 }
func (it *epochItem) source(*look) string { return "" }

// undone reports whether all its overlays were undone.
func (it *epochItem) undone() bool { return it.state.gone > 0 && it.state.gone == it.parts }

// The order in which pieces of the line are left out, the highest first.
const (
	keepVerb = iota
	keepState
	keepTokens
	keepFrame
	keepTime
	keepTurns
	keepKey
	keepView
	keepSource
	keepWhat
	keepCommand
)

// piece is a part of the line.
type piece struct {
	text  string
	style lipgloss.Style
	order int
}

func (it *epochItem) draw(l *look, width int) []string {
	pieces := it.pieces(l)
	for last := keepCommand; last > keepVerb && wide(pieces) > width; last-- {
		if last == keepWhat && shorten(pieces, wide(pieces)-width) {
			break
		}
		pieces = without(pieces, last)
	}
	if it.undone() && !kept(pieces, keepState) {
		pieces = []piece{{it.since(), l.styles.Undone, keepVerb}}
	}
	it.undo = [2]int{}
	var b strings.Builder
	at := 0
	for _, p := range pieces {
		w := ansi.StringWidth(p.text)
		if p.order == keepKey || p.order == keepCommand {
			it.undo = [2]int{at + ansi.StringWidth(separator), at + w}
		}
		at += w
		b.WriteString(p.style.Render(p.text))
	}
	return []string{pane.Clip(b.String(), width)}
}

// separator stands between the parts of the line.
const separator = " · "

// pieces is the whole line.
func (it *epochItem) pieces(l *look) []piece {
	s := l.styles
	text := s.Epoch
	if it.undone() {
		text = s.Undone
	}
	begin, end := "── ", " ──"
	if it.id == 0 || it.small {
		text, begin, end = s.Undone, "· ", ""
	}
	list := []piece{{begin, s.EpochFrame, keepFrame}, {l.clock(it.at) + " ", text, keepTime}, {it.word(), text, keepVerb}}
	add := func(order int, style lipgloss.Style, before, what string) {
		if what != "" {
			list = append(list, piece{before + what, style, order})
		}
	}
	if it.to >= it.from {
		add(keepTurns, text, " ", edit.Range{From: it.from, To: it.to}.String())
	}
	add(keepSource, text, "", it.wanted())
	add(keepTokens, text, "", it.tokens())
	add(keepWhat, s.Hint, separator, it.takenWords())
	add(keepWhat, s.Hint, separator, oneLine(it.what(), maxWhat))
	add(keepState, s.Undone, separator, it.said(l))
	switch {
	case it.id == 0 || it.undone():
	case it.state.newest && l.undo != "":
		if l.view != "" {
			add(keepView, s.Hint, separator, l.view+" view")
		}
		add(keepKey, s.Hint, separator, l.undo+" undo")
	default:
		add(it.commandOrder(), s.Hint, separator, "/undo-compact "+strconv.FormatUint(it.id, 10))
	}
	return append(list, piece{end, s.EpochFrame, keepFrame})
}

// maxWhat is how many cells the words about what was done get.
const maxWhat = 120

// said is what became of it, "" as long as nothing did.
func (it *epochItem) said(l *look) string {
	if it.state.gone == 0 && !it.state.redone {
		return ""
	}
	return it.since() + " " + l.clock(it.state.since)
}

// since is what became of it in a word or two.
func (it *epochItem) since() string {
	switch {
	case it.undone():
		return "undone"
	case it.state.gone > 0:
		return "partly undone"
	}
	return "redone"
}

// wide is how many cells pieces take.
func wide(pieces []piece) int {
	n := 0
	for _, p := range pieces {
		n += ansi.StringWidth(p.text)
	}
	return n
}

// shorten takes at least so many cells off what was done, from the end of its
// list, and reports whether anything is left of it.
func shorten(pieces []piece, cells int) bool {
	for i, p := range pieces {
		if p.order != keepWhat {
			continue
		}
		const more = ", …"
		for text := p.text; ; {
			end := strings.LastIndex(text, ", ")
			if end < 0 {
				return false
			}
			text = text[:end]
			if ansi.StringWidth(text+more) <= ansi.StringWidth(p.text)-cells {
				pieces[i].text = text + more
				return true
			}
		}
	}
	return false
}

// without leaves the pieces of an order out.
func without(pieces []piece, order int) []piece {
	out := make([]piece, 0, len(pieces))
	for _, p := range pieces {
		if p.order != order {
			out = append(out, p)
		}
	}
	return out
}

// kept reports whether there is a piece of an order.
func kept(pieces []piece, order int) bool {
	for _, p := range pieces {
		if p.order == order {
			return true
		}
	}
	return false
}

// undoAt is the epoch that a click on a cell of the line undoes, 0 for none.
func (it *epochItem) undoAt(x int) uint64 {
	if x >= it.undo[0] && x < it.undo[1] {
		return it.id
	}
	return 0
}

// released is what a click on the line does: what it undoes, or otherwise where
// it is looked at.
func (it *epochItem) released(undo uint64) Released {
	if undo != 0 {
		return Released{Undo: undo}
	}
	return Released{View: it.made.Epoch}
}

// attempted is the notice of a failed compaction.
func (l *look) attempted(e conversation.Event, b conversation.Attempt) *noticeItem {
	const most = 300 // cells: what servers say can be long
	n := &noticeItem{level: conversation.NoticeInfo, text: "compaction failed", why: b.Why}
	if b.Outcome == conversation.OutcomeFailed {
		n.level = conversation.NoticeWarning
	}
	switch why := oneLine(b.Why, most); {
	case why == "":
	case b.Outcome == conversation.OutcomeCancelled:
		n.text = why
	default:
		n.text += ": " + why
	}
	n.text = l.clock(e.Time) + " " + n.text
	var more []string
	switch {
	case b.CostUSD != nil:
		more = append(more, fmt.Sprintf("cost $%.4f", *b.CostUSD))
	case b.Tokens > 0:
		more = append(more, "took "+pane.Tokens(b.Tokens)+" tokens")
	}
	switch {
	case b.Paused:
		more = append(more, "summaries are paused, /compact tries again")
	case b.Next > 0:
		more = append(more, "nothing changed; tries again at "+pane.Tokens(b.Next))
	case automatic(b.Source) && b.Outcome == conversation.OutcomeFailed && b.Tokens > 0:
		more = append(more, "the next step tries again")
	}
	n.text = strings.Join(append([]string{n.text}, more...), " · ")
	return n
}

// clock writes the time of day.
func (l *look) clock(t time.Time) string { return t.In(l.zone).Format("15:04") }

// Released is what came of a press.
type Released struct {
	Text string // selected, to be copied; "" for none
	Undo uint64 // the compaction to undo, by its epoch; 0 for none
	View uint64 // the event that is to be looked at in the history, 0 for none
}

// takenWords says how many turns a rewind undid, "" if none that is here, and whether files keep what was done in them.
func (it *epochItem) takenWords() string {
	words := ""
	if it.state.turns > 0 {
		words = numbers.Count(it.state.turns, "turn") + " undone"
	}
	if it.state.edits {
		words += ", files were not changed back"
	}
	return words
}
