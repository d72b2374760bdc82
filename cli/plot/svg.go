package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The picture has title and subtitle at the top, the points on the left, the key
// on the right, and what the signs mean at the bottom. Lengths are whole pixels.
// Elements have places and classes; how they look is in the style.

const (
	leastWidth = 760
	margin     = 24
	plotLeft   = 66
	plotRight  = 470
	plotTop    = 106
	plotHeight = 262 // at least; it grows with the key
	plotMost   = 480
	inset      = 12 // from the edge of the plot to the ends of the axes
	keyLeft    = plotRight + 28
	nameLeft   = keyLeft + 28
	figures    = 62 + 62 + margin // right of the names
	rowHeight  = 26
	cell       = 8  // the width of a letter, taken generously
	mostCells  = 60 // of a name
)

// picture is a chart being drawn.
type picture struct {
	Chart
	out           bytes.Buffer
	width, bottom int // bottom is where plot and key end
	plot          box
	shown         []Point // those of the points that are drawn; they come first
	centers       []dot   // of those
	cost, kept    scale
}

func newPicture(c Chart) *picture {
	c.Title, c.Subtitle, c.CostLabel, c.KeptLabel = oneLine(c.Title), oneLine(c.Subtitle), oneLine(c.CostLabel), oneLine(c.KeptLabel)
	c.Points = sorted(c.Points)
	p := &picture{Chart: c, width: leastWidth, plot: box{plotLeft, plotTop, plotRight, 0}}
	p.plot.y1 = plotTop + min(max(plotHeight, len(c.Points)*rowHeight-60), plotMost)
	low, high := 0.5, 2.0
	least, most := 0.0, 1.0
	for i, point := range c.Points {
		p.width = max(p.width, nameLeft+cell*min(ansi.StringWidth(point.Name), mostCells)+figures)
		if !point.drawable() {
			continue
		}
		if i == 0 {
			low, least, most = point.Cost, point.Kept, point.Kept
		}
		p.shown = append(p.shown, point)
		high, least, most = point.Cost, min(least, point.Kept), max(most, point.Kept)
	}
	p.bottom = max(p.plot.y1+60, plotTop+len(c.Points)*rowHeight)
	p.cost, p.kept = costScale(low, high), keptScale(least, most)
	for _, point := range p.shown {
		p.centers = append(p.centers, dot{p.x(point.Cost), p.y(point.Kept)})
	}
	return p
}

func (p *picture) x(cost float64) int {
	return p.plot.x0 + inset + int(p.cost.at(cost)*float64(p.plot.x1-p.plot.x0-2*inset)+0.5)
}

func (p *picture) y(share float64) int {
	return p.plot.y1 - inset - int(p.kept.at(share)*float64(p.plot.y1-p.plot.y0-2*inset)+0.5)
}

func (p *picture) write(format string, args ...any) { fmt.Fprintf(&p.out, format, args...) }

// text writes a text of at most room pixels.
func (p *picture) text(at dot, class string, room int, text string) {
	p.write(`<text class="%s" x="%d" y="%d">%s</text>`+"\n", class, at.x, at.y, escape(ansi.Truncate(text, room/cell, "…")))
}

func (p *picture) line(class string, a, b dot) {
	p.write(`<line class="%s" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", class, a.x, a.y, b.x, b.y)
}

func (p *picture) circle(class string, at dot, radius int) {
	p.write(`<circle class="%s" cx="%d" cy="%d" r="%d"/>`+"\n", class, at.x, at.y, radius)
}

// escape is a text as it stands between tags.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}

func (p *picture) open() {
	height := p.bottom + 42
	p.write(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-labelledby="plot-title plot-desc">`+"\n", p.width, height)
	title := p.Title
	if title == "" {
		title = "Cost, and what is kept in view"
	}
	p.write("<title id=\"plot-title\">%s</title>\n<desc id=\"plot-desc\">%s</desc>\n", escape(title), escape(p.description()))
	p.write("<style>\n%s</style>\n", style())
	p.write(`<rect class="back" x="0.5" y="0.5" width="%d" height="%d" rx="8"/>`+"\n", p.width-1, height-1)
}

// description is the picture in words.
func (p *picture) description() string {
	var b strings.Builder
	if p.Subtitle != "" {
		b.WriteString(p.Subtitle + ". ")
	}
	b.WriteString("From left to right: " + p.CostLabel + ", on a logarithmic scale, lower is cheaper. From bottom to top: " + p.KeptLabel + ", higher keeps more.")
	for _, point := range p.Points {
		b.WriteString(" " + point.describe() + ".")
	}
	return b.String()
}

func (p *picture) heading() {
	p.text(dot{margin, 38}, "title", (p.width-2*margin)*3/4, p.Title) // its letters are larger
	p.text(dot{margin, 60}, "quiet", p.width-2*margin, p.Subtitle)
}

// axes draws the grid, the ticks and the words that say which way is better.
func (p *picture) axes() {
	for i, label := range p.kept.labels(100) {
		y := p.y(p.kept.ticks[i])
		p.line("grid", dot{p.plot.x0, y}, dot{p.plot.x1, y})
		p.text(dot{p.plot.x0 - 10, y + 4}, "small quiet end", plotLeft, label+" %")
	}
	for i, label := range p.cost.labels(1) {
		x, lineClass, labelClass := p.x(p.cost.ticks[i]), "grid", "small quiet middle"
		if p.cost.ticks[i] == 1 {
			lineClass, labelClass = "one", "small strong middle"
		}
		p.line(lineClass, dot{x, p.plot.y0}, dot{x, p.plot.y1})
		p.text(dot{x, p.plot.y1 + 18}, labelClass, plotLeft, label)
	}
	p.line("axis", dot{p.plot.x0, p.plot.y1}, dot{p.plot.x1, p.plot.y1})
	p.better(p.plot.y0-12, "↑ keeps more", p.KeptLabel)
	p.better(p.plot.y1+42, "← cheaper", p.CostLabel+", logarithmic")
}

// better writes which way of an axis is the better one, and what it measures.
func (p *picture) better(y int, word, label string) {
	label = ansi.Truncate(label, (p.plot.x1-p.plot.x0)/cell-ansi.StringWidth(word), "…")
	p.write(`<text class="small quiet" x="%d" y="%d"><tspan class="accent strong">%s</tspan><tspan dx="8">%s</tspan></text>`+"\n",
		p.plot.x0, y, word, escape(label))
}

// front joins the points of the front: level up to the cost of the next one, then
// up to what that one keeps.
func (p *picture) front() {
	path := ""
	n := 0
	for i, point := range p.shown {
		if !point.Front {
			continue
		}
		if n++; n == 1 {
			path = fmt.Sprintf("M%d %d", p.centers[i].x, p.centers[i].y)
			continue
		}
		path += fmt.Sprintf("H%dV%d", p.centers[i].x, p.centers[i].y)
	}
	if n > 1 {
		p.write(`<path class="front" d="%s"/>`+"\n", path)
	}
}

// points draws the points, those that are emphasized above the others: alone as a disc
// with its number, in a crowd as a dot. Beside a crowd stand the numbers of all in it.
func (p *picture) points() {
	crowds, alone := crowdsOf(p.centers), map[int]bool{}
	for _, crowd := range crowds {
		alone[crowd[0]] = len(crowd) == 1
	}
	for _, last := range []bool{false, true} {
		for i, point := range p.shown {
			if point.Emphasis != last {
				continue
			}
			p.write("<g><title>%s</title>\n", escape(point.describe()))
			if alone[i] {
				p.disc(i, p.centers[i])
			} else {
				p.circle(point.class(), p.centers[i], dotRadius)
			}
			p.write("</g>\n")
		}
	}
	for _, crowd := range crowds {
		if len(crowd) > 1 {
			p.numbers(crowd)
		}
	}
	if len(p.shown) == 0 {
		p.text(dot{(p.plot.x0 + p.plot.x1) / 2, (p.plot.y0 + p.plot.y1) / 2}, "quiet middle", plotRight-plotLeft, "There is nothing to draw.")
	}
}

// numbers writes the numbers of a crowd at its right, or at its left where the plot ends.
func (p *picture) numbers(crowd []int) {
	byX := func(a, b int) int { return p.centers[a].x - p.centers[b].x }
	left, right := p.centers[slices.MinFunc(crowd, byX)], p.centers[slices.MaxFunc(crowd, byX)]
	const gap = dotRadius + 5
	text := ranges(crowd)
	if right.x+gap+cell*ansi.StringWidth(text) <= p.plot.x1 {
		p.text(dot{right.x + gap, right.y + 4}, "small strong", p.plot.x1-right.x, text)
	} else {
		p.text(dot{left.x - gap, left.y + 4}, "small strong end", left.x-margin, text)
	}
}

// disc draws a disc with the number of a point.
func (p *picture) disc(i int, at dot) {
	p.circle(p.shown[i].class(), at, discRadius)
	class := "number"
	if p.shown[i].Overflow > 0 {
		class += " hollow"
	}
	if p.shown[i].Emphasis {
		class += " ours"
	}
	p.text(dot{at.x, at.y + 4}, class, 4*cell, strconv.Itoa(i+1))
}

func (p Point) class() string {
	class := "point"
	if p.Emphasis {
		class += " ours"
	}
	if p.Overflow > 0 {
		class += " hollow"
	}
	return class
}

// key lists all points beside the plot, with their figures.
func (p *picture) key() {
	right := p.width - margin
	p.text(dot{right - 66, plotTop - 12}, "small quiet end", figures, "cost")
	p.text(dot{right, plotTop - 12}, "small quiet end", figures, "in view")
	for i, point := range p.Points {
		y, class := plotTop+i*rowHeight+12, ""
		if point.Emphasis {
			class = "accent strong "
		}
		if i < len(p.shown) {
			p.disc(i, dot{keyLeft + discRadius, y - 4})
		}
		p.text(dot{nameLeft, y}, class+"name", mostCells*cell, point.Name)
		p.text(dot{right - 66, y}, class+"end", figures, point.cost())
		p.text(dot{right, y}, class+"end", figures, point.kept())
	}
}

// legend says what the signs in the picture mean.
func (p *picture) legend() {
	x, y := margin, p.bottom+18
	hollow, fronts := false, 0
	for _, point := range p.shown {
		hollow = hollow || point.Overflow > 0
		if point.Front {
			fronts++
		}
	}
	if hollow {
		p.circle("point", dot{x + 7, y - 4}, 6)
		p.text(dot{x + 22, y}, "small quiet", p.width, "all requests fit")
		p.circle("point hollow", dot{x + 157, y - 4}, 6)
		p.text(dot{x + 172, y}, "small quiet", p.width, "some do not fit the window")
		x += 370
	}
	if fronts > 1 {
		p.write(`<path class="front" d="M%d %dh12v-8h12"/>`+"\n", x, y)
		p.text(dot{x + 34, y}, "small quiet", p.width, "nothing that fits is cheaper and keeps more")
	}
}

// SVG writes the chart as a picture that stands on its own. The only errors are
// those of w.
func SVG(w io.Writer, c Chart) error {
	p := newPicture(c)
	p.open()
	p.heading()
	p.axes()
	p.front()
	p.points()
	p.key()
	p.legend()
	p.write("</svg>\n")
	if _, err := w.Write(p.out.Bytes()); err != nil {
		return fmt.Errorf("writing the picture: %w", err)
	}
	return nil
}
