package transcript

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/planner"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

// The line of an overlay: when, what, how many tokens before and after, and how
// to undo it. It never wraps: what was done gets the room that is left, and the other parts
// are left out in a fixed order. What was done stands last, with whether it was undone, in words,
// for screens without colour.

// epochItem is a compaction, the compactions before the requests of a turn, or another overlay.
type epochItem struct {
	versioned
	at         time.Time
	made       conversation.Origin // of the first
	verb       string
	compaction bool
	small      bool // it does not stand out
	overlays   []overlay
	passes     int // how many compactions it stands for
	saved      int // tokens, by all of them
	state      epochState

	undo [2]int // cells of the line as drawn last that undo it when clicked
}

// overlay is one of those that a line stands for.
type overlay struct{ seq, epoch uint64 }

// epochState is what later events did to a line.
type epochState struct {
	gone   int    // how many of its overlays were undone
	undoes uint64 // the newest of its compactions in force, 0 for none
	newest bool   // of all compactions in force
	turns  int    // of a rewind: how many it undid
	edits  bool   // of a rewind: it undid edits of files, which stay in the files
}

func (it *epochItem) indent(int) int      { return 0 }
func (it *epochItem) source(*look) string { return "" }

// undone reports whether all its overlays were undone.
func (it *epochItem) undone() bool { return it.state.gone == len(it.overlays) }

// The order in which pieces of the line are left out, the highest first.
const (
	keepVerb = iota
	keepTokens
	keepFrame
	keepTime
	keepTurns
	keepKey
	keepSource
	keepView
	keepCommand
	keepWhat // it gets what the others leave
)

// piece is a part of the line.
type piece struct {
	text  string
	style lipgloss.Style
	order int
}

const (
	separator = " · "
	leastWhat = 16 // cells for what was done
)

func (it *epochItem) draw(l *look, width int) []string {
	pieces := it.pieces(l)
	what := slices.IndexFunc(pieces, func(p piece) bool { return p.order == keepWhat })
	words := pieces[what].text
	pieces[what].text = ""
	for last := keepCommand; last > keepVerb && wide(pieces) > width; last-- {
		pieces = slices.DeleteFunc(pieces, func(p piece) bool { return p.order == last })
	}
	it.undo = [2]int{}
	var b strings.Builder
	at, room := 0, width-wide(pieces)
	for _, p := range pieces {
		if p.order == keepWhat && room >= leastWhat {
			p.text = oneLine(words, room)
		}
		w := ansi.StringWidth(p.text)
		if p.order == keepKey || p.order == keepCommand {
			it.undo = [2]int{at + ansi.StringWidth(separator), at + w}
		}
		at += w
		b.WriteString(p.style.Render(p.text))
	}
	return []string{pane.Clip(b.String(), width)}
}

// pieces is the whole line.
func (it *epochItem) pieces(l *look) []piece {
	s := l.styles
	text, begin, end := s.Epoch, "── ", " ──"
	if it.undone() || !it.compaction || it.small {
		text = s.Undone
	}
	if !it.compaction || it.small {
		begin, end = "· ", ""
	}
	turns, what := it.account()
	list := []piece{
		{begin, s.EpochFrame, keepFrame}, {l.clock(it.at) + " ", text, keepTime}, {it.word(), text, keepVerb},
		{turns, text, keepTurns}, {it.wanted(), text, keepSource}, {it.tokens(), text, keepTokens}, {what, s.Hint, keepWhat},
	}
	switch {
	case it.state.undoes == 0:
	case it.state.newest && l.undo != "":
		if l.view != "" {
			list = append(list, piece{separator + l.view + " view", s.Hint, keepView})
		}
		list = append(list, piece{separator + l.undo + " undo", s.Hint, keepKey})
	default:
		list = append(list, piece{separator + "/undo-compact " + strconv.FormatUint(it.state.undoes, 10), s.Hint, keepCommand})
	}
	return append(list, piece{end, s.EpochFrame, keepFrame})
}

// wide is how many cells pieces take.
func wide(pieces []piece) int {
	n := 0
	for _, p := range pieces {
		n += ansi.StringWidth(p.text)
	}
	return n
}

// turnsFirst is how the account of a compaction begins.
var turnsFirst = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(turns? \d+(?:–\d+)?), `) })

// account is which turns a line is about, and what was done with them.
func (it *epochItem) account() (turns, what string) {
	what = it.made.Why
	switch part := turnsFirst().FindStringSubmatch(what); {
	case it.state.turns > 0:
		what = numbers.Count(it.state.turns, "turn") + " undone"
		if it.state.edits {
			what += ", files were not changed back"
		}
	case !it.compaction || it.passes > 1:
		what = ""
	case part != nil:
		turns, what = " "+part[1], what[len(part[0]):]
	}
	if what != "" {
		what = separator + what
	}
	return turns, what
}

// word says what was done in a word, and that it was undone.
func (it *epochItem) word() string {
	switch {
	case it.undone():
		return it.verb + " (undone)"
	case it.state.gone > 0:
		return it.verb + " (partly undone)"
	}
	return it.verb
}

// tokens says how many tokens a request had before and after, "" if nobody knows;
// of several compactions, which lie apart, how many all of them saved.
func (it *epochItem) tokens() string {
	switch {
	case it.passes > 1 && it.saved > 0:
		return ": " + amount(float64(it.saved)) + " tokens less"
	case it.passes == 1 && it.made.Before > 0:
		return ": " + amount(float64(it.made.Before)) + " → " + amount(float64(max(0, it.made.After)))
	}
	return ""
}

// wanted is who wanted it or what set it off, "" if the user did.
func (it *epochItem) wanted() string {
	why, known := triggers[it.made.Trigger]
	switch {
	case it.made.Source == conversation.SourceTool:
		return ", asked for by the model"
	case !automatic(it.made.Source):
		return ""
	case it.passes > 1:
		return " before " + strconv.Itoa(it.passes) + " requests"
	case known:
		return why
	case it.made.Source == conversation.SourceRecovery:
		return " to recover from an overflow"
	}
	return " automatically"
}

// automatic reports whether neither the user nor the model asked for it.
func automatic(s conversation.Source) bool {
	return s == conversation.SourceAuto || s == conversation.SourceRecovery
}

// triggers says what set a compaction off that nobody asked for.
var triggers = map[string]string{
	planner.TriggerLoadLine:  " at the load line",
	planner.TriggerHardLine:  " at the hard line",
	planner.TriggerCold:      " with a cold cache",
	planner.TriggerStride:    " to save cost",
	planner.TriggerThreshold: " at the threshold",
	planner.TriggerRequest:   " before a request",
}

// released is what a click on a cell of the line does: it undoes the compaction, or leads to where it is looked at.
func (it *epochItem) released(x int) Released {
	if x >= it.undo[0] && x < it.undo[1] {
		return Released{Undo: it.state.undoes}
	}
	return Released{View: it.made.Epoch}
}

// attempted is the notice of a failed compaction.
func (l *look) attempted(e conversation.Event, b conversation.Attempt) *noticeItem {
	const most = 300 // cells: what servers say can be long
	n := &noticeItem{level: conversation.NoticeInfo, text: "compaction failed", why: b.Why}
	if b.Outcome == conversation.AttemptFailed {
		n.level = conversation.NoticeWarning
	}
	switch why := oneLine(b.Why, most); {
	case why == "":
	case b.Outcome == conversation.AttemptCancelled:
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
	case b.RetryTokens > 0:
		more = append(more, "nothing changed; tries again at "+pane.Tokens(b.RetryTokens))
	case automatic(b.Source) && b.Outcome == conversation.AttemptFailed && b.Tokens > 0:
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
