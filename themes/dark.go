package themes

// dark returns the themes for dark backgrounds. Catppuccin, Nord, Gruvbox and Dracula are well-known palettes under the
// MIT license; the lightness of some of their colors was changed for contrast.
func dark() []Theme {
	return []Theme{plimsollDark(), contrastDark(), catppuccinMocha(), nord(), gruvboxDark(), dracula()}
}

// plimsollDark is the sea at night: what can be acted on is the green of shallow water, the user's words are sand.
func plimsollDark() Theme {
	return Theme{
		Name: PlimsollDark, Dark: true,
		Palette: Palette{
			Background: "#151b20", Surface: "#0d1317", Raised: "#212d33", Band: "#1d343b", Text: "#e4ecec", Muted: "#a4b3b6",
			Faint: "#7a8b90", Rule: "#42545b", Accent: "#5fd7c0", User: "#ffd7af", Link: "#7fc4ee", Inline: "#b3ddd4",
			Success: "#84cf8f", Warning: "#f0b429", Danger: "#ff7b72", Added: "#84cf8f", Removed: "#ff7b72", Hunk: "#5fd7c0",
			Selection: "#1f5259",
		},
		Syntax: Syntax{Keyword: "#5fd7c0", Function: "#ffd7af", Type: "#8fc9f0", String: "#a8d5a0", Number: "#e0b3d8", Comment: "#83949a"},
		Gauge: Gauge{
			System: "#616a73", Tools: "#7d899c", Summary: "#c69ef0", User: "#0077eb", Assistant: "#6dcfc8", Reasoning: "#5274d7",
			Calls: "#b4ca2e", Results: "#328a41", Stubs: "#cebe95", Draft: "#0077eb", Reserve: "#616a73",
		},
	}
}

func contrastDark() Theme {
	return Theme{
		Name: "contrast-dark", Dark: true,
		Palette: Palette{
			Background: "#000000", Surface: "#0b0b0d", Raised: "#1a1a1d", Band: "#1f2830", Text: "#ffffff", Muted: "#d0d0d0",
			Faint: "#b8b8b8", Rule: "#8a8a8a", Accent: "#79c0ff", User: "#a5d6ff", Link: "#8ad0ff", Inline: "#ffd479",
			Success: "#7ee787", Warning: "#ffd33d", Danger: "#ff9a94", Added: "#7ee787", Removed: "#ff9a94", Hunk: "#79c0ff",
			Selection: "#003f7f",
		},
		Syntax: Syntax{Keyword: "#ffab91", Function: "#dcbcff", Type: "#8be9fd", String: "#b8f2b0", Number: "#9ecbff", Comment: "#bdbdbd"},
		Gauge: Gauge{
			System: "#616a73", Tools: "#7d899c", Summary: "#c69ef0", User: "#0077eb", Assistant: "#6dcfc8", Reasoning: "#5274d7",
			Calls: "#b4ca2e", Results: "#328a41", Stubs: "#cebe95", Draft: "#0077eb", Reserve: "#616a73",
		},
	}
}

func catppuccinMocha() Theme {
	return Theme{
		Name: "catppuccin-mocha", Dark: true,
		Palette: Palette{
			Background: "#1e1e2e", Surface: "#181825", Raised: "#313244", Band: "#2f3347", Text: "#dbe2f7", Muted: "#a6adc8",
			Faint: "#7f849c", Rule: "#45475a", Accent: "#89b4fa", User: "#b4befe", Link: "#89b4fa", Inline: "#f9e2af",
			Success: "#a6e3a1", Warning: "#fab387", Danger: "#f38ba8", Added: "#a6e3a1", Removed: "#f38ba8", Hunk: "#89b4fa",
			Selection: "#45475a",
		},
		Syntax: Syntax{Keyword: "#cba6f7", Function: "#89b4fa", Type: "#f9e2af", String: "#a6e3a1", Number: "#fab387", Comment: "#9399b2"},
		Gauge: Gauge{
			System: "#666a7e", Tools: "#8389a6", Summary: "#c7a0f6", User: "#2172f6", Assistant: "#5bd2be", Reasoning: "#536afd",
			Calls: "#f0b634", Results: "#318b29", Stubs: "#e7b3a9", Draft: "#2172f6", Reserve: "#666a7e",
		},
	}
}

func nord() Theme {
	return Theme{
		Name: "nord", Dark: true,
		Palette: Palette{
			Background: "#2e3440", Surface: "#272c36", Raised: "#3b4252", Band: "#414c5e", Text: "#eceff4", Muted: "#c2cad8",
			Faint: "#97a1b3", Rule: "#4c566a", Accent: "#8fc4d3", User: "#9cc3c3", Link: "#8fc4d3", Inline: "#ebcb8b",
			Success: "#abc496", Warning: "#ebcb8b", Danger: "#f1a9af", Added: "#abc496", Removed: "#f1a9af", Hunk: "#8fc4d3",
			Selection: "#464f65",
		},
		Syntax: Syntax{Keyword: "#a9c2dd", Function: "#88c0d0", Type: "#8fbcbb", String: "#a3be8c", Number: "#cfa9c8", Comment: "#a3adbf"},
		Gauge: Gauge{
			System: "#707e99", Tools: "#95a1b5", Summary: "#d8c5d5", User: "#5681ac", Assistant: "#a4c9c8", Reasoning: "#5c80ab",
			Calls: "#e5bc6b", Results: "#67874c", Stubs: "#b8c3d7", Draft: "#5681ac", Reserve: "#707e99",
		},
	}
}

func gruvboxDark() Theme {
	return Theme{
		Name: "gruvbox-dark", Dark: true,
		Palette: Palette{
			Background: "#282828", Surface: "#1d2021", Raised: "#3c3836", Band: "#3d3a35", Text: "#f0e5c6", Muted: "#bdae93",
			Faint: "#928374", Rule: "#504945", Accent: "#8daca0", User: "#fabd2f", Link: "#8daca0", Inline: "#fabd2f",
			Success: "#b8bb26", Warning: "#fe841f", Danger: "#fc7f6c", Added: "#b8bb26", Removed: "#fc7f6c", Hunk: "#8daca0",
			Selection: "#504945",
		},
		Syntax: Syntax{Keyword: "#fb6a55", Function: "#b8bb26", Type: "#fabd2f", String: "#b8bb26", Number: "#d3869b", Comment: "#a89984"},
		Gauge: Gauge{
			System: "#7d7062", Tools: "#a19079", Summary: "#e1adbb", User: "#5d8073", Assistant: "#a1cb92", Reasoning: "#637aa1",
			Calls: "#f9b20b", Results: "#7b7e1a", Stubs: "#d0bd96", Draft: "#5d8073", Reserve: "#7d7062",
		},
	}
}

func dracula() Theme {
	return Theme{
		Name: "dracula", Dark: true,
		Palette: Palette{
			Background: "#282a36", Surface: "#21222c", Raised: "#343746", Band: "#3c4053", Text: "#f8f8f2", Muted: "#bcc2d9",
			Faint: "#8f97bd", Rule: "#44475a", Accent: "#c29bf9", User: "#8be9fd", Link: "#8be9fd", Inline: "#f1fa8c",
			Success: "#50fa7b", Warning: "#ffb86c", Danger: "#ff8c8c", Added: "#50fa7b", Removed: "#ff8c8c", Hunk: "#c29bf9",
			Selection: "#44475a",
		},
		Syntax: Syntax{Keyword: "#ff79c6", Function: "#50fa7b", Type: "#8be9fd", String: "#f1fa8c", Number: "#bd93f9", Comment: "#9aa5d1"},
		Gauge: Gauge{
			System: "#6373a4", Tools: "#8b94bb", Summary: "#ffa0d6", User: "#03849f", Assistant: "#06dd3c", Reasoning: "#9552f5",
			Calls: "#b9c909", Results: "#248962", Stubs: "#ffae56", Draft: "#03849f", Reserve: "#6373a4",
		},
	}
}
