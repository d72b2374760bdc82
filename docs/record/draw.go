package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Sizes of a picture, in pixels.
const (
	cellWidth, cellHeight = 8.4, 18.0
	fontSize, baseline    = 14, 13.0
	margin, bar           = 12.0, 34.0
)

// drawn is a row at the top of the screen.
func (f *film) drawn(row []cell) string {
	var back, front strings.Builder
	for x := 0; x < len(row); {
		n := alike(row[x:], func(a, b cell) bool { return a.look.paper == b.look.paper })
		if p := row[x].look.paper; p != hex(paper) {
			fmt.Fprintf(&back, `<path fill="%s" d="M%s 0h%sv%gH%sz"/>`, p, px(x), px(n), cellHeight, px(x))
		}
		x += n
	}
	for x := 0; x < len(row); {
		n := alike(row[x:], func(a, b cell) bool { return a.look == b.look && shaped(a.text) == shaped(b.text) })
		if shape := shaped(row[x].text); shape != "" {
			front.WriteString(drawnShape(shape, x, n, row[x].look.ink))
		} else {
			front.WriteString(f.drawnText(row[x:x+n], x))
		}
		x += n
	}
	return back.String() + front.String()
}

// alike is how many cells from the first on are like it.
func alike(row []cell, like func(a, b cell) bool) int {
	n := 1
	for n < len(row) && like(row[0], row[n]) {
		n++
	}
	return n
}

// px is a number of cells in pixels.
func px(cells int) string { return trimmed(float64(cells) * cellWidth) }

func trimmed(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.1f", v), "0"), ".")
}

// drawnText is a run of text in one look, as wide as its cells whatever the font.
func (f *film) drawnText(run []cell, x int) string {
	var b strings.Builder
	for _, c := range run {
		b.WriteString(c.text)
	}
	text := strings.TrimRight(b.String(), " ")
	wide := len(run) - (b.Len() - len(text)) // blanks are one cell each
	left := strings.TrimLeft(text, " ")
	x, wide = x+len(text)-len(left), wide-(len(text)-len(left))
	if left == "" {
		return ""
	}
	css := run[0].look.css()
	at := slices.Index(f.looks, css)
	if at < 0 {
		at = len(f.looks)
		f.looks = append(f.looks, css)
	}
	stretch := ""
	if utf8.RuneCountInString(left) > 1 {
		stretch = ` textLength="` + px(wide) + `"`
	}
	return fmt.Sprintf(`<text class="l%d" x="%s" y="%g"%s>%s</text>`, at, px(x), baseline, stretch, escaped(left))
}

// css is what a style sheet says of a look.
func (l look) css() string {
	css := "fill:" + l.ink
	if l.bold {
		css += ";font-weight:700"
	}
	if l.italic {
		css += ";font-style:italic"
	}
	if l.underline {
		css += ";text-decoration:underline"
	}
	if l.struck {
		css += ";text-decoration:line-through"
	}
	return css
}

func escaped(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer takes everything
	return b.String()
}

// eighths are blocks from one eighth of a cell to the whole, from the left.
const eighths = "▏▎▍▌▋▊▉█"

// shaped is a character that is drawn as a shape, since fonts leave gaps between its kind; "" if it is none.
func shaped(text string) string {
	if text != "" && strings.Contains(eighths+"▕─│╭╮╰╯", text) {
		return text
	}
	return ""
}

// drawnShape draws the same shape in some cells.
func drawnShape(shape string, x, n int, ink string) string {
	const w, h, cx, cy = cellWidth, cellHeight, cellWidth / 2, cellHeight / 2
	var b strings.Builder
	stroke := func(d string) string { return `<path class="s" stroke="` + ink + `" d="` + d + `"/>` }
	box := func(left, width float64) string {
		return fmt.Sprintf(`<path fill="%s" d="M%s 0h%sv%gh-%sz"/>`, ink, trimmed(left), trimmed(width), h, trimmed(width))
	}
	if shape == "█" {
		return box(float64(x)*w, float64(n)*w)
	}
	if shape == "─" {
		return stroke(fmt.Sprintf("M%s %gh%s", px(x), cy, px(n)))
	}
	for i := range n {
		left := float64(x+i) * w
		at := func(format string, more ...any) string { return stroke(fmt.Sprintf(format, more...)) }
		middle := trimmed(left + cx)
		switch shape {
		case "▕":
			b.WriteString(box(left+w-1, 1))
		case "│":
			b.WriteString(at("M%s 0v%g", middle, h))
		case "╭":
			b.WriteString(at("M%s %gv-5q0-4 4-4h.2", middle, h))
		case "╮":
			b.WriteString(at("M%s %gv-5q0-4-4-4h-.2", middle, h))
		case "╰":
			b.WriteString(at("M%s 0v5q0 4 4 4h.2", middle))
		case "╯":
			b.WriteString(at("M%s 0v5q0 4-4 4h-.2", middle))
		default:
			part := utf8.RuneCountInString(eighths[:strings.Index(eighths, shape)]) + 1
			b.WriteString(box(left, w*float64(part)/8))
		}
	}
	return b.String()
}
