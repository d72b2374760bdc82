package tui

import (
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/themes"
	"plimsoll/tui/choices"
	"plimsoll/tui/dialog"
	"plimsoll/tui/diffview"
	"plimsoll/tui/gauge"
	"plimsoll/tui/history"
	"plimsoll/tui/pane"
	"plimsoll/tui/settings"
	"plimsoll/tui/transcript"
	"plimsoll/tui/transcript/markdown"
	"plimsoll/tui/welcome"
)

// themeStyles is a theme, and derives the styles of each part from it.
type themeStyles struct {
	theme      themes.Theme
	styles     themes.Styles
	manyColors bool // enough colors for backgrounds, and for bars without patterns
	links      bool // the terminal supports links
}

func newThemeStyles(t themes.Theme, colors colorprofile.Profile) themeStyles {
	switch {
	case colors < colorprofile.ANSI256:
		t = t.InTerminalColours()
	case colors == colorprofile.ANSI256:
		t = t.For256Colors()
	}
	return themeStyles{theme: t, styles: themes.Build(t), manyColors: t.Surface != ""}
}

// glyphs returns the cells of the gauge's segments.
func (ts themeStyles) glyphs() pane.Glyphs {
	if ts.manyColors {
		return pane.Blocks()
	}
	return pane.Patterns()
}

func (ts themeStyles) status() statusStyles {
	s, inline := ts.styles, pane.NewInlineStyle
	return statusStyles{
		title: inline(s.Title), rule: inline(s.Rule), subtle: inline(s.Muted), accent: inline(s.Focus), mark: inline(s.Accent),
		warning: inline(s.Warning), failure: inline(s.Error), snack: inline(s.Accent),
		welcome: welcome.Styles{Title: s.Title, Subtle: s.Muted, Accent: s.Focus, Failure: s.Error},
	}
}

func (ts themeStyles) transcript() transcript.Styles {
	s := ts.styles
	return transcript.Styles{
		UserMark: s.UserMark, User: s.User, Band: s.Band, Reasoning: s.Reasoning, ReasoningMark: s.Muted,
		ToolFailed: s.Error, ToolRunning: s.Accent, ToolName: s.Muted, ToolSubject: s.Text,
		Faint: s.Faint, Hint: s.Faint, Output: s.Muted, Block: s.Block,
		Diff: diffview.Styles(s.Diff), Undone: s.Muted, Note: s.Gauge.Summary,
		Info: s.Muted, Warning: s.Warning, Error: s.Error, Selected: s.Selection,
	}
}

func (ts themeStyles) gauge() gauge.Styles {
	s, g := ts.styles, ts.styles.Gauge
	return gauge.Styles{BarStyles: pane.SegmentBarStyles(s, ts.glyphs()), Number: s.Muted, Detail: s.Muted,
		Levels: [3]lipgloss.Style{pane.Loaded: g.Load, pane.Blocked: g.Hard}}
}

// markdown returns a renderer for the theme; its user sets the width.
func (ts themeStyles) markdown() *markdown.Renderer {
	r := markdown.New(themes.Markdown(ts.theme), 80)
	r.SetLinks(ts.links)
	return r
}

// Styles of the full-screen views.

func (ts themeStyles) pane() pane.Styles { return pane.StylesOf(ts.styles) }

func (ts themeStyles) history() history.Styles {
	return history.Styles{Styles: ts.styles, Markdown: themes.Markdown(ts.theme)}
}

func (ts themeStyles) settings() settings.Styles {
	return settings.Styles{Pane: ts.pane(), Accent: ts.styles.Focus}
}

// theme is the theme in force and the user's choice.
type theme struct {
	name       string // auto, light, dark or a theme's name
	ownThemes  choices.Themes
	isDark     bool // the terminal has a dark background, as it reported; true by default
	reported   bool // the terminal told its background
	untold     bool // it did not when it was asked
	colourless bool
	profile    colorprofile.Profile // how many colors the terminal supports
	links      bool                 // the terminal supports links
	styles     themeStyles
	needsApply bool          // the parts do not have its styles yet
	picker     dialog.Dialog // the open list of themes, or nil
}

func newTheme(o Options) theme {
	t := theme{name: o.Theme, ownThemes: o.Themes, isDark: true, colourless: o.Colourless, profile: o.Colors, links: o.Links}
	if !t.preview(o.Theme) {
		t.preview(choices.Auto)
	}
	return t
}

func (t *theme) choose(name string) pane.Action {
	if !t.preview(name) {
		return requestFailed{CheckTheme(name, t.ownThemes.Names()...)}
	}
	t.name, t.picker = name, nil
	return textSnackbar("theme: " + t.styles.theme.Name + " · /settings saves it")
}

// preview draws in another theme without choosing it. It returns false if no theme has the name.
func (t *theme) preview(name string) bool {
	chosen, ok := t.ownThemes.Named(name, t.isDark, t.colourless)
	if ok {
		if t.untold && (name == "" || name == choices.Auto) && chosen.HasColour() {
			chosen = chosen.InTerminalColours()
		}
		t.styles, t.needsApply = newThemeStyles(chosen, t.profile), true
		t.styles.links = t.links
	}
	return ok
}

// setOwnThemes replaces the user's own themes, which were read again.
func (t *theme) setOwnThemes(own []themes.Theme) {
	t.ownThemes = own
	if t.picker == nil {
		t.preview(t.name)
	}
}

// openPicker opens a list of themes and draws the screen in the selected one; why is the error
// of files that could not be read.
func (t *theme) openPicker(why error) pane.Action {
	o := dialog.PickerOptions{Title: "Theme", Live: true, Choose: func(name, _ string) pane.Action { return t.choose(name) },
		Focus: func(name string) pane.Action {
			t.preview(name)
			return nil
		}}
	for _, row := range t.ownThemes.Rows(t.isDark) {
		o.Items = append(o.Items, dialog.Item{ID: row.Name, Title: row.Name, Columns: []string{row.Detail}, Current: t.chosenRow() == row.Name})
	}
	if why != nil {
		o.Text = why.Error()
	}
	t.picker = dialog.NewPicker(o)
	return openDialog{t.picker}
}

// chosenRow returns the row of the chosen theme: dark and light are other names of themes with rows of their own.
func (t *theme) chosenRow() string {
	switch t.name {
	case "":
		return choices.Auto
	case "dark", "light":
		return t.styles.theme.Name
	}
	return t.name
}

// restoreAfterPicker returns to the chosen theme once the list of themes is closed.
func (t *theme) restoreAfterPicker(open *dialog.Stack) {
	if t.picker != nil && !open.Has(t.picker) {
		t.picker = nil
		t.preview(t.name)
	}
}

func (t *theme) setColors(shown colorprofile.Profile) {
	if t.profile != shown {
		t.profile = shown
		t.preview(t.name)
	}
}

func (t *theme) setDarkBackground(dark bool) {
	other := t.isDark != dark || t.untold
	t.isDark, t.reported, t.untold = dark, true, false
	if other && t.picker == nil {
		t.preview(t.name)
	}
}

// askBackground asks for the background, and then for what every terminal answers: one that answers only that does not tell.
func askBackground() tea.Msg {
	return tea.RawMsg{Msg: ansi.RequestBackgroundColor + ansi.RequestPrimaryDeviceAttributes}
}

// attributesReported ends the wait for the background: without it, the theme for it is drawn in the terminal's own colours.
func (t *theme) attributesReported() {
	if !t.reported && !t.untold {
		t.untold = true
		if t.picker == nil {
			t.preview(t.name)
		}
	}
}

// terminalColours returns the background and text colours to set for the theme, or nil to keep the
// terminal's: only a theme that is not for the known background sets its own.
func (t *theme) terminalColours() (background, text color.Color) {
	if in := t.styles.theme; t.styles.manyColors && (in.Dark != t.isDark || t.untold) {
		return lipgloss.Color(in.Background), lipgloss.Color(in.Text)
	}
	return nil, nil
}

// PrintMarkdown writes a rendered Markdown text to w, for output without the screen, in
// the colours that the terminal described by environ supports. The text is sanitised first.
func PrintMarkdown(w io.Writer, text string, width int, colourless, links bool, environ []string) error {
	theme, _ := choices.Themes{}.Named(choices.Auto, !lightBackground(environ), colourless)
	r := markdown.New(themes.Markdown(theme), width)
	r.SetLinks(links)
	_, err := io.WriteString(colorprofile.NewWriter(w, environ), strings.Join(r.Render(text), "\n")+"\n")
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

// CheckTheme returns an error that lists the themes if no theme has the name; own lists the user's own.
func CheckTheme(name string, own ...string) error {
	if _, ok := (choices.Themes{}).Named(name, true, false); ok || slices.Contains(own, name) {
		return nil
	}
	return fmt.Errorf("there is no theme %q; there are %s", name, choices.ThemeNames(own...))
}

// statusStyles are the styles of the lines around the transcript.
type statusStyles struct {
	title, mark, rule, subtle, accent, warning, failure, snack pane.InlineStyle
	welcome                                                    welcome.Styles
}
