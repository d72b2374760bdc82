package diff

import (
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"plimsoll/conversation"
)

// Changed is a file that a conversation changed.
type Changed struct {
	Name  string
	Edits int    // how many calls changed it
	Last  uint64 // the event of the last one
	// Diffs are the edits in order, or one diff from the text before the first edit to the one after the last.
	Diffs []File
}

// Stat counts the lines added and removed.
func (c Changed) Stat() (added, removed int) {
	for _, f := range c.Diffs {
		a, r := f.Stat()
		added, removed = added+a, removed+r
	}
	return added, removed
}

// Created reports whether the file is the conversation's own.
func (c Changed) Created() bool { return c.Diffs[0].From == "" }

// Cut is how many lines of its diffs were not kept.
func (c Changed) Cut() int {
	n := 0
	for _, f := range c.Diffs {
		n += f.Cut
	}
	return n
}

// Patch is the change in unified form.
func (c Changed) Patch() string {
	var b strings.Builder
	for _, f := range c.Diffs {
		if len(f.Hunks) > 0 {
			b.WriteString(f.String())
		}
	}
	return b.String()
}

// Whole takes the text that is in the file now. It reports whether that is what the conversation left there;
// then the diffs become one, from the text before the first edit to this one, if every edit can be undone.
func (c Changed) Whole(now string) (Changed, bool) {
	last := c.Diffs[len(c.Diffs)-1]
	first := conversation.Clean(now)
	_, fits := last.undo(first)
	if last.After != "" && ID(now) != last.After || last.After == "" && !fits {
		return c, false
	}
	from := "a/" + c.Diffs[0].From
	for i, f := range slices.Backward(c.Diffs) {
		before, ok := f.undo(first)
		if i == 0 && c.Created() { // also where the diff was not kept to its end
			from, before, ok = nowhere, "", true
		}
		if !ok || i > 0 && f.Before != c.Diffs[i-1].After {
			return c, true
		}
		first = before
	}
	whole, ok := Parse(udiff.Unified(from, "b/"+last.To, first, conversation.Clean(now)))
	if !ok { // nothing is left of the changes
		whole = File{From: c.Diffs[0].From, To: last.To}
	}
	c.Diffs = []File{whole}
	return c, true
}

// OfLog lists the files that a conversation changed, by name: those whose tool results have a diff. Undone
// turns count: to undo a turn changes no files.
func OfLog(log []conversation.Event) []Changed {
	files := map[string]*Changed{}
	for _, e := range log {
		b, _ := e.Body.(conversation.ToolResult) // others have no diff
		f, ok := Parse(b.Detail)
		if !ok {
			continue
		}
		c := files[f.Name()]
		if c == nil {
			c = &Changed{Name: f.Name()}
			files[f.Name()] = c
		}
		c.Edits, c.Last, c.Diffs = c.Edits+1, e.Seq, append(c.Diffs, f)
	}
	var out []Changed
	for _, name := range slices.Sorted(maps.Keys(files)) {
		out = append(out, *files[name])
	}
	return out
}
