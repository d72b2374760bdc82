package themes

// light is the themes for light backgrounds. Catppuccin and Solarized are well-known palettes under the MIT
// license, with the lightness of some colors moved until they read.
func light() []Theme {
	return []Theme{plimsollLight(), contrastLight(), catppuccinLatte(), solarizedLight()}
}

func plimsollLight() Theme {
	return Theme{
		Name: "plimsoll-light",
		Palette: Palette{
			Background: "#ffffff", Surface: "#f3f5f7", Raised: "#eef1f5", Band: "#e3eefb", Text: "#1f2328", Muted: "#59616b",
			Faint: "#7d858f", Rule: "#b4bcc6", Accent: "#0a5ec2", User: "#0a4fa3", Link: "#0959b3", Inline: "#8a4b00",
			Success: "#197b35", Warning: "#8a5a00", Danger: "#c4201d", Added: "#197b35", Removed: "#c4201d", Hunk: "#0a5ec2",
			Selection: "#bcdaff",
		},
		Syntax: Syntax{Keyword: "#b3261e", Function: "#7a3ec8", Type: "#0b6e78", String: "#1d6a34", Number: "#0a57b0", Comment: "#5f6873"},
		Gauge: Gauge{
			System: "#8c959e", Tools: "#687487", Summary: "#721ec7", User: "#2b96ff", Assistant: "#236965", Reasoning: "#7691df",
			Calls: "#5a6517", Results: "#3da84f", Stubs: "#6f5e33", Draft: "#2b96ff", Reserve: "#8c959e",
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
