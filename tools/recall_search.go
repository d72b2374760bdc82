package tools

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Searching an original shows whole lines: those that hold the query, and one on
// either side. If no line holds it as it stands, lines that hold all its words
// count. A very long line is shown around the match. Positions are characters.

const (
	searchAround   = 1    // lines shown before and after one that matches
	searchLongLine = 1000 // bytes; of longer lines a part is shown
)

// found is a run of lines to show.
type found struct {
	from, to int // lines
	matches  int
}

// search shows the lines that hold query, from character offset on.
func (o original) search(query string, offset, limit int) (result, error) {
	total := utf8.RuneCountInString(o.text)
	if offset > 0 && offset >= total {
		return result{}, fmt.Errorf("%s has only %s characters; offset must be below that", o.id, grouped(total))
	}
	start := runeOffset(o.text, offset)
	lines := strings.Split(o.text[start:], "\n")
	match := lineMatcher(query, lines)
	runs := matchingRuns(lines, match)
	if len(runs) == 0 {
		return result{}, fmt.Errorf("%s: %s, %s characters, does not hold %q%s. Try other words, or page through it with offset",
			o.id, o.about, grouped(total), query, after(offset))
	}
	body, shown, next := o.render(lines, runs, match, offset, limit)
	all := 0
	for _, r := range runs {
		all += r.matches
	}
	head := fmt.Sprintf("%s: %s, %s characters%s. %d lines hold %q%s", o.id, o.about, grouped(total), o.note, all, query, after(offset))
	if next >= 0 {
		head += fmt.Sprintf("; %d are shown. Go on with id %q, the same query, offset %d", shown, o.id, next)
	}
	return result{text: head + "\n" + body}, nil
}

func after(offset int) string {
	if offset == 0 {
		return ""
	}
	return " after character " + grouped(offset)
}

// lineMatcher gives the byte of a line at which the query matches, -1 if it
// does not.
func lineMatcher(query string, lines []string) func(string) int {
	whole := strings.ToLower(query)
	exact := func(line string) int { return strings.Index(strings.ToLower(line), whole) }
	words := strings.Fields(whole)
	if len(words) < 2 || slices.ContainsFunc(lines, func(l string) bool { return exact(l) >= 0 }) {
		return exact
	}
	return func(line string) int {
		low, first := strings.ToLower(line), -1
		for _, w := range words {
			at := strings.Index(low, w)
			if at < 0 {
				return -1
			}
			if first < 0 {
				first = at
			}
		}
		return first
	}
}

// matchingRuns joins matching lines and their neighbours.
func matchingRuns(lines []string, match func(string) int) []found {
	var runs []found
	for i, l := range lines {
		if match(l) < 0 {
			continue
		}
		from, to := max(0, i-searchAround), min(len(lines), i+searchAround+1)
		if n := len(runs); n > 0 && from <= runs[n-1].to {
			runs[n-1].to = to
			runs[n-1].matches++
			continue
		}
		runs = append(runs, found{from, to, 1})
	}
	return runs
}

// render shows runs until limit characters are used up. next is the character
// to go on from, -1 if all are shown.
func (o original) render(lines []string, runs []found, match func(string) int, offset, limit int) (body string, shown, next int) {
	var b strings.Builder
	used, line, at := 0, 0, offset // at: characters before line
	for _, r := range runs {
		for ; line < r.from; line++ {
			at += utf8.RuneCountInString(lines[line]) + 1
		}
		begin := at
		var run strings.Builder
		for ; line < r.to; line++ {
			run.WriteString(aroundMatch(lines[line], max(0, match(lines[line]))) + "\n")
			at += utf8.RuneCountInString(lines[line]) + 1
		}
		text := fmt.Sprintf("\n[from character %s]\n%s", grouped(begin+1), run.String())
		size := utf8.RuneCountInString(text)
		if used+size > limit {
			if used > 0 {
				return b.String(), shown, begin
			}
			text = text[:runeOffset(text, limit)]
			next = begin + max(1, limit)
			b.WriteString(text)
			return b.String(), r.matches, next
		}
		b.WriteString(text)
		used += size
		shown += r.matches
	}
	return b.String(), shown, -1
}

// aroundMatch is a line, or of a very long one the part around byte at.
func aroundMatch(line string, at int) string {
	if len(line) <= searchLongLine {
		return line
	}
	from := max(0, min(at, len(line))-searchLongLine/2)
	to := min(len(line), from+searchLongLine)
	text := strings.ToValidUTF8(line[from:to], "")
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}
