package themes

// light is the themes for light backgrounds. Catppuccin and Solarized are well-known palettes under the MIT
// license, with the lightness of some colors moved until they read.
func light() []Theme {
	return []Theme{plimsollLight(), contrastLight(), catppuccinLatte(), solarizedLight()}
}

// plimsollLight is a sea chart: paper and sand, with the green of shallow water.
func plimsollLight() Theme {
	return Theme{
		Name: PlimsollLight,
		Palette: Palette{
			Background: "#fdfcf8", Surface: "#f3f2ea", Raised: "#ecf1ee", Band: "#dff0ec", Text: "#172326", Muted: "#50605f",
			Faint: "#74827f", Rule: "#aab8b5", Accent: "#00695f", User: "#8a4413", Link: "#0a5c96", Inline: "#1f5a52",
			Success: "#1d7032", Warning: "#865200", Danger: "#bd1e1b", Added: "#1d7032", Removed: "#bd1e1b", Hunk: "#00695f",
			Selection: "#a9dcd3",
		},
		Syntax: Syntax{Keyword: "#00695f", Function: "#8a4413", Type: "#0a5c96", String: "#2a6a23", Number: "#8a2f7c", Comment: "#5f6d6a"},
		Gauge: Gauge{
			System: "#8a939c", Tools: "#687487", Summary: "#721ec7", User: "#2593fd", Assistant: "#236965", Reasoning: "#738fde",
			Calls: "#5a6517", Results: "#3ba54d", Stubs: "#6f5e33", Draft: "#2593fd", Reserve: "#8a939c",
		},
	}
}

func contrastLight() Theme {
	return Theme{
		Name: "contrast-light",
		Palette: Palette{
			Background: "#ffffff", Surface: "#f4f4f4", Raised: "#efefef", Band: "#dcebff", Text: "#000000", Muted: "#333333",
			Faint: "#444444", Rule: "#6a6a6a", Accent: "#00408a", User: "#00306b", Link: "#003a80", Inline: "#5a2d00",
			Success: "#004d1a", Warning: "#4f3500", Danger: "#800000", Added: "#004d1a", Removed: "#800000", Hunk: "#00408a",
			Selection: "#b3d7ff",
		},
		Syntax: Syntax{Keyword: "#7a0000", Function: "#4a1a8c", Type: "#00474d", String: "#004417", Number: "#003a80", Comment: "#444444"},
		Gauge: Gauge{
			System: "#8c959e", Tools: "#687487", Summary: "#721ec7", User: "#2b96ff", Assistant: "#236965", Reasoning: "#7691df",
			Calls: "#5a6517", Results: "#3da84f", Stubs: "#6f5e33", Draft: "#2b96ff", Reserve: "#8c959e",
		},
	}
}

func catppuccinLatte() Theme {
	return Theme{
		Name: "catppuccin-latte",
		Palette: Palette{
			Background: "#eff1f5", Surface: "#e6e9ef", Raised: "#e1e5ec", Band: "#dbe4f7", Text: "#3a3d52", Muted: "#5c5f77",
			Faint: "#7c7f93", Rule: "#bcc0cc", Accent: "#0b56ed", User: "#0b56ed", Link: "#0b56ed", Inline: "#975600",
			Success: "#2b741e", Warning: "#975600", Danger: "#c80e36", Added: "#2b741e", Removed: "#c80e36", Hunk: "#0b56ed",
			Selection: "#c4d2ee",
		},
		Syntax: Syntax{Keyword: "#7a2fd6", Function: "#0d5bf4", Type: "#9b5800", String: "#2d771e", Number: "#b44606", Comment: "#64677b"},
		Gauge: Gauge{
			System: "#878a9c", Tools: "#676a7e", Summary: "#6010c9", User: "#4e87f7", Assistant: "#0f6165", Reasoning: "#6980fd",
			Calls: "#6d5408", Results: "#3f9e2a", Stubs: "#6e5239", Draft: "#4e87f7", Reserve: "#878a9c",
		},
	}
}

func solarizedLight() Theme {
	return Theme{
		Name: "solarized-light",
		Palette: Palette{
			Background: "#fdf6e3", Surface: "#f5eedb", Raised: "#eee8d5", Band: "#e6ecdf", Text: "#073642", Muted: "#53676e",
			Faint: "#77878b", Rule: "#c9c3ae", Accent: "#1e6da4", User: "#1e6da4", Link: "#1e6da4", Inline: "#876200",
			Success: "#5f6f00", Warning: "#b0440f", Danger: "#c42926", Added: "#5f6f00", Removed: "#c42926", Hunk: "#1e6da4",
			Selection: "#c3d8d0",
		},
		Syntax: Syntax{Keyword: "#5f6f00", Function: "#1f6fa8", Type: "#8a6400", String: "#1d7871", Number: "#b0306f", Comment: "#5c6e76"},
		Gauge: Gauge{
			System: "#819194", Tools: "#5b7279", Summary: "#3f459d", User: "#3294da", Assistant: "#1a655f", Reasoning: "#718ec6",
			Calls: "#725600", Results: "#839700", Stubs: "#745522", Draft: "#3294da", Reserve: "#819194",
		},
	}
}
