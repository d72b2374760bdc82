package ledger

import (
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

// The foot: totals that are true. What several compactions saved does not add up, as
// each began where the one before had ended: the newest in force stands for them.

// leastEntries is how many lines the totals leave to the entries. The keys, which
// are asked for, leave two.
const leastEntries = 4

// place divides the body between the entries and the foot.
func (m *Model) place(f pane.Frame) (entries int, foot []string) {
	entries = f.Body(m.height)
	lines := m.foot()
	room := entries - leastEntries - 1
	if m.helps {
		room = entries - 3
	}
	if len(lines) == 0 || room < 1 {
		return entries, nil
	}
	lines = lines[:min(len(lines), room)]
	foot = append(foot, m.inks.rule.Render(strings.Repeat("─", m.width)))
	for _, l := range lines {
		foot = append(foot, pane.Clip("  "+l, m.width))
	}
	return entries - len(foot), foot
}

// foot is the keys where they are asked for, otherwise the totals.
func (m *Model) foot() []string {
	if m.helps {
		return m.help()
	}
	if len(m.content.Entries) == 0 {
		return nil
	}
	if m.totals == nil {
		m.totals = totals(m.content.Entries)
	}
	var lines []string
	if m.height < roomy {
		lines = []string{m.oneLine(m.totals, m.width-4)}
	} else {
		lines = pane.Wrap(strings.Join(m.totals, between), m.width-4)
	}
	for i, l := range lines {
		lines[i] = m.inks.text.Render(l)
	}
	return lines
}

// between stands between parts of a line.
const between = " · "

// oneLine is as many parts as have room on a line.
func (m *Model) oneLine(parts []string, width int) string {
	line := parts[0]
	for _, p := range parts[1:] {
		if ansi.StringWidth(line)+ansi.StringWidth(between+p) <= width {
			line += between + p
		}
	}
	return line
}

// totals is what is true of all entries, the most important first.
func totals(entries []compact.Entry) []string {
	made, force, failed, asked, unknown := 0, 0, 0, 0, 0
	spent := 0.0
	var newest *compact.Entry
	for i := range entries {
		e := &entries[i]
		switch {
		case e.Kind == compact.EntryAttempt:
			failed++
		case e.Kind == compact.EntryEpoch:
			made++
			if e.Result == compact.ResultInForce {
				force++
				newest = e
			}
		}
		switch {
		case e.CostUSD != nil:
			asked++
			spent += *e.CostUSD
		case e.Prompt > 0 || e.Model != "":
			asked++
			unknown++
		}
	}
	parts := []string{numbers.Count(made, "compaction") + ", " + strconv.Itoa(force) + " in force"}
	if failed > 0 {
		parts = append(parts, numbers.Count(failed, "attempt")+" came to nothing")
	}
	if asked > 0 {
		parts = append(parts, paid(spent, asked, unknown)+" for summaries")
	}
	if newest != nil && newest.Before > 0 && newest.After > 0 {
		parts = append(parts, "the newest in force took a request from "+pane.About(newest.Before)+" to "+pane.About(newest.After)+" tokens")
	}
	return parts
}

// paid is what summaries cost, of which some may have cost nobody knows what.
func paid(usd float64, asked, unknown int) string {
	switch {
	case unknown == asked:
		return "unknown cost"
	case unknown > 0:
		return "at least " + pane.Dollars(usd)
	}
	return pane.Dollars(usd)
}

// help is all keys of the view.
func (m *Model) help() []string {
	k := m.keys.Moves
	bindings := append(m.keys.Bindings(), k.Up, k.Down, k.PageUp, k.PageDown, k.HalfUp, k.HalfDown, k.Top, k.End)
	return m.keyLines(bindings, m.width-4)
}

// keyLines are keys and what they do, as many on a line as fit.
func (m *Model) keyLines(bindings []key.Binding, width int) []string {
	var out []string
	used := 0
	for _, b := range bindings {
		if !b.Enabled() {
			continue
		}
		h := b.Help()
		cells := ansi.StringWidth(h.Key) + 1 + ansi.StringWidth(h.Desc)
		piece := m.inks.key.Render(h.Key) + " " + m.inks.muted.Render(h.Desc)
		if used > 0 && used+ansi.StringWidth(between)+cells <= width {
			out[len(out)-1] += m.inks.muted.Render(between) + piece
			used += ansi.StringWidth(between) + cells
			continue
		}
		out = append(out, piece)
		used = cells
	}
	return out
}

// empty is what is said where there is nothing yet.
func (m *Model) empty() []string {
	var out []string
	for i, text := range []string{
		"Nothing was compacted yet.",
		"Every compaction will be listed here: when and why it was made, how many tokens it saved, what it cost, and the key that takes it back. Attempts that came to nothing, pins and turns taken back are listed too.",
		"/compact makes room now; by itself that happens at the load line.",
	} {
		if i > 0 {
			out = append(out, "")
		}
		for _, l := range pane.Wrap(text, min(m.width-4, mostProse)) {
			ink := m.inks.muted
			if i == 0 {
				ink = m.inks.text
			}
			out = append(out, "  "+ink.Render(l))
		}
	}
	return out
}
