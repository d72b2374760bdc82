// Package diff reads and writes unified diffs of one file each, and tells from a log what a conversation
// changed in files. Texts are as the file has them; what shows them makes them safe. The package opens no
// files.
package diff

import (
	"crypto/sha1"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// File is how one file was changed.
type File struct {
	From, To string // paths before and after, "" where there was no file
	// Before and After name the whole texts as git names blobs, shortened; "" where nobody wrote them down.
	Before, After string
	Hunks         []Hunk
	Cut           int // lines at the end of the diff that were not kept
}

// Hunk is lines that follow each other, from a line of the old and a line of the new text on.
type Hunk struct {
	Old, New int // counted from 1; of an empty side the line before
	Lines    []Line
}

// Op says what became of a line.
type Op byte

// What may become of a line, as a diff writes it.
const (
	Kept    Op = ' '
	Added   Op = '+'
	Removed Op = '-'
)

// Line is a line of a hunk. Text has the line's end; a last line of a file may have none.
type Line struct {
	Op   Op
	Text string
}

const (
	nowhere  = "/dev/null"
	noEnd    = `\ No newline at end of file`
	idDigits = 12 // of a blob's name
)

// Name is the path of the file, the one before where it is gone.
func (f File) Name() string {
	if f.To == "" {
		return f.From
	}
	return f.To
}

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

// ID names a text as git names a blob, shortened.
func ID(text string) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00%s", len(text), text)
	return fmt.Sprintf("%x", h.Sum(nil))[:idDigits]
}

// Index is the line of a diff that names the texts before and after, as git writes it.
func Index(before, after string) string { return "index " + before + ".." + after + "\n" }

// None is the name in an Index of a text that is not there.
func None() string { return strings.Repeat("0", idDigits) }

// Parse reads the unified diff of one file. It is false for any other text. A diff that was shortened
// ends with a line in brackets that says by how much.
func Parse(text string) (File, bool) {
	var f File
	rest, ok := f.head(text)
	if !ok {
		return File{}, false
	}
	more := 0 // lines that the hunks so far add
	for rest != "" {
		line, after := cut(rest)
		if n, ok := shortened(line); ok && after == "" {
			f.Cut = n
			return f, true
		}
		var h Hunk
		old, neu, ok := h.head(line)
		if !ok {
			return File{}, false
		}
		h.New = h.Old + more // udiff miscounts it behind a hunk of several changes
		switch {
		case old == 0 && neu > 0:
			h.New++
		case neu == 0 && old > 0:
			h.New--
		}
		more += neu - old
		rest = h.read(after, old, neu)
		f.Hunks = append(f.Hunks, h)
	}
	return f, len(f.Hunks) > 0 || f.Cut > 0
}

// cut is the first line without its end, and what follows it.
func cut(text string) (line, rest string) {
	line, rest, _ = strings.Cut(text, "\n")
	return line, rest
}

// head reads what stands before the hunks.
func (f *File) head(text string) (rest string, ok bool) {
	line, rest := cut(text)
	if ids, ok := strings.CutPrefix(line, "index "); ok {
		f.Before, f.After, _ = strings.Cut(ids, "..")
		line, rest = cut(rest)
	}
	from, ok := strings.CutPrefix(line, "--- ")
	if !ok {
		return "", false
	}
	line, rest = cut(rest)
	to, ok := strings.CutPrefix(line, "+++ ")
	if !ok {
		return "", false
	}
	f.From, f.To = path(from, "a/"), path(to, "b/")
	return rest, true
}

func path(name, side string) string {
	if name == nowhere {
		return ""
	}
	return strings.TrimPrefix(name, side)
}

// shortened reads the line that stands for lines which were not kept.
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

// head reads the line that begins a hunk, and how many lines of both sides it has.
func (h *Hunk) head(line string) (old, neu int, ok bool) {
	words := strings.Fields(line) // @@ -3,7 +3,8 @@
	if len(words) < 4 || words[0] != "@@" || words[1][0] != '-' || words[2][0] != '+' || words[3] != "@@" {
		return 0, 0, false
	}
	var fine [2]bool
	h.Old, old, fine[0] = span(words[1][1:])
	h.New, neu, fine[1] = span(words[2][1:])
	return old, neu, fine[0] && fine[1]
}

// span reads a line and a number of lines: 3,7 or 3.
func span(text string) (at, lines int, ok bool) {
	a, n, counted := strings.Cut(text, ",")
	at, err := strconv.Atoi(a)
	if lines = 1; counted && err == nil {
		lines, err = strconv.Atoi(n)
	}
	return at, lines, err == nil && at >= 0 && lines >= 0
}

// read takes the lines of a hunk, and returns what follows it. A shortened diff may end within one.
func (h *Hunk) read(text string, old, neu int) (rest string) {
	for rest = text; rest != ""; {
		line, after := cut(rest)
		if line == noEnd && len(h.Lines) > 0 {
			last := &h.Lines[len(h.Lines)-1]
			last.Text = strings.TrimSuffix(last.Text, "\n")
			rest = after
			continue
		}
		op := Kept // a blank at the end of an empty line may be lost
		if line != "" {
			op = Op(line[0])
			line = line[1:]
		}
		switch {
		case op == Kept && old > 0 && neu > 0:
			old, neu = old-1, neu-1
		case op == Removed && old > 0:
			old--
		case op == Added && neu > 0:
			neu--
		default:
			return rest
		}
		h.Lines = append(h.Lines, Line{op, line + "\n"})
		rest = after
	}
	return rest
}

// String is the diff in unified form, as patch and git apply read it.
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
		old, neu := h.sizes()
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", written(h.Old, old), written(h.New, neu))
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

// sizes is how many lines of both sides a hunk has.
func (h Hunk) sizes() (old, neu int) {
	for _, l := range h.Lines {
		if l.Op != Added {
			old++
		}
		if l.Op != Removed {
			neu++
		}
	}
	return old, neu
}

// undo is the text before the change, from the text after it. It is false if that text is not the one that
// the diff leads to, or a part of the diff was not kept.
func (f File) undo(after string) (before string, ok bool) {
	lines := slices.Collect(strings.Lines(after))
	var b strings.Builder
	at := 0 // lines that are done
	for _, h := range f.Hunks {
		from := h.New - 1
		if _, neu := h.sizes(); neu == 0 { // the hunk comes after that line
			from = h.New
		}
		if from < at || from > len(lines) {
			return "", false
		}
		b.WriteString(strings.Join(lines[at:from], ""))
		at = from
		for _, l := range h.Lines {
			if l.Op != Removed {
				if at >= len(lines) || lines[at] != l.Text {
					return "", false
				}
				at++
			}
			if l.Op != Added {
				b.WriteString(l.Text)
			}
		}
	}
	return b.String() + strings.Join(lines[at:], ""), f.Cut == 0
}
