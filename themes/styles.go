package themes

import "charm.land/lipgloss/v2"

// Styles have no padding, margin, border or width. If two states differ by colour, they also differ by an attribute (bold,
// reverse, underline, faint) or by the glyph that the component draws, so that the theme without colours is readable.

// Styles are all styles of a theme, by the part of the screen.
type Styles struct {
	Frame    FrameStyles
	Text     TextStyles
	Tool     ToolStyles
	Diff     DiffStyles
	Composer ComposerStyles
	Dialog   DialogStyles
	Gauge    GaugeStyles
	State    StateStyles
	Match    lipgloss.Style // a search match
}

// StateStyles are for the badge of a message: what a compaction made of the original. The badge also names it.
type StateStyles struct{ Verbatim, Capped, Masked, Summarised, Dropped, Pinned lipgloss.Style }

// FrameStyles are for the lines around the transcript.
type FrameStyles struct {
	Header   lipgloss.Style // program and title
	Detail   lipgloss.Style // model and working directory
	Rule     lipgloss.Style
	Status   lipgloss.Style // the status line
	Snackbar lipgloss.Style
	HelpKey  lipgloss.Style
}

// TextStyles are for the transcript.
type TextStyles struct {
	UserMark  lipgloss.Style
	User      lipgloss.Style
	Band      lipgloss.Style // background of the user's messages; empty without surfaces
	Faint     lipgloss.Style // hints, counts, times
	Assistant lipgloss.Style
	Reasoning lipgloss.Style
	Notice    lipgloss.Style
	Warning   lipgloss.Style
	Error     lipgloss.Style
	Muted     lipgloss.Style
	Selection lipgloss.Style
}

// ToolStyles are for the line of a tool call.
type ToolStyles struct {
	OK      lipgloss.Style
	Error   lipgloss.Style
	Running lipgloss.Style
	Name    lipgloss.Style
	Subject lipgloss.Style // the file, command or query of the call
	Weight  lipgloss.Style // how many tokens the result takes
	Output  lipgloss.Style
	Hint    lipgloss.Style
	Block   lipgloss.Style // the background of a command and its output
}

// DiffStyles are for the lines of a diff, which also differ by + and -.
type DiffStyles struct {
	Added, Removed         lipgloss.Style // the signs + and -
	AddedRow, RemovedRow   lipgloss.Style // the lines, with a tinted background if the theme has surfaces
	AddedWord, RemovedWord lipgloss.Style // the changed part of a line
	Context, Number, Note  lipgloss.Style
}

// ComposerStyles are for the input area.
type ComposerStyles struct {
	Border      lipgloss.Style
	Shell       lipgloss.Style // border of a line that runs a command
	Text        lipgloss.Style
	Placeholder lipgloss.Style
	Chip        lipgloss.Style // a folded paste or a mention
}

// DialogStyles are for dialogs, lists and completions.
type DialogStyles struct {
	Border   lipgloss.Style
	Title    lipgloss.Style
	Text     lipgloss.Style
	Item     lipgloss.Style
	Selected lipgloss.Style
	Detail   lipgloss.Style
	Raised   lipgloss.Style // background of a dialog; empty without surfaces
	Behind   lipgloss.Style // the rest of the screen while a dialog is open
}

// GaugeStyles are for the gauge and its legend, by category.
type GaugeStyles struct {
	System, Tools, Summary, User, Assistant, Reasoning lipgloss.Style
	Calls, Results, Stubs, Draft, Reserve, Free        lipgloss.Style

	Warning lipgloss.Style // above the load line
	Danger  lipgloss.Style // above the hard line
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

// faint is for hints, counts and times.
func (p painter) faint() lipgloss.Style { return p.fg(p.Theme.Faint).Faint(!p.HasColour()) }

// quiet is for secondary text: muted, or faint in a theme without colours.
func (p painter) quiet() lipgloss.Style {
	return p.fg(p.Muted).Faint(!p.HasColour())
}

// selected is for the selected item: another background, or reversed in a theme without colours.
func (p painter) selected() lipgloss.Style {
	if !p.HasColour() {
		return lipgloss.NewStyle().Reverse(true)
	}
	return p.fg(p.Text).Background(lipgloss.Color(p.Selection))
}

// Build returns the styles of a theme. It never fails, and the same theme always gives the same styles.
func Build(t Theme) Styles {
	p := painter{t}
	return Styles{
		Frame: FrameStyles{
			Header:   p.fg(t.Text).Bold(true),
			Detail:   p.quiet(),
			Rule:     p.fg(t.Rule),
			Status:   p.quiet(),
			Snackbar: p.fg(t.Accent).Bold(true),
			HelpKey:  p.fg(t.Text).Bold(true),
		},
		Text:     p.text(),
		Tool:     p.tool(),
		Diff:     p.diff(),
		Composer: p.composer(),
		Dialog: DialogStyles{
			Border: p.fg(t.Rule), Raised: p.background(t.Raised), Behind: p.fg(t.Rule).Faint(!t.HasColour()), Title: p.fg(t.Text).Bold(true), Text: p.fg(t.Text),
			Item: p.fg(t.Text), Selected: p.selected().Bold(true), Detail: p.quiet(),
		},
		Gauge: p.gauge(),
		State: StateStyles{
			Verbatim: p.quiet(), Capped: p.fg(t.Warning), Masked: p.fg(t.Inline), Summarised: p.fg(t.Gauge.Summary),
			Dropped: p.fg(t.Danger), Pinned: p.fg(t.Accent).Bold(true),
		},
		Match: p.fg(p.Warning).Reverse(true).Bold(true), // readable in every theme
	}
}

// The strength of the tint, from 0 to 1, of added and removed lines and of the changed words in them.
const (
	tintRow  = 0.15
	tintWord = 0.36
)

func (p painter) diff() DiffStyles {
	s := DiffStyles{Added: p.fg(p.Added), Removed: p.fg(p.Removed), Context: p.quiet(), Number: p.faint(), Note: p.fg(p.Hunk)}
	s.AddedRow, s.AddedWord = p.changed(p.Added)
	s.RemovedRow, s.RemovedWord = p.changed(p.Removed)
	return s
}

// changed returns the styles of a changed line, and of a changed word in it.
func (p painter) changed(color string) (row, word lipgloss.Style) {
	if p.Surface == "" || p.Colors256 {
		row = p.fg(color)
		return row, row.Bold(true).Underline(true)
	}
	text := p.fg(p.Text)
	return text.Background(lipgloss.Color(mix(p.Background, color, tintRow))), text.Background(lipgloss.Color(mix(p.Background, color, tintWord)))
}

func (p painter) text() TextStyles {
	user := p.fg(p.Text)
	if p.Theme.Band == "" { // on the terminal's own background its own colour reads best, as in replies
		user = lipgloss.NewStyle()
	}
	return TextStyles{
		UserMark:  p.fg(p.Theme.User).Bold(true),
		User:      user.Bold(!p.HasColour()),
		Band:      p.background(p.Theme.Band),
		Faint:     p.faint(),
		Assistant: lipgloss.NewStyle(),
		Reasoning: p.quiet().Italic(true),
		Notice:    p.quiet(),
		Warning:   p.fg(p.Warning).Bold(!p.HasColour()),
		Error:     p.fg(p.Danger).Bold(!p.HasColour()),
		Muted:     p.quiet(),
		Selection: p.selected(),
	}
}

func (p painter) tool() ToolStyles {
	return ToolStyles{
		OK:      p.fg(p.Success),
		Error:   p.fg(p.Danger).Bold(!p.HasColour()),
		Running: p.fg(p.Accent),
		Name:    p.quiet(),
		Subject: p.fg(p.Text),
		Weight:  p.faint(),
		Output:  p.quiet(),
		Hint:    p.faint(),
		Block:   p.background(p.Surface),
	}
}

func (p painter) composer() ComposerStyles {
	return ComposerStyles{
		Border:      p.fg(p.Accent),
		Shell:       p.fg(p.Warning).Bold(!p.HasColour()),
		Text:        p.fg(p.Text),
		Placeholder: p.quiet(),
		Chip:        p.fg(p.Inline).Bold(!p.HasColour()),
	}
}

func (p painter) gauge() GaugeStyles {
	g := p.Gauge
	return GaugeStyles{
		System: p.fg(g.System), Tools: p.fg(g.Tools), Summary: p.fg(g.Summary), User: p.fg(g.User),
		Assistant: p.fg(g.Assistant), Reasoning: p.fg(g.Reasoning), Calls: p.fg(g.Calls),
		Results: p.fg(g.Results), Stubs: p.fg(g.Stubs), Draft: p.fg(g.Draft), Reserve: p.fg(g.Reserve),
		Free:    p.fg(p.Rule).Faint(!p.HasColour()),
		Warning: p.fg(p.Warning).Bold(true),
		Danger:  p.fg(p.Danger).Bold(!p.HasColour()).Reverse(!p.HasColour()),
	}
}
