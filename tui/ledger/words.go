package ledger

import (
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// row is an entry, and its identity.
type row struct{ *inspect.Entry }

func (r row) id() id { return id{r.Kind, r.Event} }

// id tells entries apart.
type id struct {
	kind  inspect.EntryKind
	event uint64
}

// glyph says of what kind an entry is.
func glyph(e row) string {
	switch e.Kind {
	case inspect.EntryEpoch:
		return "▸"
	case inspect.EntryAttempt:
		return "!"
	case inspect.EntryUndo, inspect.EntryRewind:
		return "↶"
	case inspect.EntryRedo, inspect.EntryRestore:
		return "↷"
	}
	return "·"
}

// resultWord is what became of an entry, in a word.
func resultWord(r inspect.EntryResult) string {
	if r == inspect.ResultInForce {
		return "active"
	}
	return safe(string(r))
}

// title is what an entry is, in words.
func title(e row) string {
	why := safe(e.Why)
	with := func(what, between string) string {
		switch {
		case why == "":
			return what
		case strings.HasPrefix(why, what+" "): // it says that itself
			return why
		}
		return what + between + why
	}
	switch e.Kind {
	case inspect.EntryEpoch:
		return with("compacted", " ")
	case inspect.EntryAttempt:
		return with("attempt", ": ")
	case inspect.EntryUndo:
		return "undo of " + name(e.About) + about(why)
	case inspect.EntryRedo:
		return "redo of " + name(e.About) + about(why)
	case inspect.EntryPin:
		return with("pinned", ": ")
	case inspect.EntryUnpin:
		return with("unpinned", ": ")
	case inspect.EntryRewind:
		return with("turns undone", ", ")
	case inspect.EntryRestore:
		return "turns redone that " + name(e.About) + " undid"
	}
	return with(safe(string(e.Kind)), ": ")
}

// about is what an undo or a redo is about: its reason is a verb, and then that.
func about(why string) string {
	if _, what, ok := strings.Cut(why, ": "); ok {
		return ": " + what
	}
	return ""
}

// name is an event as it is named everywhere.
func name(event uint64) string { return "e" + strconv.FormatUint(event, 10) }

// tokens are those of a request before and after, estimates both.
func tokens(e row) string {
	switch {
	case e.Before == 0 && e.After == 0:
		return ""
	case e.After == 0:
		return "at " + pane.About(e.Before)
	case e.Before == 0:
		return "→ " + pane.About(e.After)
	}
	return pane.About(e.Before) + " → " + pane.About(e.After)
}

func cost(usd *float64) string {
	if usd == nil {
		return ""
	}
	return pane.Dollars(*usd)
}

// took is a duration in words, "" for none.
func took(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < 100*time.Millisecond:
		return "<0.1s"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	case d < 10*time.Minute:
		return d.Round(time.Second).String()
	}
	return strconv.Itoa(int(d.Minutes())) + "m"
}

// who says who wanted it, and what set it off.
func who(e row) string {
	trigger := safe(e.Trigger)
	by := ""
	switch e.Source {
	case conversation.SourceManual:
		return "you"
	case conversation.SourceAuto:
		by = "automatic"
	case conversation.SourceTool:
		return "the model"
	case conversation.SourceRecovery:
		by = "after a refusal"
	default:
		by = safe(string(e.Source))
	}
	switch {
	case trigger == "":
		return by
	case by == "":
		return trigger
	}
	return by + ", " + trigger
}

// right puts a text at the right of so many cells.
func right(text string, cells int) string {
	return strings.Repeat(" ", max(0, cells-ansi.StringWidth(text))) + text
}

// longest is how much of a text is looked at, in bytes.
const longest = 4000

// safe makes a text from elsewhere one line that can be drawn.
func safe(text string) string { return plain.Line(text[:min(len(text), longest)]) }
