package tui

import (
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/themes"
	"plimsoll/tui/account"
	"plimsoll/tui/composer"
	"plimsoll/tui/gauge"
	"plimsoll/tui/history"
	"plimsoll/tui/ledger"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
	"plimsoll/tui/preview"
	"plimsoll/tui/search"
	"plimsoll/tui/transcript"
	"plimsoll/tui/transcript/markdown"
)

// look is the theme in force and what it makes of each part.
type look struct {
	theme  themes.Theme
	styles themes.Styles
	many   bool // enough colors for surfaces, and for bars without patterns
}

// newLook is what a theme looks like on a terminal of so many colors.
func newLook(t themes.Theme, colors colorprofile.Profile) look {
	switch {
	case colors < colorprofile.ANSI256:
		t = t.Flat()
	case colors == colorprofile.ANSI256:
		t = t.Indexed()
	}
	return look{theme: t, styles: themes.Build(t), many: colors >= colorprofile.ANSI256 && t.HasColour()}
}

// glyphs are the cells of the gauge's segments.
func (l look) glyphs() pane.Glyphs {
	if l.many {
		return pane.Blocks()
	}
	return pane.Patterns()
}

func (l look) status() statusStyles {
	f, t := l.styles.Frame, l.styles.Text
	return statusStyles{title: f.Header, detail: f.Detail, rule: f.Rule, subtle: f.Status, accent: t.UserMark, warning: t.Warning,
		failure: t.Error, snack: f.Snackbar}
}

func (l look) transcript() transcript.Styles {
	t, tool, diff := l.styles.Text, l.styles.Tool, l.styles.Diff
	return transcript.Styles{
		UserMark: t.UserMark, User: t.User, Band: t.Band, Reasoning: t.Reasoning, ReasoningMark: t.Muted,
		ToolOK: tool.OK, ToolFailed: tool.Error, ToolRunning: tool.Running, ToolName: tool.Name, ToolSubject: tool.Subject,
		Weight: tool.Weight, Hint: tool.Hint, Output: tool.Output,
		Added: diff.Added, Removed: diff.Removed, Hunk: diff.Hunk,
		Epoch: t.Assistant, Undone: t.Muted, EpochFrame: l.styles.Frame.Rule,
		Info: t.Notice, Warning: t.Warning, Error: t.Error, Selected: t.Selection,
	}
}

func (l look) gauge() gauge.Styles {
	g := l.styles.Gauge
	s := gauge.DefaultStyles()
	for segment, look := range l.segments() {
		s.Segments[segment] = look
	}
	f := l.styles.Frame
	s.Levels[pane.Loaded], s.Levels[pane.Blocked] = g.Warning, g.Danger
	s.Glyphs = l.glyphs()
	s.Free, s.Reserve, s.Number, s.Detail = g.Free, g.Reserve, f.Status, f.Detail
	return s
}

func (l look) overlay() overlay.Styles {
	o, t, tool, diff := l.styles.Overlay, l.styles.Text, l.styles.Tool, l.styles.Diff
	return overlay.Styles{Border: o.Border, Danger: t.Error, Title: o.Title, Text: o.Text, Key: l.styles.Frame.HelpKey,
		Item: o.Item, Selected: o.Selected, Detail: o.Detail, Command: tool.Subject,
		Added: diff.Added, Removed: diff.Removed, Hunk: diff.Hunk, Hint: t.Faint, Raised: o.Raised, Behind: o.Behind}
}

// markdown is a renderer of the theme; its width comes from where it is used.
func (l look) markdown() *markdown.Renderer { return markdown.New(themes.Markdown(l.theme), 80) }

func (l look) composer() composer.Styles {
	c, o, t := l.styles.Composer, l.styles.Overlay, l.styles.Text
	return composer.Styles{Border: c.Border, Shell: c.Shell, Label: t.Muted, Text: c.Text, Placeholder: c.Placeholder,
		Chip: c.Chip, Mention: c.Chip, Unknown: t.Error.Bold(true), Item: o.Item, Selected: o.Selected, Detail: o.Detail, Raised: o.Raised}
}

// What a theme makes of the full-screen views.

// pane is what they share.
func (l look) pane() pane.Styles {
	f, t, o := l.styles.Frame, l.styles.Text, l.styles.Overlay
	return pane.Styles{
		Title: f.Header, Detail: f.Detail, Rule: f.Rule, Text: o.Text, Muted: t.Muted, Key: f.HelpKey,
		Selected: o.Selected, Match: l.styles.Match, Warning: t.Warning, Error: t.Error,
	}
}

// states is the badges.
func (l look) states() map[projection.State]lipgloss.Style {
	s := l.styles.State
	return map[projection.State]lipgloss.Style{
		projection.StateVerbatim: s.Verbatim, projection.StateCapped: s.Capped, projection.StateMasked: s.Masked,
		projection.StateSummarised: s.Summarised, projection.StateDropped: s.Dropped, projection.StatePinned: s.Pinned,
	}
}

// segments is the categories of the gauge.
func (l look) segments() map[projection.Segment]lipgloss.Style {
	g := l.styles.Gauge
	return map[projection.Segment]lipgloss.Style{
		projection.System: g.System, projection.Tools: g.Tools, projection.Summary: g.Summary, projection.User: g.User,
		projection.Assistant: g.Assistant, projection.Reasoning: g.Reasoning, projection.Calls: g.Calls,
		projection.Results: g.Results, projection.Stubs: g.Stubs, projection.Draft: g.Draft,
	}
}

func (l look) account() account.Styles {
	g := l.styles.Gauge
	return account.Styles{Styles: l.pane(), Segments: l.segments(), States: l.states(),
		Glyphs: l.glyphs(), Bar: l.styles.Frame.Status, Load: g.Warning, Hard: g.Danger, Reserve: g.Reserve, Free: g.Free}
}

func (l look) history() history.Styles {
	t, tool := l.styles.Text, l.styles.Tool
	return history.Styles{
		Pane: l.pane(), User: t.UserMark, Assistant: t.Assistant, ToolOK: tool.OK, ToolFail: tool.Error, Tool: tool.Name,
		Subject: tool.Subject, Said: t.Assistant, Sent: t.Assistant, Turn: t.Muted, Event: t.Notice, Link: t.UserMark,
		Badges: l.states(), TakenBack: t.Muted,
	}
}

func (l look) preview() preview.Styles {
	t := l.styles.Text
	return preview.Styles{Pane: l.pane(), Chosen: t.UserMark, Kept: t.Muted, Saved: l.styles.Diff.Added}
}

func (l look) ledger() ledger.Styles {
	t, tool := l.styles.Text, l.styles.Tool
	return ledger.Styles{Styles: l.pane(), Results: map[inspect.EntryResult]lipgloss.Style{
		inspect.ResultInForce: tool.OK, inspect.ResultUndone: t.Muted, inspect.ResultFailed: t.Warning,
		inspect.ResultCancelled: t.Muted, inspect.ResultStale: t.Muted, inspect.ResultUnused: t.Muted,
	}}
}
func (l look) review() pane.Styles   { return l.pane() }
func (l look) search() search.Styles { return search.Styles{Styles: l.pane()} }

// theme is the colours in force.
type theme struct {
	name       string // auto, light, dark or a theme's name
	dark       bool   // the terminal's background is
	colourless bool
	shown      colorprofile.Profile // how many colors the terminal shows
	look       look
}

func newTheme(name string, colourless bool, shown colorprofile.Profile) theme {
	t := theme{name: name, dark: true, colourless: colourless, shown: shown}
	if !t.choose(name) {
		t.choose("auto")
		t.name = name
	}
	return t
}

// choose takes another theme; false if there is none of that name.
func (t *theme) choose(name string) bool {
	chosen, ok := chooseTheme(name, t.dark, t.colourless)
	if ok {
		t.name, t.look = name, newLook(chosen, t.shown)
	}
	return ok
}

// colors takes over how many colors the terminal shows. It reports whether that changes how
// things look.
func (t *theme) colors(shown colorprofile.Profile) bool {
	if t.shown == shown {
		return false
	}
	t.shown = shown
	return t.choose(t.name)
}

// background takes over what the terminal is like. It reports whether another theme is in
// force.
func (t *theme) background(dark bool) bool {
	t.dark = dark
	chosen, ok := chooseTheme(t.name, dark, t.colourless)
	if !ok || chosen.Name == t.look.theme.Name {
		return false
	}
	t.look = newLook(chosen, t.shown)
	return true
}

// chooseTheme is the theme by its name ("auto", "light" and "dark" are names, too), for a
// background and whether the user wants no colours; false if there is no such theme.
func chooseTheme(name string, dark, colourless bool) (themes.Theme, bool) {
	if colourless {
		t, ok := themes.ByName(themes.Mono)
		return t, ok
	}
	switch name {
	case "", "auto":
		return themes.Auto(dark), true
	case "dark", "light":
		return themes.Auto(name == "dark"), true
	}
	return themes.ByName(name)
}

// PrintMarkdown writes a text rendered to w, without the screen, in the
// colours that the terminal of environ has. Text is made safe first.
func PrintMarkdown(w io.Writer, text string, width int, colourless bool, environ []string) error {
	theme, _ := chooseTheme("auto", !lightBackground(environ), colourless)
	lines := markdown.New(themes.Markdown(theme), width).Render(text)
	_, err := io.WriteString(colorprofile.NewWriter(w, environ), strings.Join(lines, "\n")+"\n")
	return err
}

// lightBackground reports whether the terminal says in COLORFGBG that its
// background is light. Asking it would leave the answer to the shell.
func lightBackground(environ []string) bool {
	for _, e := range environ {
		if v, ok := strings.CutPrefix(e, "COLORFGBG="); ok {
			bg := v[strings.LastIndexByte(v, ';')+1:]
			return bg == "7" || bg == "15"
		}
	}
	return false
}

// CheckTheme reports whether a theme can be chosen; the error names those
// there are.
func CheckTheme(name string) error {
	if _, ok := chooseTheme(name, true, false); !ok {
		return &themeError{name}
	}
	return nil
}

type themeError struct{ name string }

func (e *themeError) Error() string {
	return "there is no theme " + e.name + "; the themes are auto, dark, light, " + strings.Join(themes.Names(), ", ")
}

// statusStyles is how the lines look.
type statusStyles struct {
	title, detail, rule, subtle, accent, warning, failure, snack lipgloss.Style
}
