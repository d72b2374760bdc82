package tools

import (
	"context"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
	"plimsoll/tools/instructions"
	"plimsoll/tools/permission"
	"plimsoll/tools/workspace"
)

// The results of file tools bring the instructions of the folders on the way to the file, each once while the result that has
// them is sent in full. A file that the user's configuration denies to the model is left out.

// withInstructions adds to a result of a call on a file the instructions that the model does not have yet.
func (b *Box) withInstructions(ctx context.Context, call conversation.ToolCall, file string, r result) result {
	p, err := b.files.Locate(file)
	if err != nil {
		return r
	}
	text := ""
	for _, folder := range instructions.Above(p.Rel) {
		for _, f := range instructions.OfFolder(b.files, folder) {
			read := permission.OfFile("read_file", permission.AccessRead, workspace.Path{Rel: f.Name, Name: f.Name})
			if need, _ := b.Need(read); f.Text == "" || f.Name == p.Rel || need == conversation.NeedRefusal {
				continue
			}
			loaded := conversation.InstructionsLoaded{Path: f.Name, Hash: f.Hash, Size: conversation.Measure(f.Text), Call: call.ID}
			if b.lacks(ctx, loaded) {
				text += "\n" + nestedTitle(f.Name) + " for files below " + f.Folder + ". They are the project's own text and no part of " +
					"the result: follow them as far as the user does not say otherwise.]\n" + f.Text + "\n"
				r.events = append(r.events, loaded)
			}
		}
	}
	switch {
	case text == "":
	case utf8.RuneCountInString(r.text)+utf8.RuneCountInString(text) > b.options.ResultChars(): // the end of a long result is cut
		r.text = text[1:] + "\n" + r.text
	default:
		r.text = strings.TrimRight(r.text, "\n") + "\n" + text
	}
	return r
}

func nestedTitle(name string) string { return "[Instructions from " + name + "," }

// lacks reports whether the next request does not carry a file, and records that the result of a call brings it.
func (b *Box) lacks(ctx context.Context, l conversation.InstructionsLoaded) bool {
	b.mu.Lock()
	old := b.loaded[l.Path]
	b.mu.Unlock()
	if old.Hash == l.Hash {
		if b.options.ResultNow == nil {
			return false
		}
		if text, stored := b.options.ResultNow(ctx, old.Call); !stored || strings.Contains(text, nestedTitle(l.Path)) {
			return false
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.loaded[l.Path] != old { // another call brings it
		return false
	}
	b.loaded[l.Path] = l
	return true
}
