package diff

import (
	"maps"
	"slices"
	"strings"

	"plimsoll/conversation"
)

// ChangedFile is a file that the tools of a conversation changed.
type ChangedFile struct {
	Name  string
	Edits int    // how many calls changed it
	Last  uint64 // event number of the last of these calls
	// Diffs are all edits in order, or one diff from the text before the first edit to the text after the last.
	Diffs []File
}

// Stat counts the lines added and removed.
func (c ChangedFile) Stat() (added, removed int) {
	for _, f := range c.Diffs {
		a, r := f.Stat()
		added, removed = added+a, removed+r
	}
	return added, removed
}

// Created reports whether the conversation created the file.
func (c ChangedFile) Created() bool { return c.Diffs[0].From == "" }

// Cut returns how many lines of its diffs were not stored.
func (c ChangedFile) Cut() int {
	n := 0
	for _, f := range c.Diffs {
		n += f.Cut
	}
	return n
}

// Patch returns the change as a unified diff.
func (c ChangedFile) Patch() string {
	var b strings.Builder
	for _, f := range c.Diffs {
		if len(f.Hunks) > 0 {
			b.WriteString(f.String())
		}
	}
	return b.String()
}

// IsNow reports whether text is that after the last edit, true if the log does not say.
func (c ChangedFile) IsNow(text string) bool {
	after := c.Diffs[len(c.Diffs)-1].After
	return after == "" || after == ID(text)
}

// ChangedFiles lists the files that a conversation changed, sorted by name: those with a diff in a tool result. Undone turns
// count too, because undo does not change files.
func ChangedFiles(log []conversation.Event) []ChangedFile {
	files := map[string]*ChangedFile{}
	for _, e := range log {
		b, _ := e.Body.(conversation.ToolResult) // other events have no diff
		f, ok := Parse(b.Detail)
		if !ok {
			continue
		}
		c := files[f.Name()]
		if c == nil {
			c = &ChangedFile{Name: f.Name()}
			files[f.Name()] = c
		}
		c.Edits, c.Last, c.Diffs = c.Edits+1, e.Seq, append(c.Diffs, f)
	}
	var out []ChangedFile
	for _, name := range slices.Sorted(maps.Keys(files)) {
		out = append(out, *files[name])
	}
	return out
}
