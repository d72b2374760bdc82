package plot

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// look is how characters are shown on a terminal that shows more than one way.
// Weight needs no knowledge of the terminal's colours.
type look int

const (
	regular look = iota
	quiet
	strong
)

// cell is what stands in one cell. Without text it is the rest of a wide
// character that begins to its left.
type cell struct {
	text string
	look look
}

// canvas is a part of a terminal.
type canvas [][]cell

func newCanvas(width, height int) canvas {
	c := make(canvas, height)
	for y := range c {
		c[y] = make([]cell, width)
		for x := range c[y] {
			c[y][x].text = " "
		}
	}
	return c
}

// put writes a text from a cell on; what does not fit is left out.
func (c canvas) put(x, y int, text string, l look) {
	if y < 0 || y >= len(c) || x < 0 {
		return
	}
	for text != "" {
		cluster, width := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		if cluster == "" || x+width > len(c[y]) {
			return
		}
		if width > 0 {
			c[y][x] = cell{cluster, l}
			for k := 1; k < width; k++ {
				c[y][x+k] = cell{"", l}
			}
		}
		text, x = text[len(cluster):], x+width
	}
}

// rows are the lines of the canvas, without blanks at their ends.
func (c canvas) rows(colour bool) []string {
	out := make([]string, len(c))
	for y, row := range c {
		for len(row) > 0 && row[len(row)-1].text == " " {
			row = row[:len(row)-1]
		}
		var b strings.Builder
		for x := 0; x < len(row); {
			from, l := x, row[x].look
			var run strings.Builder
			for x = from; x < len(row) && row[x].look == l; x++ {
				run.WriteString(row[x].text)
			}
			b.WriteString(l.show(run.String(), colour))
		}
		out[y] = b.String()
	}
	return out
}

// show is a text in a look.
func (l look) show(text string, colour bool) string {
	switch {
	case !colour || l == regular || text == "":
		return text
	case l == strong:
		return ansi.NewStyle().Bold().Styled(text)
	}
	return ansi.NewStyle().Faint().Styled(text)
}
