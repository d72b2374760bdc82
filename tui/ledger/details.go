package ledger

import (
	"strconv"
	"strings"

	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

// What an entry unfolds to: a name and a text each, wrapped, and only what is known.

// Cells of the details.
const (
	indent    = 4
	labels    = 14  // of the names
	mostProse = 100 // of a line of text

	leastLabels = 36 // of the width, below which the names have no column
)

// details are the lines below an entry. Told says that what it was is told already.
func details(k *inks, e row, width int, told bool) []string {
	var out []string
	add := func(label, text string) {
		if text == "" {
			return
		}
		if width < leastLabels {
			for _, l := range pane.Wrap(label+": "+text, width-indent) {
				out = append(out, pane.Clip(strings.Repeat(" ", indent)+k.text.Render(l), width))
			}
			return
		}
		room := min(width-indent-labels, mostProse)
		for _, l := range pane.Wrap(text, room) {
			line := strings.Repeat(" ", indent) + k.muted.Render(pane.Fit(label, labels)) + k.text.Render(l)
			out = append(out, pane.Clip(line, width))
			label = ""
		}
	}
	why := "why"
	if e.Kind == inspect.EntryEpoch || e.Kind == inspect.EntryRewind {
		why = "what"
	}
	if !told {
		add(why, safe(e.Why))
	}
	add("result", resultWords(e))
	add("requested by", who(e))
	add("rules", rules(e))
	add("request", request(e))
	add("summary", summary(e))
	add("recorded", recorded(e))
	return out
}

// resultWords say what a result means for an entry.
func resultWords(e row) string {
	switch {
	case e.Result == inspect.ResultStale:
		return "stale: the conversation had changed by the time it was ready"
	case e.Result == inspect.ResultUnused:
		return "unused: nothing was changed yet"
	case e.Result == inspect.ResultFailed:
		return "failed: nothing was changed"
	case e.Result == inspect.ResultCancelled:
		return "canceled: nothing was changed"
	case e.Result == inspect.ResultUndone && e.Kind == inspect.EntryEpoch:
		return "undone: what it hid is sent again"
	}
	return resultWord(e.Result)
}

// aside is the details of an entry at the right of the others: what it is, how full the window was before and after, on
// one scale, and all that is known.
func (s *entries) aside(e row, width int) []string {
	var out []string
	for _, l := range pane.Wrap(title(e), width) {
		out = append(out, s.inks.title.Render(l))
	}
	out = append(out, "")
	if e.Before > 0 && e.After > 0 {
		const name, tokens = 8, 8
		for _, b := range []struct {
			name   string
			tokens int
		}{{"before", e.Before}, {"after", e.After}} {
			bar := s.inks.bar.Length(projection.Summary, b.tokens, max(e.Before, e.After), max(1, width-name-tokens))
			out = append(out, s.inks.muted.Render(pane.Fit(b.name, name))+bar+s.inks.text.Render(right(pane.About(b.tokens), tokens)))
		}
		out = append(out, "")
	}
	for _, l := range details(&s.inks, e, width+indent, true) {
		out = append(out, strings.TrimPrefix(l, strings.Repeat(" ", indent)))
	}
	return out
}

// rules are those it was made by.
func rules(e row) string {
	var parts []string
	if e.Preset != "" {
		parts = append(parts, "preset "+safe(e.Preset))
	}
	if e.Profile != "" {
		parts = append(parts, "profile "+safe(e.Profile))
	}
	return strings.Join(parts, ", ")
}

// request is what it did to the size of a request.
func request(e row) string {
	switch text := tokens(e); {
	case text == "":
		return ""
	case e.Before > e.After && e.After > 0:
		return text + " tokens, " + pane.About(e.Before-e.After) + " less"
	default:
		return text + " tokens"
	}
}

// summary is who wrote one, and what that took.
func summary(e row) string {
	var parts []string
	if e.Model != "" {
		parts = append(parts, "by "+safe(e.Model))
	}
	if e.Prompt > 0 {
		parts = append(parts, pane.Tokens(e.Prompt)+" tokens read")
	}
	if e.Output > 0 {
		parts = append(parts, pane.Tokens(e.Output)+" written")
	}
	if c := cost(e.CostUSD); c != "" {
		parts = append(parts, c)
	}
	if d := took(e.Duration); d != "" {
		parts = append(parts, "in "+d)
	}
	return strings.Join(parts, ", ")
}

// recorded is where it stands in the log.
func recorded(e row) string {
	text := name(e.Event) + ", turn " + strconv.Itoa(e.Turn)
	if e.Overlays > 0 {
		text += ", " + numbers.Count(e.Overlays, "overlay")
	}
	return text
}
