package tui

import (
	"plimsoll/themes"
	"plimsoll/tui/composer"
	"plimsoll/tui/meter"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript"
	"plimsoll/tui/transcript/markdown"
)

// look is the theme in force and what it makes of each part.
type look struct {
	theme  themes.Theme
	styles themes.Styles
}

func newLook(t themes.Theme) look { return look{theme: t, styles: themes.Build(t)} }

// chooseTheme is the theme for a wish ("auto", "light", "dark" or a name), a
// background and the user's wish for no colour; false if there is no such
// theme.
func chooseTheme(wish string, dark, colourless bool) (themes.Theme, bool) {
	if colourless {
		t, ok := themes.ByName(themes.Mono)
		return t, ok
	}
	switch wish {
	case "", "auto":
		return themes.Auto(dark), true
	case "dark", "light":
		return themes.Auto(wish == "dark"), true
	}
	return themes.ByName(wish)
}

func (l look) status() statusStyles {
	f, t := l.styles.Frame, l.styles.Text
	return statusStyles{title: f.Header, detail: f.Detail, rule: f.Rule, subtle: f.Status, accent: t.UserMark, warning: t.Warning,
		failure: t.Error, snack: f.Snackbar}
}

func (l look) transcript() transcript.Styles {
	t, tool, diff := l.styles.Text, l.styles.Tool, l.styles.Diff
	return transcript.Styles{
		UserMark: t.UserMark, User: t.User, Reasoning: t.Reasoning, ReasoningMark: t.Muted,
		ToolOK: tool.OK, ToolFailed: tool.Error, ToolRunning: tool.Running, ToolName: tool.Name, ToolSubject: tool.Subject,
		Weight: tool.Weight, Hint: tool.Hint, Output: tool.Output,
		Added: diff.Added, Removed: diff.Removed, Hunk: diff.Hunk,
		Epoch: t.Assistant, Undone: t.Muted, EpochFrame: l.styles.Frame.Rule,
		Info: t.Notice, Warning: t.Warning, Error: t.Error, Selected: t.Selection,
	}
}

func (l look) gauge() meter.Styles {
	g := l.styles.Gauge
	s := meter.DefaultStyles()
	for segment, look := range l.segments() {
		s.Segments[segment] = look
	}
	f := l.styles.Frame
	s.Levels[pane.Loaded], s.Levels[pane.Blocked] = g.Warning, g.Danger
	s.Free, s.Reserve, s.Number, s.Detail = g.Free, g.Reserve, f.Status, f.Detail
	return s
}

func (l look) overlay() overlay.Styles {
	o, t, tool, diff := l.styles.Overlay, l.styles.Text, l.styles.Tool, l.styles.Diff
	return overlay.Styles{Border: o.Border, Danger: t.Error, Title: o.Title, Text: o.Text, Key: l.styles.Frame.HelpKey,
		Item: o.Item, Selected: o.Selected, Detail: o.Detail, Command: tool.Subject,
		Added: diff.Added, Removed: diff.Removed, Hunk: diff.Hunk}
}

// markdown is a renderer of the theme; its width comes from where it is used.
func (l look) markdown() *markdown.Renderer { return markdown.New(themes.Markdown(l.theme), 80) }

func (l look) composer() composer.Styles {
	c, o, t := l.styles.Composer, l.styles.Overlay, l.styles.Text
	return composer.Styles{Border: c.Border, Shell: c.Shell, Label: t.Muted, Text: c.Text, Placeholder: c.Placeholder,
		Chip: c.Chip, Mention: c.Chip, Unknown: t.Error.Bold(true), Item: o.Item, Selected: o.Selected, Detail: o.Detail}
}
