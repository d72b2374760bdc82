package plot

import (
	"strings"

	"plimsoll/themes"
)

// The colors of the picture are those of the program's two main themes. A page
// and the machine it is seen on may disagree about which of them is on, and so
// the picture paints its own background.

const fonts = `-apple-system,BlinkMacSystemFont,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif`

// style is the style of the picture: the light colors, and the dark ones where
// they are preferred.
func style() string {
	light, _ := themes.ByName(themes.PlimsollLight)
	dark, _ := themes.ByName(themes.PlimsollDark)
	return `text{font-family:` + fonts + `;font-size:13px}
.title{font-size:17px;font-weight:600}
.small{font-size:12px}
.strong{font-weight:600}
.end{text-anchor:end;font-variant-numeric:tabular-nums}
.middle,.number{text-anchor:middle}
.number{font-size:11px;font-weight:600}
.back{stroke-opacity:.35}
.grid{stroke-opacity:.22}
.axis{stroke-opacity:.7}
.one{stroke-dasharray:2 4;stroke-linecap:round;stroke-width:1.6px}
.front{fill:none;stroke-width:2px;stroke-opacity:.6;stroke-linejoin:round}
.point{stroke-width:2px}
` + colors(light.Palette) + "@media (prefers-color-scheme:dark){\n" + colors(dark.Palette) + "}\n"
}

// colors gives each part its color of a palette.
func colors(p themes.Palette) string {
	return strings.NewReplacer("$back", p.Background, "$text", p.Text, "$muted", p.Muted, "$rule", p.Rule, "$accent", p.Accent).
		Replace(`.back{fill:$back;stroke:$rule}
text{fill:$text}
.quiet{fill:$muted}
.accent{fill:$accent}
.grid,.axis,.one{stroke:$rule}
.front{stroke:$accent}
.point{fill:$muted;stroke:$muted}
.point.ours{fill:$accent;stroke:$accent}
.point.hollow{fill:$back}
.number{fill:$back}
.number.hollow{fill:$muted}
.number.hollow.ours{fill:$accent}
`)
}
