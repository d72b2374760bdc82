package themes

import "charm.land/lipgloss/v2"

// Styles are all styles of a theme, by what they mean. They have no padding, margin, border or width. If two states differ
// by colour, they also differ by an attribute (bold, reverse, underline, faint) or by the glyph that the component draws,
// so that the theme without colours is readable.
type Styles struct {
	Text, Title    lipgloss.Style // the program's own text, and the same in bold: titles, names of keys
	Muted, Faint   lipgloss.Style // labels, values and details; hints, counts and times
	Rule, Dimmed   lipgloss.Style // lines and borders; what lies behind a dialog, the free part of the gauge
	Accent, Focus  lipgloss.Style // what runs or has the keys, and the same in bold
	UserMark, User lipgloss.Style // the mark of the user's messages, and their text
	Reasoning      lipgloss.Style
	Chip           lipgloss.Style // a folded paste or a mention

	Success, Warning, Error lipgloss.Style
	Missing                 lipgloss.Style // a mentioned path that is not a file
	Selection, Selected     lipgloss.Style // selected text, the selected item
	Match                   lipgloss.Style // a search match
	Band, Raised, Block     lipgloss.Style // backgrounds of user messages, dialogs and commands; empty without surfaces

	Diff  DiffStyles
	Gauge GaugeStyles
	State StateStyles
}

// StateStyles are for the badge of a message: what a compaction made of the original. The badge also names it.
type StateStyles struct{ Verbatim, Capped, Masked, Summarised, Dropped, Pinned lipgloss.Style }

// DiffStyles are for the lines of a diff, which also differ by + and -.
type DiffStyles struct {
	Added, Removed         lipgloss.Style // the signs + and -
	AddedRow, RemovedRow   lipgloss.Style // the lines, with a tinted background if the theme has surfaces
	AddedWord, RemovedWord lipgloss.Style // the changed part of a line
	Context, Number, Note  lipgloss.Style
}

// GaugeStyles are for the gauge and its legend, by category.
type GaugeStyles struct {
	System, Tools, Summary, User, Assistant, Reasoning lipgloss.Style
	Calls, Results, Stubs, Draft, Reserve              lipgloss.Style

	Load, Hard lipgloss.Style // above the load line, above the hard line
}

// painter makes the styles of one theme. An empty colour gives an empty style.
type painter struct{ Theme }

func (p painter) fg(colour string) lipgloss.Style {
	if colour == "" {
		return lipgloss.NewStyle()
	}
	return lipgloss.NewStyle().Foreground(lipgloss.Color(colour))
}

func (p painter) background(surface string) lipgloss.Style {
	if surface == "" {
		return lipgloss.NewStyle()
	}
	return lipgloss.NewStyle().Background(lipgloss.Color(surface))
}

// Build returns the styles of a theme. It never fails, and the same theme always gives the same styles.
func Build(t Theme) Styles {
	p, g, mono := painter{t}, t.Gauge, !t.HasColour()
	untinted := t.Text == "" // weights do what tints cannot, without colours and in the terminal's own
	text, muted, faint := p.fg(t.Text), p.fg(t.Muted).Faint(untinted), p.fg(t.Faint).Faint(untinted)
	selection := text.Background(lipgloss.Color(t.Selection))
	if untinted {
		selection = lipgloss.NewStyle().Reverse(true)
	}
	s := Styles{
		Text: text, Title: text.Bold(true), Muted: muted, Faint: faint,
		Rule: p.fg(t.Rule).Faint(untinted), Dimmed: p.fg(t.Rule).Faint(untinted),
		Accent: p.fg(t.Accent), Focus: p.fg(t.Accent).Bold(true),
		UserMark: p.fg(t.User).Bold(true), User: text.Bold(untinted),
		Reasoning: muted.Italic(true), Chip: p.fg(t.Inline).Bold(mono),

		Success: p.fg(t.Success), Warning: p.fg(t.Warning).Bold(mono), Error: p.fg(t.Danger).Bold(mono),
		Missing:   p.fg(t.Danger).Bold(true),
		Selection: selection, Selected: selection.Bold(true),
		Match: p.fg(t.Warning).Reverse(true).Bold(true).Underline(true), // readable in every theme, and without color on a selected row
		Band:  p.background(t.Band), Raised: p.background(t.Raised), Block: p.background(t.Surface),

		Diff: DiffStyles{Added: p.fg(t.Added), Removed: p.fg(t.Removed), Context: muted, Number: faint, Note: p.fg(t.Hunk)},
		Gauge: GaugeStyles{
			System: p.fg(g.System), Tools: p.fg(g.Tools), Summary: p.fg(g.Summary), User: p.fg(g.User),
			Assistant: p.fg(g.Assistant), Reasoning: p.fg(g.Reasoning), Calls: p.fg(g.Calls),
			Results: p.fg(g.Results), Stubs: p.fg(g.Stubs), Draft: p.fg(g.Draft), Reserve: p.fg(g.Reserve).Faint(untinted),
			Load: p.fg(t.Warning).Bold(true), Hard: p.fg(t.Danger).Bold(mono).Reverse(mono),
		},
		State: StateStyles{
			Verbatim: muted, Capped: p.fg(t.Warning), Masked: p.fg(t.Inline), Summarised: p.fg(g.Summary),
			Dropped: p.fg(t.Danger), Pinned: p.fg(t.Accent).Bold(true),
		},
	}
	s.Diff.AddedRow, s.Diff.AddedWord = p.changed(t.Added)
	s.Diff.RemovedRow, s.Diff.RemovedWord = p.changed(t.Removed)
	return s
}

// The strength of the tint, from 0 to 1, of added and removed lines and of the changed words in them.
const (
	tintRow  = 0.15
	tintWord = 0.36
)

// changed returns the styles of a changed line, and of a changed word in it.
func (p painter) changed(color string) (row, word lipgloss.Style) {
	if p.Surface == "" || p.Colors256 {
		row = p.fg(color)
		return row, row.Bold(true).Underline(true)
	}
	text := p.fg(p.Text)
	return text.Background(lipgloss.Color(mix(p.Background, color, tintRow))),
		text.Background(lipgloss.Color(mix(p.Background, color, tintWord)))
}
