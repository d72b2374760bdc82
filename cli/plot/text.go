package plot

import (
	"cmp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The chart for the terminal. Rules:
//   - it is never wider or higher than it was asked to be, and has no blanks at
//     the ends of lines; below 24 by 6 cells there is none
//   - a point is one cell. Its name stands beside it, or above or below it where
//     nobody could take it for that of another; else the point is a letter, and
//     the name stands in the key below. Points in the same cell share both.
//   - what there is no room for is left out in this order: title, words at the
//     axes, key
//   - with colour, weight is added: bold and faint, which read on any background

const (
	minTextWidth, minTextHeight = 24, 6
	maxTextWidth, maxTextHeight = 300, 100

	wordsFrom = 9  // lines from which on there are words at the axes
	titleFrom = 14 // lines from which on there is a title
	scaleCols = 7  // of the labels and the axis of the share
	minRows   = 3  // of points
	tickGap   = 3  // between the labels of the axis of cost, and their width
	tickWidth = 4
)

// Text is the chart for a terminal, at most so many cells wide and lines high;
// each line ends in a line feed. It is empty if that is too small. Names are
// made safe. Colour adds bold and faint.
func Text(c Chart, width, height int, colour bool) string {
	if width < minTextWidth || height < minTextHeight {
		return ""
	}
	s := &sketch{chart: c, width: min(width, maxTextWidth), height: min(height, maxTextHeight)}
	s.layOut()
	var b strings.Builder
	for _, row := range s.draw().rows(colour) {
		b.WriteString(row + "\n")
	}
	return b.String()
}

// sketch is a chart being laid out in cells.
type sketch struct {
	chart         Chart
	width, height int

	figure
	rows  int // of points
	spots []*spot
	key   []string // lines below the chart
}

// words and titled report whether there are words at the axes, and a title.
func (s *sketch) words() bool  { return s.height >= wordsFrom }
func (s *sketch) titled() bool { return s.height >= titleFrom && s.Title != "" }

// layOut decides where everything stands. The key takes rows from the points,
// which can make more points need the key.
func (s *sketch) layOut() {
	s.figure = newFigure(s.chart, 1, 1) // for the texts
	free := s.height - 2
	if s.words() {
		free -= 2
	}
	if s.titled() {
		free--
	}
	most := max(0, min(free-minRows, free/2))
	for keyed := 0; ; keyed++ {
		s.rows = free - keyed
		s.arrange()
		lines := s.keyLines()
		if len(lines) <= keyed || keyed == most {
			s.key = lines[:min(len(lines), keyed)]
			if cut := len(lines) > keyed && keyed > 0; cut {
				last := ansi.Truncate(s.key[keyed-1], s.width-2, "")
				s.key[keyed-1] = strings.TrimRight(last, " …") + " …"
			}
			return
		}
	}
}

// arrange places the points and their names in the rows there are.
func (s *sketch) arrange() {
	cols := s.width - scaleCols
	s.figure = newFigure(s.chart, float64(tickGap+tickWidth)/float64(cols), 2/float64(s.rows))
	s.spots = nil
	for _, m := range s.marks {
		x := scaleCols + cell0(s.cost.at(m.Cost), cols)
		y := s.rows - 1 - cell0(s.kept.at(m.Kept), s.rows)
		if m.beyond {
			x = s.width - 1
		}
		if k := slices.IndexFunc(s.spots, func(p *spot) bool { return p.x == x && p.y == y }); k >= 0 {
			s.spots[k].marks = append(s.spots[k].marks, m)
		} else {
			s.spots = append(s.spots, &spot{x: x, y: y, marks: []mark{m}})
		}
	}
	s.name()
}

// cell0 is the cell in which a share of so many cells falls.
func cell0(share float64, cells int) int { return int(share*float64(cells-1) + 0.5) }

// draw puts everything in its cells.
func (s *sketch) draw() canvas {
	c := newCanvas(s.width, s.height)
	y := 0
	if s.titled() {
		c.put(0, y, ansi.Truncate(s.Title, s.width, "…"), strong)
		y++
	}
	if s.words() {
		s.better(c, y, "↑ keeps more", s.YLabel)
		y++
	}
	s.drawPoints(c[y : y+s.rows])
	s.drawScales(c[y : y+s.rows+2])
	y += s.rows + 2
	if s.words() {
		s.better(c, y, "← cheaper", s.XLabel, s.XLabel+logScale)
		y++
	}
	for _, line := range s.key {
		c.put(0, y, line, regular)
		y++
	}
	return c[:y]
}

// better writes which way of an axis is the better one, and what it measures:
// the last of the labels that fits, or the first cut.
func (s *sketch) better(c canvas, y int, word string, labels ...string) {
	x := scaleCols - 1
	c.put(x, y, word, strong)
	x += ansi.StringWidth(word) + 2
	for _, l := range slices.Backward(labels) {
		if ansi.StringWidth(l) <= s.width-x {
			c.put(x, y, l, quiet)
			return
		}
	}
	if s.width-x > 8 {
		c.put(x, y, ansi.Truncate(labels[0], s.width-x, "…"), quiet)
	}
}

// drawScales draws the axes around the points; the last two rows are below.
func (s *sketch) drawScales(c canvas) {
	axis := scaleCols - 1
	for y := range s.rows {
		c.put(axis, y, "│", quiet)
	}
	for _, t := range s.kept.ticks {
		y, label := s.rows-1-cell0(s.kept.at(t), s.rows), percent(t)
		c.put(axis-1-len(label), y, label, quiet)
		c.put(axis, y, "┤", quiet)
	}
	c.put(axis, s.rows, "└"+strings.Repeat("─", s.width-scaleCols), quiet)
	free := 0
	for i, label := range s.cost.labels() {
		x := scaleCols + cell0(s.cost.at(s.cost.ticks[i]), s.width-scaleCols)
		from := min(x-len(label)/2, s.width-len(label))
		if from < free {
			continue
		}
		c.put(x, s.rows, "┴", quiet)
		c.put(from, s.rows+1, label, quiet)
		free = from + len(label) + 1
	}
}

// drawPoints draws the line of what costs the same, the points and their names.
func (s *sketch) drawPoints(c canvas) {
	if s.cost.shows(1) && len(s.spots) > 0 {
		x := scaleCols + cell0(s.cost.at(1), s.width-scaleCols)
		for y := range s.rows {
			c.put(x, y, "┊", quiet)
		}
	}
	for _, p := range s.spots {
		l := regular
		if p.emphasis() || p.letter != "" {
			l = strong
		}
		c.put(p.x, p.y, cmp.Or(p.letter, p.glyph()), l)
		if p.name != "" {
			c.put(p.nameX, p.nameY, p.name, l)
		}
	}
	if len(s.spots) == 0 {
		c.put(scaleCols+1, s.rows/2, ansi.Truncate(nothing, s.width-scaleCols-1, "…"), quiet)
	}
}
