// Package themes turns palettes into styles. It is the only place where a colour is named.
//
// Guarantees: every theme reads against the background it assumes (WCAG contrast of at least 4.5 for text and 3 for
// secondary text; 7 for all text of the contrast themes); the theme mono names no colour at all; whatever a colour
// tells is also shown by a glyph, a word, bold or reverse. Building styles is pure and needs no terminal. The package
// imports nothing of ours.
package themes

import "slices"

// The names of the built-in themes.
const (
	PlimsollDark  = "plimsoll-dark"
	PlimsollLight = "plimsoll-light"
	ContrastDark  = "contrast-dark"
	ContrastLight = "contrast-light"
	// Mono uses no colour: for NO_COLOR and monochrome terminals.
	Mono = "mono"
)

// Theme is a named palette. A colour is "#rrggbb"; in a theme without colour all are empty.
type Theme struct {
	Name    string
	Dark    bool   // made for a dark background
	Palette        // colours of texts and marks
	Gauge   Gauge  // colours of the gauge's segments
	Code    string // name of the chroma style for code; empty for code without colours
}

// Palette is the colours of everything but the gauge.
type Palette struct {
	Background string // assumed, never painted
	Text       string // of what the program itself says
	Muted      string // secondary text: weights, hints, reasoning
	Rule       string // lines and borders, not text
	Accent     string // the user's mark, focus, headings
	Link       string
	Inline     string // code and paths within text
	Success    string
	Warning    string
	Danger     string
	Added      string
	Removed    string
	Hunk       string
	Selection  string // background of what is selected
}

// Gauge is the colours of the gauge's segments.
type Gauge struct {
	System, Tools, Summary, User, Assistant, Reasoning string
	Calls, Results, Stubs, Draft, Reserve              string
}

// builtin lists the themes in the order they are offered.
func builtin() []Theme {
	return []Theme{
		{
			Name: PlimsollDark, Dark: true, Code: "github-dark",
			Palette: Palette{
				Background: "#1e1e1e", Text: "#e4e4e4", Muted: "#9a9a9a", Rule: "#5f6773", Accent: "#6cb6ff",
				Link: "#79b8ff", Inline: "#e5b567", Success: "#7ccf8a", Warning: "#e8b339", Danger: "#ff7b72",
				Added: "#7ccf8a", Removed: "#ff8b84", Hunk: "#8fb8de", Selection: "#2f4a68",
			},
			Gauge: Gauge{
				System: "#8b949e", Tools: "#a5adba", Summary: "#c59bf0", User: "#6cb6ff", Assistant: "#56c7c0",
				Reasoning: "#7aa2c7", Calls: "#9ccf6d", Results: "#7ccf8a", Stubs: "#8f8a7a", Draft: "#6cb6ff", Reserve: "#808791",
			},
		},
		{
			Name: PlimsollLight, Code: "github",
			Palette: Palette{
				Background: "#ffffff", Text: "#24292f", Muted: "#646c76", Rule: "#9aa3ad", Accent: "#0a5ec2",
				Link: "#0959b3", Inline: "#8a4b00", Success: "#1a7f37", Warning: "#8a5a00", Danger: "#c4201d",
				Added: "#1a7f37", Removed: "#c4201d", Hunk: "#0a5ec2", Selection: "#c8e1ff",
			},
			Gauge: Gauge{
				System: "#6e7781", Tools: "#57606a", Summary: "#8250df", User: "#0969da", Assistant: "#0f7b75",
				Reasoning: "#4a7194", Calls: "#4d7a17", Results: "#1a7f37", Stubs: "#7d7663", Draft: "#0969da", Reserve: "#768390",
			},
		},
		{
			Name: ContrastDark, Dark: true, Code: "modus-vivendi",
			Palette: Palette{
				Background: "#000000", Text: "#ffffff", Muted: "#c6c6c6", Rule: "#8a8a8a", Accent: "#79c0ff",
				Link: "#8ad0ff", Inline: "#ffd479", Success: "#7ee787", Warning: "#ffd33d", Danger: "#ff9a94",
				Added: "#7ee787", Removed: "#ff9a94", Hunk: "#a5d6ff", Selection: "#003f7f",
			},
			Gauge: Gauge{
				System: "#c6c6c6", Tools: "#e0e0e0", Summary: "#d8b4ff", User: "#79c0ff", Assistant: "#6fe3dc",
				Reasoning: "#a5c8e8", Calls: "#c0ea8a", Results: "#7ee787", Stubs: "#cfc7ae", Draft: "#79c0ff", Reserve: "#b0b0b0",
			},
		},
		{
			Name: ContrastLight, Code: "modus-operandi",
			Palette: Palette{
				Background: "#ffffff", Text: "#000000", Muted: "#404040", Rule: "#6a6a6a", Accent: "#00408a",
				Link: "#003a80", Inline: "#663300", Success: "#005a1e", Warning: "#5c3d00", Danger: "#8f0000",
				Added: "#005a1e", Removed: "#8f0000", Hunk: "#00408a", Selection: "#b3d7ff",
			},
			Gauge: Gauge{
				System: "#454545", Tools: "#303030", Summary: "#5a2ca0", User: "#00408a", Assistant: "#005450",
				Reasoning: "#2c4f73", Calls: "#335200", Results: "#005a1e", Stubs: "#4f4936", Draft: "#00408a", Reserve: "#555555",
			},
		},
		{Name: Mono, Dark: true},
	}
}

// HasColour reports whether the theme names colours.
func (t Theme) HasColour() bool { return t.Text != "" }

// Names lists the built-in themes in the order they are offered.
func Names() []string {
	var names []string
	for _, t := range builtin() {
		names = append(names, t.Name)
	}
	return names
}

// ByName returns the built-in theme of that name and whether there is one.
func ByName(name string) (Theme, bool) {
	all := builtin()
	i := slices.IndexFunc(all, func(t Theme) bool { return t.Name == name })
	if i < 0 {
		return Theme{}, false
	}
	return all[i], true
}

// Auto is the theme for a terminal whose background is dark or not.
func Auto(isDark bool) Theme {
	all := builtin()
	return all[slices.IndexFunc(all, func(t Theme) bool { return t.Dark == isDark })]
}
