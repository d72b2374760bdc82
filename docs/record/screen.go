package main

import (
	"fmt"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

// look is how a run of cells is drawn.
type look struct {
	ink, paper                      string // as #rrggbb
	bold, italic, underline, struck bool
}

// cell is one character, and how it is drawn. The cell behind a wide one has no text.
type cell struct {
	text string
	look look
}

// screen is what a terminal shows at one moment.
type screen [][]cell

func newScreen(e *vt.Emulator, cursor bool) screen {
	s := make(screen, e.Height())
	at := e.CursorPosition()
	for y := range s {
		s[y] = make([]cell, e.Width())
		for x := range s[y] {
			c := e.CellAt(x, y)
			if c == nil {
				c = &uv.EmptyCell
			}
			s[y][x] = cell{c.Content, lookOf(c.Style, cursor && at.X == x && at.Y == y)}
		}
	}
	return s
}

// lookOf is how a terminal draws a style.
func lookOf(style uv.Style, cursor bool) look {
	front, back := color.Color(ink), color.Color(paper)
	if style.Fg != nil {
		front = style.Fg
	}
	if style.Bg != nil {
		back = style.Bg
	}
	if style.Attrs&uv.AttrReverse != 0 != cursor {
		front, back = back, front
	}
	l := look{ink: hex(front), paper: hex(back), bold: style.Attrs&uv.AttrBold != 0, italic: style.Attrs&uv.AttrItalic != 0,
		underline: style.Underline != uv.UnderlineNone, struck: style.Attrs&uv.AttrStrikethrough != 0}
	if style.Attrs&uv.AttrFaint != 0 {
		l.ink = hex(between(front, back))
	}
	return l
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// between is the color in the middle of two.
func between(a, b color.Color) color.Color {
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	return color.RGBA{uint8((ar + br) >> 9), uint8((ag + bg) >> 9), uint8((ab + bb) >> 9), 0xff}
}

// text is the screen without its looks.
func (s screen) text() string {
	var b strings.Builder
	for _, row := range s {
		var line strings.Builder
		for _, c := range row {
			line.WriteString(c.text)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}
