package tui_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/tui"
)

// background is what sets one.
var background = regexp.MustCompile(`[\[;]48;2;`)

// lit is for every cell of a line whether it has a background.
func lit(line string) []bool {
	var out []bool
	on := false
	for line != "" {
		seq, width, n, _ := ansi.DecodeSequence(line, ansi.NormalState, nil)
		if strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m") {
			on = background.MatchString(seq) || on && seq != "\x1b[m" && seq != "\x1b[0m"
		}
		for range width {
			out = append(out, on)
		}
		line = line[n:]
	}
	return out
}

// What is selected is marked over the whole width of its list.
func TestTheWholeSelectedRowIsMarked(t *testing.T) {
	for name, open := range map[string]func(*rig){
		"context": views["context"], "ledger": views["ledger"], "search": views["search"], "preview": views["preview"],
		"palette": func(r *rig) { r.press("ctrl+p") }, "commands": func(r *rig) { r.write("/co") }, "themes": func(r *rig) { r.enter("/theme") },
	} {
		screenOf(t, name, func(r *rig, o *tui.Options) { telling(r, o) }, func(r *rig) {
			open(r)
			for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 12}} {
				r.resize(size[0], size[1])
				r.press("down")
				if name == "preview" {
					r.press("tab") // another profile
				}
				found := false
				for line := range strings.SplitSeq(r.m.View().Content, "\n") {
					cells, from := lit(line), -1
					if name == "ledger" { // the list, at the left of the details
						row, _, _ := strings.Cut(ansi.Strip(line), "│")
						cells = cells[:ansi.StringWidth(row)]
					} else if row, _, dialog := strings.Cut(ansi.Strip(line), "│"); dialog { // between the borders of a dialog
						text, _, _ := strings.Cut(ansi.Strip(line)[len(row)+len("│"):], "│")
						begin := ansi.StringWidth(row) + 1
						cells = cells[begin : begin+ansi.StringWidth(text)]
					}
					for i, on := range cells {
						switch {
						case on && from < 0:
							from = i
						case !on && from >= 0 && i < len(cells)-2: // the right gutter is free
							r.t.Fatalf("%dx%d: lit from %d to %d of %d: %q", size[0], size[1], from, i, len(cells), ansi.Strip(line))
						}
					}
					found = found || from >= 0
				}
				if !found {
					r.t.Errorf("%dx%d: nothing is marked:\n%s", size[0], size[1], r.text())
				}
			}
		})
	}
}
