package plot

import (
	"strings"

	"plimsoll/themes"
)

// The colours of the picture are those of the program's two main themes. A page
// and the machine it is seen on may disagree about which of them is on, and so
// the picture paints its own background.

const fonts = `-apple-system,BlinkMacSystemFont,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif`

// sheet is the style of the picture: the light colours, and the dark ones where
// they are preferred.
func sheet() string {
	light, _ := themes.ByName(themes.PlimsollLight)
	dark, _ := themes.ByName(themes.PlimsollDark)
	return `text{font-family:` + fonts + `;font-size:13px}
.title{font-size:17px;font-weight:600}
.small{font-size:12px}
.strong{font-weight:600}
.name{stroke-width:3px;stroke-linejoin:round;paint-order:stroke}
.grid{stroke-opacity:.22}
.axis{stroke-opacity:.7}
.one{stroke-dasharray:2 4;stroke-linecap:round;stroke-width:1.6px}
.front{fill:none;stroke-width:2px;stroke-opacity:.6;stroke-linejoin:round}
.leader{stroke-opacity:.8}
.point{stroke-width:2px}
.halo{stroke-opacity:.3;stroke-width:6px;fill:none}
` + colours(light.Palette) + "@media (prefers-color-scheme:dark){\n" + colours(dark.Palette) + "}\n"
}

// colours gives each part its colour of a palette.
func colours(p themes.Palette) string {
	return strings.NewReplacer("$back", p.Background, "$text", p.Text, "$muted", p.Muted, "$rule", p.Rule, "$accent", p.Accent).
		Replace(`.back{fill:$back;stroke:$rule}
text{fill:$text}
.quiet{fill:$muted}
.accent{fill:$accent}
.name{stroke:$back}
.grid,.axis,.one,.leader{stroke:$rule}
.front,.halo{stroke:$accent}
.point{fill:$muted;stroke:$back}
.over{fill:$back;stroke:$muted}
.ours{fill:$accent;stroke:$back}
.ours.over{fill:$back;stroke:$accent}
`)
}
