package ledger

import (
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/inspect"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

// The foot: totals that are true. What several compactions saved does not add up, as
// each began where the one before had ended: the newest in force stands for them.

// leastEntries is how many lines the totals leave to the entries. The keys, which
// are asked for, leave two.
const leastEntries = 4

// foot is the panel below the entries: the keys where they are asked for, otherwise the totals.
func (m *Model) foot(f pane.Frame) []string {
	var lines []string
	room := m.sheet.Room(f, leastEntries)
	switch {
	case m.helps:
		lines, room = m.help(), m.sheet.Room(f, 2)
	case m.entries.Len() == 0:
		return nil
	default:
		if m.totals == nil {
			m.totals = append(totals(m.entries.content.Entries), cached(m.entries.content.Cache)...)
		}
		text := oneLine(m.totals, m.width-4)
		if m.entries.roomy {
			text = strings.Join(m.totals, between)
		}
		for _, l := range pane.Wrap(text, m.width-4) {
			lines = append(lines, m.entries.inks.text.Render(l))
		}
	}
	if room < 1 {
		return nil
	}
	panel := []string{pane.Margin(m.width) + m.entries.inks.rule.Render(strings.Repeat("─", pane.Within(m.width)))}
	for _, l := range lines[:min(len(lines), room)] {
		panel = append(panel, pane.Clip(pane.Margin(m.width)+l, m.width))
	}
	return panel
}

// between stands between parts of a line.
const between = " · "

// oneLine is as many parts as have room on a line.
func oneLine(parts []string, width int) string {
	line := parts[0]
	for _, p := range parts[1:] {
		if ansi.StringWidth(line)+ansi.StringWidth(between+p) <= width {
			line += between + p
		}
	}
	return line
}

// totals is what is true of all entries, the most important first.
func totals(entries []inspect.Entry) []string {
	made, force, failed, asked, unknown := 0, 0, 0, 0, 0
	spent := 0.0
	var newest *inspect.Entry
	for i := range entries {
		e := &entries[i]
		switch {
		case e.Kind == inspect.EntryAttempt && e.Result != inspect.ResultUnused:
			failed++
		case e.Kind == inspect.EntryEpoch:
			made++
			if e.Result == inspect.ResultInForce {
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
	parts := []string{numbers.Count(made, "compaction") + ", " + strconv.Itoa(force) + " active"}
	if failed > 0 {
		parts = append(parts, numbers.Count(failed, "failed attempt"))
	}
	if asked > 0 {
		parts = append(parts, paid(spent, asked, unknown)+" for summaries")
	}
	if newest != nil && newest.Before > 0 && newest.After > 0 {
		parts = append(parts, "the newest active one took a request from "+pane.About(newest.Before)+" to "+pane.About(newest.After)+" tokens")
	}
	return parts
}

// cached is what the provider's cache was good for, nothing where it was not used.
func cached(use inspect.CacheUse) []string {
	if use.Read+use.Written == 0 {
		return nil
	}
	text := "cache: " + pane.Tokens(use.Read) + " tokens read, " + pane.Tokens(use.Written) + " written"
	if use.Expired > 0 {
		text += ", " + pane.Tokens(use.Expired) + " expired"
	}
	return []string{text}
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
	return m.entries.inks.keyLines(bindings, m.width-4)
}

// keyLines are keys and what they do, as many on a line as fit.
func (k *inks) keyLines(bindings []key.Binding, width int) []string {
	var out []string
	used := 0
	for _, b := range bindings {
		if !b.Enabled() {
			continue
		}
		h := b.Help()
		cells := ansi.StringWidth(h.Key) + 1 + ansi.StringWidth(h.Desc)
		piece := k.key.Render(h.Key) + " " + k.muted.Render(h.Desc)
		if used > 0 && used+ansi.StringWidth(between)+cells <= width {
			out[len(out)-1] += k.muted.Render(between) + piece
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
		"No compactions yet.",
		"Every compaction is listed here: when and why it ran, how many tokens it saved, what it cost, and the key that undoes it. Failed attempts, pins and undone turns are listed too.",
		"/compact compacts now; at the load line it happens automatically.",
	} {
		if i > 0 {
			out = append(out, "")
		}
		for _, l := range pane.Wrap(text, min(m.width-4, mostProse)) {
			ink := m.entries.inks.muted
			if i == 0 {
				ink = m.entries.inks.text
			}
			out = append(out, "  "+ink.Render(l))
		}
	}
	return out
}
