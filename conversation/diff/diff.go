// Package diff reads and writes unified diffs of one file each, and collects the changes of files from a conversation log.
// Texts are unchanged; whoever shows them must make them safe. The package opens no files.
package diff

import (
	"cmp"
	"crypto/sha1"
	"fmt"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"plimsoll/conversation"
)

// File is the change of one file.
type File struct {
	From, To string // paths before and after, "" if the file did not exist
	// After is the shortened git blob id of the whole text after the change, "" if not recorded.
	After string
	Hunks []Hunk
	Cut   int // lines at the end of the diff that were not stored
}

// Hunk is a run of lines with its position in the old and the new text.
type Hunk struct {
	Old, New int // first line, from 1; for an empty side the line before
	Lines    []Line
}

// Op is what happened to a line.
type Op byte

// The operations, with the signs of a unified diff.
const (
	Kept    Op = ' '
	Added   Op = '+'
	Removed Op = '-'
)

// Line is a line of a hunk. Text includes the line's end, which the last line of a file may lack.
type Line struct {
	Op   Op
	Text string
}

const (
	nowhere  = "/dev/null"
	noEnd    = `\ No newline at end of file`
	idDigits = 12 // of a blob's name
)

// Name returns the path of the file; for a deleted file, the old path.
func (f File) Name() string { return cmp.Or(f.To, f.From) }

// Stat counts the lines added and removed.
func (f File) Stat() (added, removed int) {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case Added:
				added++
			case Removed:
				removed++
			}
		}
	}
	return added, removed
}

// ID returns the shortened git blob id of a text.
func ID(text string) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00%s", len(text), text)
	return fmt.Sprintf("%x", h.Sum(nil))[:idDigits]
}

// Version is a file before or after a change.
type Version struct {
	Name, Text string
	Missing    bool // there is no such file
}

// Unified returns the change of a file as a unified diff with the object ids of both texts. It has no control characters.
func Unified(before, after Version) string {
	from, fromID := before.side("a/")
	to, toID := after.side("b/")
	return conversation.Clean("index " + fromID + ".." + toID + "\n" + udiff.Unified(from, to, before.Text, after.Text))
}

func (v Version) side(prefix string) (name, id string) {
	if v.Missing {
		return nowhere, strings.Repeat("0", idDigits)
	}
	return prefix + v.Name, ID(v.Text)
}

// Parse reads a unified diff of one file, false for any other text. A shortened diff ends with a line in brackets that
// tells how many lines are missing.
func Parse(text string) (File, bool) {
	var f File
	rest, ok := f.head(text)
	if !ok {
		return File{}, false
	}
	more := 0 // how many more lines the new text has after the hunks so far
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		if n, ok := shortened(line); ok && after == "" {
			f.Cut = n
			return f, true
		}
		var h Hunk
		oldCount, newCount, ok := h.head(line)
		if !ok {
			return File{}, false
		}
		h.New = h.Old + more // udiff counts wrong after a hunk of several changes
		switch {
		case oldCount == 0 && newCount > 0:
			h.New++
		case newCount == 0 && oldCount > 0:
			h.New--
		}
		more += newCount - oldCount
		rest = h.read(after, oldCount, newCount)
		f.Hunks = append(f.Hunks, h)
	}
	return f, len(f.Hunks) > 0 || f.Cut > 0
}

// head reads the lines before the hunks.
func (f *File) head(text string) (rest string, ok bool) {
	line, rest, _ := strings.Cut(text, "\n")
	if ids, ok := strings.CutPrefix(line, "index "); ok {
		_, f.After, _ = strings.Cut(ids, "..")
		line, rest, _ = strings.Cut(rest, "\n")
	}
	from, ok := strings.CutPrefix(line, "--- ")
	if !ok {
		return "", false
	}
	line, rest, _ = strings.Cut(rest, "\n")
	to, ok := strings.CutPrefix(line, "+++ ")
	if !ok {
		return "", false
	}
	f.From, f.To = path(from, "a/"), path(to, "b/")
	return rest, true
}

// path returns the path in a header line, "" for /dev/null.
func path(name, side string) string {
	if name == nowhere {
		return ""
	}
	return strings.TrimPrefix(name, side)
}

// shortened reads the line that replaces lines which were not stored.
func shortened(line string) (lines int, ok bool) {
	n, ok := strings.CutPrefix(line, "[... ")
	if !ok {
		return 0, false
	}
	n, _, ok = strings.Cut(n, " more line")
	if !ok {
		return 0, false
	}
	lines, err := strconv.Atoi(strings.ReplaceAll(n, ",", ""))
	return lines, err == nil
}

// head reads the first line of a hunk. It returns how many lines the hunk has of the old and of the new text.
func (h *Hunk) head(line string) (oldCount, newCount int, ok bool) {
	words := strings.Fields(line) // @@ -3,7 +3,8 @@
	if len(words) < 4 || words[0] != "@@" || words[1][0] != '-' || words[2][0] != '+' || words[3] != "@@" {
		return 0, 0, false
	}
	var fine [2]bool
	h.Old, oldCount, fine[0] = span(words[1][1:])
	h.New, newCount, fine[1] = span(words[2][1:])
	return oldCount, newCount, fine[0] && fine[1]
}

// span reads a first line and a number of lines: 3,7 or 3.
func span(text string) (at, lines int, ok bool) {
	a, n, counted := strings.Cut(text, ",")
	at, err := strconv.Atoi(a)
	if lines = 1; counted && err == nil {
		lines, err = strconv.Atoi(n)
	}
	return at, lines, err == nil && at >= 0 && lines >= 0
}

// read reads the lines of a hunk, and returns the text after it. A shortened diff may end inside a hunk.
func (h *Hunk) read(text string, oldCount, newCount int) (rest string) {
	for rest = text; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		if line == noEnd && len(h.Lines) > 0 {
			last := &h.Lines[len(h.Lines)-1]
			last.Text = strings.TrimSuffix(last.Text, "\n")
			rest = after
			continue
		}
		op := Kept // an empty line may have lost the space before it
		if line != "" {
			op = Op(line[0])
			line = line[1:]
		}
		switch {
		case op == Kept && oldCount > 0 && newCount > 0:
			oldCount, newCount = oldCount-1, newCount-1
		case op == Removed && oldCount > 0:
			oldCount--
		case op == Added && newCount > 0:
			newCount--
		default:
			return rest
		}
		h.Lines = append(h.Lines, Line{op, line + "\n"})
		rest = after
	}
	return rest
}

// String returns the unified diff, as patch and git apply read it.
func (f File) String() string {
	var b strings.Builder
	name := func(mark, side, path string) {
		if path == "" {
			side, path = "", nowhere
		}
		b.WriteString(mark + " " + side + path + "\n")
	}
	name("---", "a/", f.From)
	name("+++", "b/", f.To)
	for _, h := range f.Hunks {
		oldCount, newCount := h.sizes()
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", written(h.Old, oldCount), written(h.New, newCount))
		for _, l := range h.Lines {
			b.WriteByte(byte(l.Op))
			b.WriteString(l.Text)
			if !strings.HasSuffix(l.Text, "\n") {
				b.WriteString("\n" + noEnd + "\n")
			}
		}
	}
	return b.String()
}

func written(at, lines int) string {
	if lines == 1 {
		return strconv.Itoa(at)
	}
	return strconv.Itoa(at) + "," + strconv.Itoa(lines)
}

// sizes returns how many lines of the old and of the new text a hunk has.
func (h Hunk) sizes() (oldCount, newCount int) {
	for _, l := range h.Lines {
		if l.Op != Added {
			oldCount++
		}
		if l.Op != Removed {
			newCount++
		}
	}
	return oldCount, newCount
}
