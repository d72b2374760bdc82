package diff

import (
	"cmp"
	"encoding/json"
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
	// Diffs lead from the file before the first change to the file after the last one. There is one,
	// but where something else changed the file in between, or a diff was not kept to its end.
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

// Left reports whether a text is what the conversation left in the file. Where the log does not name that
// text, it is the lines that the diffs show that count.
func (c Changed) Left(text string) bool {
	f := c.Diffs[len(c.Diffs)-1]
	if f.After != "" {
		return ID(text) == f.After
	}
	lines := slices.Collect(strings.Lines(conversation.Clean(text)))
	for _, h := range f.Hunks {
		at := h.New
		for _, l := range h.Lines {
			if l.Op == Removed {
				continue
			}
			if at < 1 || at > len(lines) || lines[at-1] != l.Text {
				return false
			}
			at++
		}
	}
	return true
}

// OfLog lists the files that a conversation changed, by name: those whose tool results have a diff. Undone
// turns count: to undo a turn changes no files.
func OfLog(log []conversation.Event) []Changed {
	calls := map[string]conversation.ToolCall{}
	files := map[string]*history{}
	for _, e := range log {
		switch b := e.Body.(type) {
		case conversation.AssistantMessage:
			for _, c := range b.Calls {
				calls[c.ID] = c
			}
		case conversation.ToolResult:
			f, ok := Parse(b.Detail)
			if !ok {
				continue
			}
			h := files[f.Name()]
			if h == nil {
				h = &history{}
				files[f.Name()] = h
			}
			h.last = e.Seq
			h.add(whole(f, calls[b.CallID]))
		}
	}
	out := make([]Changed, 0, len(files))
	for name, h := range files {
		out = append(out, Changed{Name: name, Edits: h.edits, Last: h.last, Diffs: h.files()})
	}
	slices.SortFunc(out, func(a, b Changed) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// history is the diffs of one file.
type history struct {
	edits  int
	last   uint64
	done   []File
	latest *chain // nil where the next diff begins another
}

func (h *history) add(f File) {
	h.edits++
	if h.latest != nil && f.Cut == 0 && h.latest.add(f) {
		return
	}
	h.done = h.files()
	if h.latest = nil; f.Cut > 0 {
		h.done = append(h.done, f)
		return
	}
	if c := newChain(f); c.add(f) {
		h.latest = c
		return
	}
	h.done = append(h.done, f) // it contradicts itself
}

func (h *history) files() []File {
	if h.latest == nil {
		return h.done
	}
	return append(slices.Clip(h.done), h.latest.file())
}

// whole is the diff of a new file that was not kept to its end, made again from what the call wrote.
func whole(f File, call conversation.ToolCall) File {
	if f.Cut == 0 || f.From != "" {
		return f
	}
	var args struct {
		Content string `json:"content"`
	}
	if err := json.Unmarshal([]byte(call.Arguments), &args); err != nil || args.Content == "" || f.After != "" && ID(args.Content) != f.After {
		return f
	}
	if again, ok := Parse(udiff.Unified(nowhere, "b/"+f.To, "", conversation.Clean(args.Content))); ok {
		again.Before, again.After = f.Before, f.After
		return again
	}
	return f
}
