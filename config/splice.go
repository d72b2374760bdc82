// One key of a text gets another value. The places come from the parsed tree, whose lines and columns are those of the text;
// what a value covers is read off the text. What is written in a way that this does not know is left to the check of
// [NewEdit], or refused here.

package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// textLines is the lines that a key is changed in, and how each ends. The last has no end.
type textLines struct {
	path        string
	lines, ends []string
}

// cutLines cuts a text into its lines. Any of the three line ends may follow each.
func cutLines(path, text string) *textLines {
	t := &textLines{path: path}
	for {
		i := strings.IndexAny(text, "\r\n")
		if i < 0 {
			t.lines, t.ends = append(t.lines, text), append(t.ends, "")
			return t
		}
		n := 1
		if strings.HasPrefix(text[i:], "\r\n") {
			n = 2
		}
		t.lines, t.ends = append(t.lines, text[:i]), append(t.ends, text[i:i+n])
		text = text[i+n:]
	}
}

func (t *textLines) String() string {
	var b strings.Builder
	for i, line := range t.lines {
		b.WriteString(line + t.ends[i])
	}
	return b.String()
}

// cut takes lines out, from one place to another.
func (t *textLines) cut(from, to int) {
	t.lines, t.ends = slices.Delete(t.lines, from, to), slices.Delete(t.ends, from, to)
}

// put puts lines in at a place. They end as the line before them does.
func (t *textLines) put(at int, lines []string) {
	before := max(0, at-1)
	end := cmp.Or(t.ends[before], t.ends[0], "\n")
	if at == len(t.lines) {
		t.ends[before] = end // it was the last
	}
	t.lines, t.ends = slices.Insert(t.lines, at, lines...), slices.Insert(t.ends, at, slices.Repeat([]string{end}, len(lines))...)
}

// changed is a text with another value of a key.
func changed(path, text string, c Change) (string, error) {
	_, root, problems := parseDocument(path, []byte(text))
	if err := problems.err(); err != nil {
		return "", err
	}
	segments, _, err := cutPath(c.Key + "=")
	if err != nil {
		return "", err
	}
	t := cutLines(path, text)
	within, head, rest := tableFor(root, segments)
	i := -1
	if within != nil {
		i = entryOf(within, rest[0])
	}
	switch {
	case i >= 0 && len(rest) > 1 && within.entries[i].value.kind != nullNode:
		return "", t.byHand(within.entries[i].line)
	case i >= 0 && len(rest) > 1: // a section with nothing in it
		err = t.insert(within.entries[i].line, t.indentOf(within.entries[i].line)+2, rest[1:], c)
	case i >= 0 && c.Unset && t.block(within.entries[i]):
		t.remove(within.entries[i])
	case i >= 0:
		err = t.replace(within.entries[i], c.Value)
	case c.Unset:
	case within == nil || len(segments) == len(rest):
		err = t.insert(0, 0, rest, c)
	default:
		err = t.insertInto(head, within, rest, c)
	}
	return t.String(), err
}

// tableFor is the innermost table that is there for a key, the entry that holds it, and the segments below it.
func tableFor(root *node, segments []string) (table *node, head entry, rest []string) {
	if root == nil || root.kind != tableNode {
		return nil, entry{}, segments
	}
	for len(segments) > 1 {
		i := entryOf(root, segments[0])
		if i < 0 || root.entries[i].value.kind != tableNode {
			break
		}
		head, segments = root.entries[i], segments[1:]
		root = head.value
	}
	return root, head, segments
}

func entryOf(table *node, key string) int {
	for i, e := range table.entries {
		if e.key == key {
			return i
		}
	}
	return -1
}

// byHand is the refusal to change what stands on a line.
func (t *textLines) byHand(line int) error {
	return fmt.Errorf("%s:%d is written in a way that cannot be changed here: change it by hand", t.path, line)
}

// at is a line by its number.
func (t *textLines) at(line int) string { return t.lines[line-1] }

func (t *textLines) indentOf(line int) int { return indent(t.at(line)) }

// block reports whether an entry stands on a line of its own, not within braces.
func (t *textLines) block(e entry) bool {
	before := string([]rune(t.at(e.line))[:e.col-1])
	return strings.TrimSpace(before) == ""
}

// last is the last line of what an entry on a line of its own covers.
func (t *textLines) last(line int) int {
	depth, last := t.indentOf(line), line
	for n := line + 1; n <= len(t.lines); n++ {
		text := strings.TrimSpace(t.at(n))
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if in := t.indentOf(n); in < depth || in == depth && !strings.HasPrefix(text, "- ") && text != "-" {
			break
		}
		last = n
	}
	return last
}

// remove takes an entry out.
func (t *textLines) remove(e entry) {
	t.cut(e.line-1, t.last(e.line))
}

// replace gives an entry another value. A comment behind the old one stays.
func (t *textLines) replace(e entry, value string) error {
	line := []rune(t.at(e.line))
	colon := colonAfter(line, e.col-1)
	if colon < 0 {
		return t.byHand(e.line)
	}
	from := colon + 1
	for from < len(line) && line[from] == ' ' {
		from++
	}
	if t.block(e) && t.last(e.line) > e.line { // it goes on below: a list, a long text
		comment := ""
		if i := strings.Index(string(line[colon+1:]), " #"); i >= 0 {
			comment = string(line[colon+1:])[i:]
		}
		t.cut(e.line, t.last(e.line))
		t.lines[e.line-1] = string(line[:colon+1]) + " " + value + comment
		return nil
	}
	to := from
	if from < len(line) && line[from] != '#' {
		if to = valueEnd(line, from, !t.block(e)); to < 0 {
			return t.byHand(e.line)
		}
	} else {
		to = colon + 1
	}
	t.lines[e.line-1] = string(line[:colon+1]) + " " + value + string(line[to:])
	return nil
}

// colonAfter is the colon behind a key that begins at a place, -1 without one.
func colonAfter(line []rune, at int) int {
	if at < len(line) && (line[at] == '"' || line[at] == '\'') {
		if at = quoteEnd(line, at); at < 0 {
			return -1
		}
	}
	for ; at < len(line); at++ {
		if line[at] == ':' && (at+1 == len(line) || line[at+1] == ' ') {
			return at
		}
	}
	return -1
}

// quoteEnd is the place behind a text in quotes, -1 if it does not end on the line.
func quoteEnd(line []rune, at int) int {
	quote := line[at]
	for at++; at < len(line); at++ {
		switch {
		case quote == '"' && line[at] == '\\':
			at++
		case line[at] != quote:
		case quote == '\'' && at+1 < len(line) && line[at+1] == quote:
			at++
		default:
			return at + 1
		}
	}
	return -1
}

// valueEnd is the place behind a value that begins at a place, -1 if it does not end on the line. In braces it ends with
// the comma or the brace, too.
func valueEnd(line []rune, at int, braced bool) int {
	switch line[at] {
	case '"', '\'':
		return quoteEnd(line, at)
	case '&', '*', '|', '>', '!':
		return -1
	case '[', '{':
		return bracketEnd(line, at)
	}
	end := at
	for i := at; i < len(line); i++ {
		if line[i] == '#' && line[i-1] == ' ' || braced && strings.ContainsRune(",]}", line[i]) {
			break
		}
		if line[i] != ' ' {
			end = i + 1
		}
	}
	return end
}

// bracketEnd is the place behind the bracket that closes the one at a place, -1 if it is not on the line.
func bracketEnd(line []rune, at int) int {
	depth := 0
	for ; at >= 0 && at < len(line); at++ {
		switch line[at] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return at + 1
			}
		case '"', '\'':
			if at = quoteEnd(line, at); at < 0 {
				return -1
			}
			at--
		case '#':
			return -1
		}
	}
	return -1
}

// insert puts a key into a section that begins on a line, 0 for the whole file: where its default stands behind a #, else at
// the end of the section.
func (t *textLines) insert(section, depth int, rest []string, c Change) error {
	end := len(t.lines)
	if section > 0 {
		end = t.last(section)
		for end < len(t.lines) && (t.at(end+1) == "" || strings.HasPrefix(t.at(end+1), strings.Repeat(" ", depth))) {
			end++ // the comments below, too
		}
	}
	if len(rest) == 1 {
		for n := section + 1; n <= end; n++ {
			if strings.HasPrefix(t.at(n), strings.Repeat(" ", depth)+"#"+rest[0]+":") {
				t.lines[n-1] = strings.Repeat(" ", depth) + Path(rest[0]) + ": " + c.Value
				return nil
			}
		}
	}
	at := len(t.lines)
	switch {
	case section > 0:
		at = t.last(section)
	case t.lines[at-1] == "": // before the end of the last line
		at--
	}
	var lines []string
	for i, s := range rest {
		line := strings.Repeat(" ", depth+2*i) + Path(s) + ":"
		if i == len(rest)-1 {
			line += " " + c.Value
		}
		lines = append(lines, line)
	}
	t.put(at, lines)
	return nil
}

// insertInto puts a key into a table that an entry holds.
func (t *textLines) insertInto(head entry, table *node, rest []string, c Change) error {
	first := table.entries
	if len(first) > 0 && t.block(first[0]) {
		return t.insert(head.line, first[0].col-1, rest, c)
	}
	return t.insertBraced(head, len(first) > 0, rest, c)
}

// insertBraced puts a key into a table that is written in braces.
func (t *textLines) insertBraced(head entry, others bool, rest []string, c Change) error {
	line := []rune(t.at(head.line))
	at := colonAfter(line, head.col-1) + 1
	for at < len(line) && line[at] == ' ' {
		at++
	}
	end := -1
	if at > 0 && at < len(line) && line[at] == '{' {
		end = bracketEnd(line, at)
	}
	if end < 0 {
		return t.byHand(head.line)
	}
	text := c.Value
	for i := len(rest) - 1; i >= 0; i-- {
		text = Path(rest[i]) + ": " + text
		if i > 0 {
			text = "{" + text + "}"
		}
	}
	before := strings.TrimRight(string(line[:end-1]), " ")
	if others {
		before += ", "
	}
	t.lines[head.line-1] = before + text + string(line[end-1:])
	return nil
}
