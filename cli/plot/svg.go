package plot

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The picture, from the top: title and subtitle, the axis of the share with its
// words above it, the points, the axis of cost with its words below it, the
// legend, and notes on what is not drawn. Rules:
//   - a point, its label and its leader are one group, with a tooltip
//   - nothing but these elements, their places and classes: how it looks is in
//     the style

// SVG writes the chart as a picture that stands on its own. The only errors are
// those of w.
func SVG(w io.Writer, c Chart) error {
	d := &drawing{figure: newFigure(c, costApart, keptApart)}
	d.layOut()
	d.open()
	d.heading()
	d.axes()
	d.frontLine()
	d.points()
	d.below()
	d.write("</svg>\n")
	if _, err := w.Write(d.out.Bytes()); err != nil {
		return fmt.Errorf("writing the picture: %w", err)
	}
	return nil
}

func (d *drawing) write(format string, args ...any) { fmt.Fprintf(&d.out, format, args...) }

// text writes a line of text.
func (d *drawing) text(at dot, class, anchor, text string) {
	d.write(`<text x="%s" y="%s"`, pixels(at.x), pixels(at.y))
	if class != "" {
		d.write(` class="%s"`, class)
	}
	if anchor != "start" {
		d.write(` text-anchor="%s"`, anchor)
	}
	d.write(">%s</text>\n", escape(text))
}

func (d *drawing) line(class string, s segment) {
	d.write(`<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`+"\n", class, pixels(s.a.x), pixels(s.a.y), pixels(s.b.x), pixels(s.b.y))
}

// escape is a text as it stands between tags.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}

func (d *drawing) open() {
	d.write(`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s" role="img" aria-labelledby="plot-title plot-desc">`+"\n",
		pixels(pictureWidth), pixels(d.height))
	title := d.Title
	if title == "" {
		title = d.YLabel + " against " + d.XLabel
	}
	d.write("<title id=\"plot-title\">%s</title>\n<desc id=\"plot-desc\">%s</desc>\n", escape(title), escape(d.description()))
	d.write("<style>\n%s</style>\n", sheet())
	d.write(`<rect class="back" x="0.5" y="0.5" width="%s" height="%s" rx="8" stroke-opacity=".35"/>`+"\n",
		pixels(pictureWidth-px), pixels(d.height-px))
}

// description is the picture in words.
func (d *drawing) description() string {
	var b strings.Builder
	if d.Subtitle != "" {
		b.WriteString(d.Subtitle + ". ")
	}
	b.WriteString("From left to right: " + d.XLabel + ", on a logarithmic scale, lower is cheaper. From bottom to top: " + d.YLabel + ", higher keeps more.")
	for _, m := range d.marks {
		b.WriteString(" " + m.describe() + ".")
	}
	if len(d.left) > 0 {
		b.WriteString(" " + notDrawn + strings.Join(d.left, ", ") + ".")
	}
	return b.String()
}

func (d *drawing) heading() {
	y := margin
	if d.Title != "" {
		y += 14 * px
		d.text(dot{margin, y}, "title", "start", fit(d.Title, pictureWidth-2*margin, titleSize, true))
		y += 8 * px
	}
	if d.Subtitle != "" {
		y += 14 * px
		d.text(dot{margin, y}, "quiet", "start", fit(d.Subtitle, pictureWidth-2*margin, labelSize, false))
	}
}

// axes draws the grid, the ticks and the words that say which way is better.
func (d *drawing) axes() {
	for _, t := range d.kept.ticks {
		y := d.y(t)
		d.line("grid", segment{dot{d.plot.x0, y}, dot{d.plot.x1, y}})
		d.text(dot{d.plot.x0 - 10*px, y + 4*px}, "small quiet", "end", percent(t))
	}
	labels := d.cost.labels()
	for i, t := range d.cost.ticks {
		x, class := d.x(t), "small quiet"
		if t == 1 {
			class = "small strong"
		}
		d.line("grid", segment{dot{x, d.plot.y0}, dot{x, d.plot.y1}})
		d.text(dot{x, d.plot.y1 + 18*px}, class, "middle", labels[i])
	}
	if d.cost.shows(1) {
		d.line("one", d.reference())
	}
	d.line("axis", segment{dot{d.plot.x0, d.plot.y1}, dot{d.plot.x1, d.plot.y1}})
	d.better(d.plot.y0-10*px, "↑ keeps more", d.YLabel)
	d.better(d.plot.y1+39*px, "← cheaper", d.XLabel+logScale)
}

// better writes which way of an axis is the better one, and what it measures.
func (d *drawing) better(y int, word, label string) {
	taken := extent(word, smallSize, true) + 12*px
	label = fit(label, d.plot.x1-d.plot.x0-taken, smallSize, false)
	d.write(`<text class="small quiet" x="%s" y="%s"><tspan class="accent strong">%s</tspan><tspan dx="8">%s</tspan></text>`+"\n",
		pixels(d.plot.x0), pixels(y), escape(word), escape(label))
}

func (d *drawing) frontLine() {
	steps := d.steps()
	if len(steps) == 0 {
		return
	}
	var b strings.Builder
	b.WriteString("M" + pixels(steps[0].a.x) + " " + pixels(steps[0].a.y))
	for _, s := range steps {
		b.WriteString("L" + pixels(s.b.x) + " " + pixels(s.b.y))
	}
	d.write(`<path class="front" d="%s"/>`+"\n", b.String())
}

// points draws all marks, what is emphasised above the others.
func (d *drawing) points() {
	for _, last := range []bool{false, true} {
		for i, m := range d.marks {
			if m.Emphasis == last {
				d.point(m, d.at[i], d.tags[i])
			}
		}
	}
	if len(d.marks) == 0 {
		at := dot{(d.plot.x0 + d.plot.x1) / 2, (d.plot.y0 + d.plot.y1) / 2}
		d.text(at, "quiet", "middle", nothing)
	}
}

func (d *drawing) point(m mark, at dot, t *tag) {
	d.write("<g><title>%s</title>\n", escape(m.describe()))
	if t != nil && t.leader != nil {
		d.line("leader", *t.leader)
	}
	d.symbol(m, at)
	if t != nil {
		class := "name"
		if m.Emphasis {
			class = "name accent strong"
		}
		x := t.box.x0
		switch t.anchor {
		case "middle":
			x = (t.box.x0 + t.box.x1) / 2
		case "end":
			x = t.box.x1
		}
		d.text(dot{x, t.box.y0 + labelBase}, class, t.anchor, t.text)
	}
	d.write("</g>\n")
}

// symbol draws the mark itself: a circle, or an arrow beyond the scale.
func (d *drawing) symbol(m mark, at dot) {
	class, r := "point", radius(m)
	if m.Emphasis {
		class += " ours"
	}
	if m.Overflow > 0 {
		class += " over"
	}
	if m.beyond {
		d.write(`<path class="%s" d="M%s %sL%s %sL%s %sZ"/>`+"\n", class, pixels(at.x-r), pixels(at.y-r),
			pixels(at.x+r), pixels(at.y), pixels(at.x-r), pixels(at.y+r))
		return
	}
	if m.Overflow > 0 {
		r -= px
	}
	if m.Emphasis {
		d.write(`<circle class="halo" cx="%s" cy="%s" r="%s"/>`+"\n", pixels(at.x), pixels(at.y), pixels(r))
	}
	d.write(`<circle class="%s" cx="%s" cy="%s" r="%s"/>`+"\n", class, pixels(at.x), pixels(at.y), pixels(r))
}
