package plot

import "bytes"

// Where the parts of the picture are: it is 760 wide and 440 high; more rows of
// legend and notes make it higher, and a missing title gives its room to the
// points.

const (
	pictureWidth = 760 * px
	plotBottom   = 354 * px // with one row below, the picture is 440 high
	belowPlot    = 66 * px  // from the plot to the base line of the first row below
	margin       = 24 * px
	axisLeft     = 66 * px // the left edge of the plot
	inset        = 16 * px // from the edge of the plot to the ends of the axes
	rowHeight    = 19 * px
	smallSize    = 12 // font size, pixels
	titleSize    = 17

	pointRadius = 6 * px
	oursRadius  = 8 * px

	costApart = 0.065 // of ticks, as shares of the axes
	keptApart = 0.15
)

// drawing is a picture being written.
type drawing struct {
	figure
	out    bytes.Buffer
	height int
	plot   box // what the axes enclose
	at     []dot
	tags   []*tag
	legend [][]item // rows
	notes  []string
}

// layOut decides where everything stands.
func (d *drawing) layOut() {
	top := margin + 26*px // the base line of the words above the axis is 12 higher
	if d.Title != "" {
		top += 24 * px
	}
	if d.Subtitle != "" {
		top += 24 * px
	}
	d.plot = box{axisLeft, top, pictureWidth - margin, plotBottom}
	d.legend = d.items()
	if len(d.legend) == 0 {
		d.plot.y1 += rowHeight
	}
	for _, m := range d.marks {
		d.at = append(d.at, d.locate(m))
	}
	d.label()
	d.notes = d.remarks()
	d.height = d.plot.y1 + 67*px
	if rows := len(d.legend) + len(d.notes); rows > 0 {
		d.height = d.plot.y1 + belowPlot + (rows-1)*rowHeight + 20*px
	}
}

// locate is where a mark stands.
func (d *drawing) locate(m mark) dot {
	if m.beyond {
		return dot{d.plot.x1 - inset/2, d.y(m.Kept)}
	}
	return dot{d.x(m.Cost), d.y(m.Kept)}
}

func (d *drawing) x(cost float64) int {
	return d.plot.x0 + inset + round(d.cost.at(cost)*float64(d.plot.x1-d.plot.x0-2*inset))
}

func (d *drawing) y(share float64) int {
	return d.plot.y1 - inset - round(d.kept.at(share)*float64(d.plot.y1-d.plot.y0-2*inset))
}

func round(v float64) int { return int(v + 0.5) }

// label finds a place for the name of each mark.
func (d *drawing) label() {
	lines := d.steps()
	if d.cost.shows(1) {
		lines = append(lines, d.reference())
	}
	by := rank(d.marks, d.at)
	subjects := make([]subject, len(by))
	for i, k := range by {
		subjects[i] = subject{at: d.at[k], radius: radius(d.marks[k]), label: d.marks[k].label(), bold: d.marks[k].Emphasis}
	}
	d.tags = make([]*tag, len(by))
	for i, t := range place(d.plot.grown(-2*px), lines, subjects) {
		d.tags[by[i]] = t
	}
}

func radius(m mark) int {
	if m.Emphasis {
		return oursRadius
	}
	return pointRadius
}

// steps is the line of the front: level up to the cost of the next point, then
// up to what that one keeps.
func (d *drawing) steps() []segment {
	var out []segment
	var last dot
	for i, m := range d.front() {
		at := d.locate(m)
		if i > 0 {
			corner := dot{at.x, last.y}
			out = append(out, segment{last, corner}, segment{corner, at})
		}
		last = at
	}
	return out
}

// reference is the line of what costs the same.
func (d *drawing) reference() segment {
	return segment{dot{d.x(1), d.plot.y0}, dot{d.x(1), d.plot.y1}}
}
