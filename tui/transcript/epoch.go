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

// The line of an overlay shows when it was made, what it did, the tokens before and
// after, and how to undo it. It never wraps: on a narrow screen parts are left out in a
// fixed order, and the text of what was done gets the width that remains. Words, not only
// colours, say that an overlay was undone.

// epochItem is the line of a compaction, of the compactions before the requests of a turn, or of another overlay.
type epochItem struct {
	versioned
	at           time.Time
	made         conversation.Origin // of the first overlay
	verb         string
	isCompaction bool
	isQuiet      bool // drawn without emphasis
	filesBack    bool // of a rewind: files were brought back with it
	overlays     []overlay
	compactions  int // that the line covers
	saved        int // tokens, by all of them
	state        epochState

	undo [2]int // the first cell that undoes it when clicked, and the cell after the last; as last drawn
}

// overlay identifies an overlay that a line covers.
type overlay struct{ seq, epoch uint64 }

// epochState is what later events did to the overlays of a line.
type epochState struct {
	undone int    // how many of its overlays were undone
	undoes uint64 // epoch of its newest compaction in force, which undo reverts; 0 if all are undone
	newest bool   // undoes is the newest compaction in force of the conversation
	turns  int    // of a rewind: how many turns it removed
	edits  bool   // of a rewind: the removed turns edited files, which stay changed
}

func (it *epochItem) indent(int) int             { return 0 }
func (it *epochItem) source(*drawOptions) string { return "" }

// undone reports whether all its overlays were undone.
func (it *epochItem) undone() bool { return it.state.undone == len(it.overlays) }

// The order in which pieces of the line are left out on a narrow screen, the highest first.
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
	keepActions // never left out: it gets the width that the others leave
)

// piece is a styled part of the line.
type piece struct {
	text  string
	style lipgloss.Style
	order int
}

const (
	separator  = " · "
	minActions = 16 // cells for what was done
)

func (it *epochItem) draw(l *drawOptions, width int) []string {
	pieces := it.pieces(l)
	what := slices.IndexFunc(pieces, func(p piece) bool { return p.order == keepActions })
	words := pieces[what].text
	pieces[what].text = ""
	for last := keepCommand; last > keepVerb && piecesWidth(pieces) > width; last-- {
		pieces = slices.DeleteFunc(pieces, func(p piece) bool { return p.order == last })
	}
	it.undo = [2]int{}
	var b strings.Builder
	at, room := 0, width-piecesWidth(pieces)
	for _, p := range pieces {
		if p.order == keepActions && room >= minActions {
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

// pieces returns all parts of the line, from left to right.
func (it *epochItem) pieces(l *drawOptions) []piece {
	s := l.styles
	text, begin, end := s.Epoch, "── ", " ──"
	if it.undone() || !it.isCompaction || it.isQuiet {
		text = s.Undone
	}
	if !it.isCompaction || it.isQuiet {
		begin, end = "· ", ""
	}
	turns, what := it.describe()
	list := []piece{
		{begin, s.EpochFrame, keepFrame}, {l.clock(it.at) + " ", text, keepTime}, {it.verbAndState(), text, keepVerb},
		{turns, text, keepTurns}, {it.cause(), text, keepSource}, {it.tokens(), text, keepTokens}, {what, s.Hint, keepActions},
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

func piecesWidth(pieces []piece) int {
	n := 0
	for _, p := range pieces {
		n += ansi.StringWidth(p.text)
	}
	return n
}

// leadingTurns matches the turns at the beginning of the description of a compaction.
var leadingTurns = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(turns? \d+(?:–\d+)?), `) })

// describe returns which turns the overlays changed, and what they did to them.
func (it *epochItem) describe() (turns, what string) {
	what = it.made.Why
	switch part := leadingTurns().FindStringSubmatch(what); {
	case it.state.turns > 0:
		what = numbers.Count(it.state.turns, "turn") + " undone"
		if it.state.edits && !it.filesBack {
			what += ", files were not changed back"
		}
	case !it.isCompaction || it.compactions > 1:
		what = ""
	case part != nil:
		turns, what = " "+part[1], what[len(part[0]):]
	}
	if what != "" {
		what = separator + what
	}
	return turns, what
}

// verbAndState returns the verb of the line, and whether its overlays were undone.
func (it *epochItem) verbAndState() string {
	switch {
	case it.undone():
		return it.verb + " (undone)"
	case it.state.undone > 0:
		return it.verb + " (partly undone)"
	}
	return it.verb
}

// tokens returns how many tokens a request had before and after, or "" if that is unknown.
// For several compactions, which are not adjacent, it returns how many tokens they saved.
func (it *epochItem) tokens() string {
	switch {
	case it.compactions > 1 && it.saved > 0:
		return ": " + amount(float64(it.saved)) + " tokens less"
	case it.compactions == 1 && it.made.Before > 0:
		return ": " + amount(float64(it.made.Before)) + " → " + amount(float64(max(0, it.made.After)))
	}
	return ""
}

// cause returns who requested the compaction or what triggered it, or "" if the user requested it.
func (it *epochItem) cause() string {
	why, known := triggers[it.made.Trigger]
	switch {
	case it.made.Source == conversation.SourceTool:
		return ", asked for by the model"
	case !automatic(it.made.Source):
		return ""
	case it.compactions > 1:
		return " before " + strconv.Itoa(it.compactions) + " requests"
	case known:
		return why
	case it.made.Source == conversation.SourceRecovery:
		return " to recover from an overflow"
	}
	return " automatically"
}

// automatic reports whether the program, not the user or the model, caused a compaction.
func automatic(s conversation.Source) bool {
	return s == conversation.SourceAuto || s == conversation.SourceRecovery
}

// triggers maps the trigger of an automatic compaction to its text in the line.
var triggers = map[string]string{
	planner.TriggerLoadLine:  " at the load line",
	planner.TriggerHardLine:  " at the hard line",
	planner.TriggerCold:      " with a cold cache",
	planner.TriggerStride:    " to save cost",
	planner.TriggerThreshold: " at the threshold",
	planner.TriggerRequest:   " before a request",
}

// released returns the result of a click on a cell of the line: undo the compaction, or show it in the history.
func (it *epochItem) released(x int) Released {
	if x >= it.undo[0] && x < it.undo[1] {
		return Released{Undo: it.state.undoes}
	}
	return Released{View: it.made.Epoch}
}

func (l *drawOptions) failedCompaction(e conversation.Event, b conversation.Attempt) *noticeItem {
	const maxWidth = 300 // cells: error texts of servers can be long
	n := &noticeItem{level: conversation.NoticeInfo, text: "compaction failed", failure: b.Why}
	if b.Outcome == conversation.AttemptFailed {
		n.level = conversation.NoticeWarning
	}
	switch why := oneLine(b.Why, maxWidth); {
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

func (l *drawOptions) clock(t time.Time) string { return t.In(l.zone).Format("15:04") }

// Released is the result of a mouse press and release: at most one field is set.
type Released struct {
	Text string // the selected text, to copy
	Undo uint64 // the epoch of the compaction to undo
	View uint64 // the sequence number of the event to show in the history
	Task string // the ID of the call whose task to open
}
