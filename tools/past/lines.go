package past

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// Searching an original shows whole lines: those that hold the query, and one on
// either side. If no line holds it as it stands, lines that hold all its words
// count. A very long line is shown around the match. Positions are characters.

const (
	searchAround   = 1    // lines shown before and after one that matches
	searchLongLine = 1000 // bytes; of longer lines a part is shown
	searchGoOn     = 110  // characters kept free to say how to go on
)

// original is a text found, and what it is called.
type original struct {
	id    string // to recall it by
	about string // "result of read_file main.go, turn 3"
	text  string
	note  string // what is not there, "" if all is
	lines bool   // pages end with lines
}

// page shows up to limit characters from offset on, in an answer of at most
// most characters.
func (o original) page(offset, limit, most int) (part, error) {
	total := utf8.RuneCountInString(o.text)
	if total == 0 {
		return part{fmt.Sprintf("%s: %s. It is empty%s", o.id, o.about, o.note), -1}, nil
	}
	if offset >= total {
		return part{}, fmt.Errorf("%s has only %s characters; offset must be below that", o.id, numbers.Grouped(total))
	}
	head := func(end int) string {
		text := fmt.Sprintf("%s: %s. Characters %s-%s of %s%s", o.id, o.about, numbers.Grouped(offset+1), numbers.Grouped(end), numbers.Grouped(total), o.note)
		if end < total {
			text += fmt.Sprintf(". Go on with id %q, offset %d", o.id, end)
		}
		return text
	}
	longest := utf8.RuneCountInString(head(total-1)) + 2
	if longest > most/2 { // results are cut very short: save what can be saved
		head = func(end int) string {
			text := fmt.Sprintf("%s %d-%d/%d", o.id, offset+1, end, total)
			if end < total {
				text += fmt.Sprintf(", next offset %d", end)
			}
			return text
		}
		longest = utf8.RuneCountInString(head(total-1)) + 2
	}
	from := runeOffset(o.text, offset)
	body := o.text[from : from+runeOffset(o.text[from:], min(limit, max(1, most-longest)))]
	if o.lines && from+len(body) < len(o.text) {
		if at := strings.LastIndexByte(body, '\n'); at > 0 {
			body = body[:at+1]
		}
	}
	end := offset + utf8.RuneCountInString(body)
	next := end
	if end == total {
		next = -1
	}
	return part{head(end) + "\n\n" + body, next}, nil
}

// search shows the lines that hold query, from character offset on, in up to
// limit characters and an answer of at most most.
func (o original) search(query string, offset, limit, most int) (part, error) {
	total := utf8.RuneCountInString(o.text)
	if offset > 0 && offset >= total {
		return part{}, fmt.Errorf("%s has only %s characters; offset must be below that", o.id, numbers.Grouped(total))
	}
	lines := strings.Split(o.text[runeOffset(o.text, offset):], "\n")
	name := fmt.Sprintf("%s: %s, %s characters", o.id, o.about, numbers.Grouped(total))
	columns, all := matches(query, lines)
	query = conversation.OneLine(query, 80)
	if all == 0 {
		return part{}, fmt.Errorf("%s, does not hold %q%s. Try other words, or page through it with offset", name, query, after(offset))
	}
	head := fmt.Sprintf("%s%s. %d lines hold %q%s", name, o.note, all, query, after(offset))
	room := most - utf8.RuneCountInString(head) - searchGoOn
	body, shown, next := render(lines, columns, offset, min(limit, max(room, most/2)))
	if next >= 0 {
		head += fmt.Sprintf("; %d are shown. Go on with id %q, the same query, offset %d", shown, o.id, next)
	}
	return part{head + "\n" + body, next}, nil
}

func after(offset int) string {
	if offset == 0 {
		return ""
	}
	return " after character " + numbers.Grouped(offset)
}

// matches gives the byte of each line at which the query matches, -1 where it does not,
// and how many lines match.
func matches(query string, lines []string) (columns []int, all int) {
	whole := strings.ToLower(query)
	columns = make([]int, len(lines))
	try := func(column func(low string) int) {
		for i, l := range lines {
			if columns[i] = column(strings.ToLower(l)); columns[i] >= 0 {
				all++
			}
		}
	}
	try(func(low string) int { return strings.Index(low, whole) })
	if all == 0 {
		try(func(low string) int { return allWords(low, strings.Fields(whole)) })
	}
	return columns, all
}

// allWords is the byte at which the first of words begins, -1 if one is missing.
func allWords(low string, words []string) int {
	first := -1
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

// render shows lines that match, and their neighbors, until limit characters are used up.
// shown is how many matches that are, next the character to go on from, -1 if all are
// shown. A line that does not fit alone is cut.
func render(lines []string, columns []int, offset, limit int) (body string, shown, next int) {
	near := func(i int) bool {
		around := columns[max(0, i-searchAround):min(len(lines), i+searchAround+1)]
		return slices.ContainsFunc(around, func(column int) bool { return column >= 0 })
	}
	var b strings.Builder
	used, at, before := 0, offset, false // at: characters before the line; before: the line before it was shown
	for i, line := range lines {
		show := near(i)
		if show {
			text := aroundMatch(line, max(0, columns[i]), searchLongLine) + "\n"
			if !before {
				text = fmt.Sprintf("\n[from character %s]\n", numbers.Grouped(at+1)) + text
			}
			size := utf8.RuneCountInString(text)
			if used > 0 && used+size > limit {
				return b.String(), shown, at
			}
			b.WriteString(text[:runeOffset(text, limit)])
			used += size
			if columns[i] >= 0 {
				shown++
			}
		}
		at, before = at+utf8.RuneCountInString(line)+1, show
	}
	return b.String(), shown, -1
}

// aroundMatch is a line, or of one longer than long bytes the part around byte
// at.
func aroundMatch(line string, at, long int) string {
	if len(line) <= long {
		return line
	}
	from := max(0, min(at, len(line))-long/2)
	to := min(len(line), from+long)
	text := strings.ToValidUTF8(line[from:to], "")
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}

// runeOffset is the byte at which character n of text begins, its length if it
// has not so many.
func runeOffset(text string, n int) int {
	if n >= len(text) {
		return len(text)
	}
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}
