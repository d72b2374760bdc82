package plot

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// How wide a text gets is not known: every machine has another font. The widths
// here are those of the widest that the style asks for, so that a label needs
// at most the room it was given.

// extent is how wide a text is at most, in tenths of a pixel, at so many pixels
// of font size.
func extent(text string, size int, bold bool) int {
	n := 0
	for _, r := range text {
		n += advance(r)
	}
	if bold {
		n += n / 10
	}
	return n * size * px / 1000
}

// advance is the width of a character in thousandths of the font size.
func advance(r rune) int {
	switch {
	case strings.ContainsRune("iIjl|!.,:;'`", r):
		return 340
	case strings.ContainsRune("ftr()[]{}/\\ -\"", r):
		return 420
	case strings.ContainsRune("mwMW@%", r):
		return 1000
	case r >= 'A' && r <= 'Z', strings.ContainsRune("#&+<=>~", r):
		return 850
	case r < 0x80:
		return 640
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r < 0x300:
		return 800
	case ansi.StringWidth(string(r)) > 1:
		return 1100
	}
	return 950
}

// fit is a text cut so that it needs at most so much room; "…" stands for what
// was cut.
func fit(text string, room, size int, bold bool) string {
	if extent(text, size, bold) <= room {
		return text
	}
	kept := ""
	for rest := text; rest != ""; {
		cluster, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		if cluster == "" || extent(kept+cluster+"…", size, bold) > room {
			break
		}
		kept, rest = kept+cluster, rest[len(cluster):]
	}
	return strings.TrimRight(kept, " -_(") + "…"
}
