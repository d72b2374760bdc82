package plot

import (
	"fmt"
	"slices"
	"strings"
)

// What stands below the picture: what the signs mean, only those that occur,
// and notes on policies that are not drawn or have no label.

const (
	logScale = ", logarithmic"
	nothing  = "There is nothing to draw."
	notDrawn = "Not drawn, for want of a cost or a share: "
	noRoom   = "Without a label, for want of room: "

	notesRows = 2       // at most, of each note
	iconWidth = 26 * px // of a sign and the gap behind it
	itemGap   = 22 * px
)

// item is a sign and what it means.
type item struct {
	sign  string // fits, over, front or beyond
	words string
	x     int
}

// items is the legend, in rows.
func (d *drawing) items() [][]item {
	has := func(is func(mark) bool) bool { return slices.ContainsFunc(d.marks, is) }
	var all []item
	over := has(func(m mark) bool { return m.Overflow > 0 })
	switch {
	case over && has(func(m mark) bool { return m.Overflow == 0 }):
		all = append(all, item{sign: "fits", words: "all requests fit"}, item{sign: "over", words: "some do not fit the window"})
	case over:
		all = append(all, item{sign: "over", words: "some requests do not fit the window"})
	}
	if len(d.front()) > 1 {
		all = append(all, item{sign: "front", words: "nothing that fits is cheaper and keeps more"})
	}
	if has(func(m mark) bool { return m.beyond }) {
		all = append(all, item{sign: "beyond", words: "beyond the scale, with its cost"})
	}
	var rows [][]item
	x := margin
	for _, it := range all {
		w := iconWidth + extent(it.words, smallSize, false)
		if len(rows) == 0 || x+w > pictureWidth-margin {
			rows, x = append(rows, nil), margin
		}
		it.x = x
		rows[len(rows)-1] = append(rows[len(rows)-1], it)
		x += w + itemGap
	}
	return rows
}

// remarks is what the notes say, in rows.
func (d *drawing) remarks() []string {
	var bare []string
	for i, t := range d.tags {
		if t == nil {
			bare = append(bare, d.marks[i].Name)
		}
	}
	return append(wrapped(notDrawn, d.left), wrapped(noRoom, bare)...)
}

// wrapped is a list of names behind a lead, in few rows; how many were left out
// stands at the end.
func wrapped(lead string, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	const width = pictureWidth - 2*margin
	fits := func(s string) bool { return extent(s, smallSize, false) <= width }
	rows := []string{lead}
	for i, name := range names {
		name = fit(name, longLabel, smallSize, false)
		after, rest := "", len(names)-i-1
		if rest > 0 {
			name, after = name+", ", fmt.Sprintf("and %d more", rest)
		}
		last := rows[len(rows)-1]
		switch full := len(rows) == notesRows; {
		case fits(last+name) && (!full || fits(last+name+after)):
			rows[len(rows)-1] = last + name
		case full:
			rows[len(rows)-1] = last + fmt.Sprintf("and %d more", rest+1)
			return rows
		default:
			rows = append(rows, name)
		}
	}
	return rows
}

// below draws the legend and the notes.
func (d *drawing) below() {
	y := d.plot.y1 + belowPlot
	for i, row := range d.legend {
		for _, it := range row {
			d.sign(it, y+i*rowHeight-4*px)
			d.text(dot{it.x + iconWidth, y + i*rowHeight}, "small quiet", "start", it.words)
		}
	}
	y += len(d.legend) * rowHeight
	for i, note := range d.notes {
		d.text(dot{margin, y + i*rowHeight}, "small quiet", "start", strings.TrimRight(note, " "))
	}
}

// sign draws what an item explains.
func (d *drawing) sign(it item, y int) {
	middle := dot{it.x + 10*px, y}
	switch it.sign {
	case "fits":
		d.symbol(mark{}, middle)
	case "over":
		d.symbol(mark{Point: Point{Overflow: 1}}, middle)
	case "beyond":
		d.symbol(mark{beyond: true}, middle)
	case "front":
		d.write(`<path class="front" d="M%s %sh12v-8h8"/>`+"\n", pixels(it.x), pixels(y+4*px))
	}
}
