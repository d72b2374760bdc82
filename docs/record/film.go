package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A film is drawn row by row. Rows that are alike are one definition; each place of a row is shown from one moment to
// another by an animation of its visibility. Who wants no motion sees the last picture.

// frame is one picture of a film, and when it begins.
type frame struct {
	rows   []string // drawn; the caption is the first
	begins time.Duration
}

type film struct {
	frames []frame
	length time.Duration
	looks  []string // the classes of text: colors, bold
}

// add appends a picture that is shown for some time.
func (f *film) add(s screen, caption string, shown time.Duration) {
	rows := []string{drawnCaption(caption)}
	for _, row := range s {
		rows = append(rows, f.drawn(row))
	}
	if n := len(f.frames); shown > 0 && (n == 0 || !slices.Equal(f.frames[n-1].rows, rows)) {
		f.frames = append(f.frames, frame{rows: rows, begins: f.length})
	}
	f.length += shown
}

func drawnCaption(text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf(`<text class="cap" x="%g" y="%g">%s</text>`, margin*2+columns*cellWidth/2, bar/2+5, escaped(text))
}

// span is when something is shown: from one frame to before another.
type span struct{ from, to int }

// svg is the film as a picture. One of a single frame does not move.
func (f *film) svg(title string) []byte {
	defined, places := []string{}, strings.Builder{}
	spans := []span{}
	rows := len(f.frames[0].rows)
	for y := range rows {
		for from := 0; from < len(f.frames); {
			row, to := f.frames[from].rows[y], from+1
			for to < len(f.frames) && f.frames[to].rows[y] == row {
				to++
			}
			if row != "" {
				id := slices.Index(defined, row)
				if id < 0 {
					id = len(defined)
					defined = append(defined, row)
				}
				class := f.class(&spans, span{from, to})
				shift := ""
				if y > 0 {
					shift = fmt.Sprintf(` x="%g" y="%g"`, 2*margin, bar+margin+float64(y-1)*cellHeight)
				}
				fmt.Fprintf(&places, "<use href=\"#r%d\"%s%s/>\n", id, shift, class)
			}
			from = to
		}
	}
	width, height := 4*margin+columns*cellWidth, bar+2*margin+float64(rows-1)*cellHeight
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" role=\"img\" aria-label=\"%s\" xml:space=\"preserve\">\n<style>\n",
		width, height, width, height, escaped(title))
	fmt.Fprintf(&b, "text{font:%dpx ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}\n", fontSize)
	fmt.Fprintf(&b, "path{shape-rendering:crispEdges}.s{fill:none;stroke-width:1.2;shape-rendering:auto}\n.cap{fill:#9aa3b2;text-anchor:middle;font-family:system-ui,sans-serif}\n")
	for i, css := range f.looks {
		fmt.Fprintf(&b, ".l%d{%s}\n", i, css)
	}
	f.writeMotion(&b, spans)
	b.WriteString("</style>\n")
	fmt.Fprintf(&b, "<rect width=\"%g\" height=\"%g\" rx=\"10\" fill=\"%s\"/>\n", width, height, hex(paper))
	for i, dot := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, "<circle cx=\"%g\" cy=\"%g\" r=\"6\" fill=\"%s\"/>\n", 22+20*float64(i), bar/2, dot)
	}
	b.WriteString("<defs>\n")
	for i, row := range defined {
		fmt.Fprintf(&b, "<g id=\"r%d\">%s</g>\n", i, row)
	}
	b.WriteString("</defs>\n" + places.String() + "</svg>\n")
	return b.Bytes()
}

// class is the attribute of what is shown for a time, "" for always.
func (f *film) class(spans *[]span, s span) string {
	if s == (span{0, len(f.frames)}) {
		return ""
	}
	at := slices.Index(*spans, s)
	if at < 0 {
		at = len(*spans)
		*spans = append(*spans, s)
	}
	last := ""
	if s.to == len(f.frames) {
		last = " z"
	}
	return fmt.Sprintf(` class="k k%d%s"`, at, last)
}

// writeMotion writes one animation for each span.
func (f *film) writeMotion(b *bytes.Buffer, spans []span) {
	if len(spans) == 0 {
		return
	}
	fmt.Fprintf(b, ".k{visibility:hidden;animation:%s step-end infinite}\n", trimmed(f.length.Seconds())+"s")
	percent := func(n int) string {
		return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", 100*f.frames[n].begins.Seconds()/f.length.Seconds()), "0"), ".") + "%"
	}
	for i, s := range spans {
		key := ""
		if s.from > 0 {
			key = "0%{visibility:hidden}"
		}
		key += percent(s.from) + "{visibility:visible}"
		if s.to < len(f.frames) {
			key += percent(s.to) + "{visibility:hidden}"
		}
		fmt.Fprintf(b, ".k%d{animation-name:k%d}@keyframes k%d{%s}\n", i, i, i, key)
	}
	b.WriteString("@media (prefers-reduced-motion:reduce){.k{animation:none}.z{visibility:visible}}\n")
}
