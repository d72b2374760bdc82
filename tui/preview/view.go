package preview

import (
	"cmp"
	"fmt"
	"strconv"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// The gauges are above the rule and do not scroll. The parts below the rule scroll; each has
// its name at the left, on a narrow screen above it.

const (
	labelWidth  = 9  // cells of the name of a part
	leastWide   = 48 // width from which the names are at the left
	roomy       = 24 // height from which a blank line is between parts of different kinds
	calculating = "calculating…"

	// NoGain is the error of a request that would save nothing.
	NoGain = "nothing to compact here; try another range or profile"
)

// View draws the view.
func (m *Model) View() string { return m.list.View(pane.StylesOf(m.styles), m.paneContent()) }

func (m *Model) paneContent() pane.Content {
	k := m.keys
	keys := pane.ListDetailKeys{Moves: k.Moves, Help: k.Help, Close: k.Close, Listed: []any{k, k.Moves}}
	return pane.Content{Frame: m.frame(), Keys: keys, Body: m.body()}
}

// frame is the title, the gauges and the keys.
func (m *Model) frame() pane.Frame {
	keys, accept := m.keys, ""
	if m.content.Err == "" {
		accept = pane.Hint("compact", keys.Accept)
	}
	f := pane.Frame{Title: "Compact", Detail: plain.Line(m.content.Model), Lines: m.gauges(), Hints: []string{
		accept, pane.Hint("close", keys.Close), pane.Hint("profile", keys.PreviousProfile, keys.NextProfile),
		pane.Hint("end", keys.EndEarlier, keys.EndLater), pane.Hint("help", keys.Help),
		pane.Hint("start", keys.StartEarlier, keys.StartLater),
	}}
	if m.summarises() {
		f.Hints = append(f.Hints, pane.Hint("review", keys.Review))
	}
	return f
}

// gauges are the gauges before and after, and how many tokens are saved.
func (m *Model) gauges() []string {
	const label = 5
	s, c, width := m.styles, m.content, max(pane.Within(m.list.Width)-label, 1)
	line := func(name, gauge string) string { return s.Muted.Render(pane.Fit(name, label)) + gauge }
	c.Then.CachedShare = -1 // the compaction breaks the cached prefix, and the next share is not reported yet
	now, then := m.drawGauges(c.Now, c.Then, width)
	switch {
	case c.Err != "" && !c.Busy:
		return []string{line("now", now)}
	case c.Err != "": // the old request had no numbers
		return []string{line("now", now), line("then", s.Muted.Render(calculating))}
	}
	p, style := c.Preview, m.styles.Diff.Added
	text := pane.About(p.Before) + " → " + pane.About(p.After) + " tokens"
	switch saved := p.Before - p.After; {
	case saved > 0:
		text += " · " + pane.About(saved) + " saved, " + pane.Percent(saved, p.Before)
	case saved < 0:
		text += " · " + pane.About(-saved) + " more"
	default:
		text += " · nothing saved"
	}
	if c.Busy {
		text, style = "before the change: "+text, s.Muted
	}
	saved := " " + style.Render(pane.Clip(text, width-1)) // below the inside of the bars
	return []string{line("now", now), line("then", then), line("", saved)}
}

// body is the page below the gauges, none of its lines wider than the view. If the request is not possible, it has the reason
// in place of the numbers.
func (m *Model) body() []string {
	s, c := m.styles, m.content
	var out []string
	fill := 0 // least cells of a line: the chosen profile is highlighted over the whole width
	part := func(name string, style lipgloss.Style, lines ...string) {
		for _, text := range lines {
			for _, l := range pane.Wrap(text, m.room()) {
				l = pane.Fit(l, max(fill, ansi.StringWidth(l)))
				if m.list.Width < leastWide && name != "" {
					out, name = append(out, pane.Margin(m.list.Width)+s.Muted.Render(name)), ""
				}
				lead := " "
				if m.list.Width >= leastWide {
					lead = pane.Fit(name, labelWidth)
				}
				out, name = append(out, pane.Margin(m.list.Width)+s.Muted.Render(lead)+style.Render(l)), ""
			}
		}
	}
	gap := func() {
		if m.list.Height >= roomy {
			out = append(out, "")
		}
	}
	text, warning := s.Text, s.Warning
	if c.Busy { // the numbers are of an earlier request
		text, warning = s.Muted, s.Muted
	}
	from, to := m.bounds()
	if c.Err != "" && !c.Busy && c.Err != NoGain && (to >= from || c.Turns == 0) { // else the range says why
		part("Why not", s.Error, plain.Line(c.Err))
	}
	part("Range", s.Text, m.rangeWords())
	gap()
	profiles, chosen := m.profiles()
	name := "Profile"
	for i, text := range profiles {
		style := s.Muted
		if i == chosen {
			style, fill = s.Selected, m.room()
		}
		part(name, style, text)
		name, fill = "", 0
	}
	gap()
	if c.Err == NoGain || c.Err == "" && len(c.Preview.Layers) == 0 {
		part("Effect", warning, NoGain)
	}
	if c.Err == "" {
		part("Effect", text, m.layers()...)
		part("Cache", text, m.cacheWords())
		part("Cost", text, m.costWords())
		if need := c.Preview.Summary; need != nil {
			part("Summary", text, m.summaryWords(*need))
		}
	}
	gap()
	if m.summarises() {
		focus, review := cmp.Or(plain.Line(c.Request.Focus), "none"), "off: the summary is applied at once"
		if c.Request.Review {
			review = "on: you read and edit it, then apply it"
		}
		part("Focus", s.Text, focus)
		part("Review", s.Text, review)
	}
	return out
}

// room is the width of the lines of a part, in cells.
func (m *Model) room() int {
	if m.list.Width < leastWide {
		return max(pane.Within(m.list.Width)-1, 1)
	}
	return pane.Within(m.list.Width) - labelWidth
}

// rangeWords says which turns are compacted.
func (m *Model) rangeWords() string {
	c := m.content
	if c.Turns <= 0 {
		return "no messages yet"
	}
	from, to := m.bounds()
	widened := false
	if r := c.Preview.Range; !c.Busy && c.Err == "" {
		widened = !m.evicts() && (r.From != from || r.To != to)
		from, to = r.From, r.To
	}
	text := pane.Turns(from, to)
	switch last := c.Turns - 1; {
	case to < from:
		text = "nothing is older than the " + numbers.Count(last-to, "newest turn") + ", which stay as they are; " + m.keys.EndLater.Help().Key + " takes in the oldest"
	case to == last-1:
		text += "; the newest stays as it is"
	case to < last:
		text += "; the newest " + strconv.Itoa(last-to) + " stay as they are"
	default:
		text += ", up to the newest"
	}
	if widened {
		text += "; widened to include all of an earlier summary"
	}
	return text
}

// profiles lists the profiles, and what is used instead of one of them; chosen is the index of the one in use.
func (m *Model) profiles() (out []string, chosen int) {
	now := m.profile()
	chosen = len(m.content.Profiles)
	for i, p := range m.content.Profiles {
		mark := "  "
		if p.Name == now && !m.evicts() {
			mark, chosen = "› ", i
		}
		out = append(out, pane.Clip(mark+pane.Fit(plain.Line(p.Name), 10)+" "+plain.Line(p.Note), m.room()))
	}
	if chosen == len(out) {
		other := plain.Line(now)
		if m.evicts() {
			other = "none: the older turns are replaced, as they are automatically"
		}
		out = append(out, pane.Clip("› "+other, m.room()))
	}
	return out, chosen
}

// layerWords say what a layer of a compaction does, by kind.
var layerWords = map[string]string{
	"results": "results shortened", "arguments": "arguments left out", "reasoning": "reasoning left out", "calls": "calls left out",
	"summary": "messages summarized", "note": "messages replaced", "dropped": "messages dropped",
}

// layers says what each layer saves, in the order in which they apply.
func (m *Model) layers() []string {
	var out []string
	before := m.content.Preview.Before
	for _, l := range m.content.Preview.Layers {
		words, after, amount := cmp.Or(layerWords[l.Kind], plain.Line(l.Kind)), before-l.Saved, pane.About(l.Saved)+" saved"
		if l.Saved < 0 {
			amount = pane.About(-l.Saved) + " more"
		}
		line := fmt.Sprintf("%-18s %4d  %12s", words, l.Events, amount)
		if steps := fmt.Sprintf("  %6s → %s", pane.About(before), pane.About(after)); ansi.StringWidth(line+steps) <= m.room() {
			line += steps
		}
		out, before = append(out, pane.Clip(line, m.room())), after
	}
	return out
}

// costWords says how much more the next request costs, and when that pays off.
func (m *Model) costWords() string {
	c := m.content
	if c.CostNow == nil {
		return "unknown: " + plain.Line(c.Model) + " has no known prices"
	}
	text := "the next request costs " + pane.Dollars(*c.CostNow) + " more"
	if *c.CostNow < 0 {
		text = "the next request costs " + pane.Dollars(-*c.CostNow) + " less"
	}
	switch {
	case c.PaysAfter == nil:
		text += " · never pays off"
	case *c.PaysAfter == 0:
		text += " · pays off at once"
	default:
		text += " · pays off after " + numbers.Count(*c.PaysAfter, "request")
	}
	if c.Preview.Summary != nil {
		text += " (without the cost of writing the summary)"
	}
	return text
}

// summaryWords says which model writes the summary, from what, and how many tokens that takes.
func (m *Model) summaryWords(need edit.SummaryNeed) string {
	model, reads := cmp.Or(need.Model, m.content.Model), "the originals"
	switch need.Input {
	case preset.InputView:
		reads = "the conversation as sent, from the cache"
	case preset.InputMerged:
		reads = "the previous summary and what came after it"
	}
	return fmt.Sprintf("written by %s: %s tokens in, at most %s out; reads %s",
		plain.Line(model), pane.About(need.Covers), pane.About(need.Estimate), reads)
}

// cacheWords says from where on the provider's cached prefix becomes invalid.
func (m *Model) cacheWords() string {
	c := m.content
	if c.Preview.BreakAt == 0 {
		return "the cache stays valid"
	}
	return fmt.Sprintf("cache rebuilt from turn %s on: %s tokens are sent once at full price",
		pane.Turn(c.BreakTurn), pane.About(c.Preview.Rewritten))
}
