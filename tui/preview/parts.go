package preview

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// parts is what stands below the gauges, from what is chosen to what it does. Where
// nothing can be done the reason stands in place of the numbers.
func (m *Model) parts() []part {
	c := m.content
	parts := []part{{"Range", m.rangeLines()}, {"Profile", m.profileLines()}}
	if c.Err != "" && !c.Busy {
		parts = append([]part{{"Why not", m.refusal()}}, parts...)
	} else if c.Err == "" {
		parts = append(parts, part{"Effect", m.layerLines()}, part{"Cache", m.cacheLines()}, part{"Cost", m.costLines()})
		if c.Preview.Summary != nil {
			parts = append(parts, part{"Summary", m.summaryLines(*c.Preview.Summary)})
		}
	}
	if m.summarises() {
		parts = append(parts, part{"Focus", m.focusLines()}, part{"Review", m.reviewLines()})
	}
	return parts
}

// refusal says why nothing can be done, and what could be changed.
func (m *Model) refusal() []string {
	s, keys := m.o.Styles.Pane, m.o.Keys
	lines := m.say(s.Error, plain.Line(m.content.Err))
	var ways []string
	for _, way := range []string{
		pane.Hint("move the end of the range", keys.EndEarlier, keys.EndLater), pane.Hint("its start", keys.StartEarlier, keys.StartLater),
		pane.Hint("go back to the default range", keys.Default), pane.Hint("choose another profile", keys.PreviousProfile, keys.NextProfile),
	} {
		if way != "" {
			ways = append(ways, strings.ReplaceAll(way, "\u00a0", " "))
		}
	}
	return append(lines, m.say(s.Text, strings.Join(ways, ", ")+".")...)
}

// rangeLines is which turns are compacted, in words and on a ruler.
func (m *Model) rangeLines() []string {
	s, c := m.o.Styles.Pane, m.content
	if c.Turns == 0 {
		return m.say(s.Muted, "no messages yet")
	}
	from, to := m.bounds()
	grown := false
	if r := c.Preview.Range; !c.Busy && c.Err == "" {
		grown = !m.evicts() && (r.From != from || r.To != to)
		from, to = r.From, r.To
	}
	text := "none of " + edit.Range{From: 0, To: c.Turns - 1}.String()
	switch last := c.Turns - 1; {
	case to < from:
	case to < last:
		text = edit.Range{From: from, To: to}.String() + "; the newest " + strconv.Itoa(last-to) + " stay as they are"
		if last-to == 1 {
			text = edit.Range{From: from, To: to}.String() + "; the newest stays as it is"
		}
	default:
		text = edit.Range{From: from, To: to}.String() + ", up to the newest"
	}
	if grown {
		text += "; widened to include all of an earlier summary"
	}
	return append(m.say(s.Text, text), m.ruler(from, to))
}

// longestRuler is how many cells a ruler has at most.
const longestRuler = 72

// ruler draws the turns as a line with the chosen ones filled.
func (m *Model) ruler(from, to int) string {
	s, turns := m.o.Styles, m.content.Turns
	before, after := "0 ▕", "▏ "+strconv.Itoa(turns-1)
	n := min(m.room()-ansi.StringWidth(before)-ansi.StringWidth(after), longestRuler)
	if n < 1 {
		return pane.Clip(before+after, m.room())
	}
	var b strings.Builder
	for i := range n {
		first := i * turns / n
		last := max(first, (i+1)*turns/n-1)
		if first <= to && last >= from {
			b.WriteString(s.Chosen.Render("█"))
		} else {
			b.WriteString(s.Kept.Render("░"))
		}
	}
	return s.Pane.Muted.Render(before) + b.String() + s.Pane.Muted.Render(after)
}

// profileLines lists the profiles, with a mark at the one that is chosen.
func (m *Model) profileLines() []string {
	s, now, other := m.o.Styles.Pane, m.profile(), plain.Line(m.profile())
	if m.evicts() {
		now, other = "", "none: the older messages are evicted behind a note, as they are automatically"
	}
	names := 0
	for _, p := range m.content.Profiles {
		names = max(names, ansi.StringWidth(plain.Line(p.Name)))
	}
	names = min(names, max(m.room()/3, 1))
	var out []string
	known := false
	for _, p := range m.content.Profiles {
		line := pane.Fit(plain.Line(p.Name), names) + "  "
		if p.Name == now { // the whole row is marked
			known = true
			out = append(out, s.Selected.Render(pane.Fit("› "+line+plain.Line(p.Note), m.room())))
			continue
		}
		out = append(out, pane.Clip("  "+s.Text.Render(line)+s.Muted.Render(plain.Line(p.Note)), m.room()))
	}
	if !known {
		out = append(out, s.Selected.Render(pane.Fit("› "+other, m.room())))
	}
	return out
}

// layerWords says what a layer of a pass does; others have their kind.
func layerWords(kind string) string {
	switch kind {
	case "results":
		return "results masked"
	case "arguments":
		return "arguments stripped"
	case "reasoning":
		return "reasoning stripped"
	case "calls":
		return "calls left out"
	case "summary":
		return "messages summarized"
	case "note":
		return "messages evicted"
	case "dropped":
		return "messages dropped"
	}
	return plain.Line(kind)
}

// layerLines is what each layer does, one after the other.
func (m *Model) layerLines() []string {
	p := m.content.Preview
	if len(p.Layers) == 0 {
		return m.say(m.style().Warning, "nothing to compact here; try another range or profile")
	}
	var out []string
	before := p.Before
	for _, l := range p.Layers {
		after := before - l.Saved
		amount, saved := pane.About(l.Saved), "saved"
		if l.Saved < 0 {
			amount, saved = pane.About(-l.Saved), "more"
		}
		line := fmt.Sprintf("%-18s %4d", layerWords(l.Kind), l.Events)
		steps := fmt.Sprintf("%6s → %-6s", pane.About(before), pane.About(after))
		if m.room() < ansi.StringWidth(line+steps)+20 {
			steps = ""
		}
		line = strings.TrimRight(line+"  "+fmt.Sprintf("%6s %-6s", amount, saved)+"  "+steps, " ")
		out = append(out, m.style().Text.Render(pane.Clip(line, m.room())))
		before = after
	}
	return out
}

// style is the frame's looks, muted while the numbers are old ones.
func (m *Model) style() pane.Styles {
	s := m.o.Styles.Pane
	if m.content.Busy {
		s.Text, s.Warning = s.Muted, s.Muted
	}
	return s
}

// cacheLines says where the prefix breaks that the provider has cached.
func (m *Model) cacheLines() []string {
	c := m.content
	if c.Preview.BreakAt == 0 {
		return m.say(m.style().Text, "the cache stays valid")
	}
	return m.say(m.style().Text, fmt.Sprintf("cache invalidated from turn %d, message e%d: %s tokens after it are sent once at full price",
		c.BreakTurn, c.Preview.BreakAt, pane.About(c.Preview.Behind)))
}

// costLines says what the next request costs more, and when that is earned back.
func (m *Model) costLines() []string {
	c := m.content
	if c.CostNow == nil {
		return m.say(m.style().Text, "unknown: "+plain.Line(c.Model)+" has no known prices")
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
	case *c.PaysAfter == 1:
		text += " · pays off after 1 request"
	default:
		text += " · pays off after " + strconv.Itoa(*c.PaysAfter) + " requests"
	}
	if c.Preview.Summary != nil {
		text += " (without the cost of writing the summary)"
	}
	return m.say(m.style().Text, text)
}

// summaryLines says which summary has to be written.
func (m *Model) summaryLines(need edit.SummaryNeed) []string {
	model := need.Model
	if model == "" {
		model = m.content.Model
	}
	reads := "the originals"
	switch need.Input {
	case preset.InputView:
		reads = "the conversation as sent, from the cache"
	case preset.InputMerged:
		reads = "the previous summary and what came after it"
	}
	return m.say(m.style().Text, fmt.Sprintf("written by %s: %s tokens in, at most %s out; reads %s",
		plain.Line(model), pane.About(need.Covers), pane.About(need.Estimate), reads))
}

// focusLines is what the summary should preserve.
func (m *Model) focusLines() []string {
	s := m.o.Styles.Pane
	if focus := plain.Line(m.content.Request.Focus); focus != "" {
		return m.say(s.Text, focus)
	}
	return m.say(s.Muted, "none"+m.by("; %s to set it", m.o.Keys.Focus))
}

// reviewLines says whether the user reads the summary first.
func (m *Model) reviewLines() []string {
	s, keys := m.o.Styles.Pane, m.o.Keys
	if m.content.Request.Review {
		return m.say(s.Text, "on: you read and edit it, then apply it"+m.by("; %s to turn this off", keys.Review))
	}
	return m.say(s.Muted, "off: the summary is applied at once"+m.by("; %s to review and edit it first", keys.Review))
}
