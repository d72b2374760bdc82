package composer

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// maxQuery bounds what one paste adds to a search, in bytes.
const maxQuery = 256

// search is the search in the prompt history. It shows each match in place of the draft and keeps the draft: Esc shows
// the draft again, Enter accepts the match.
type search struct {
	text    *edit.Editor // shows the matches
	prompts *history
	keys    *KeyMap

	on     bool
	query  *edit.Field
	match  int // index of the shown entry; -1 without a match
	before edit.State
}

// start begins a search with an empty query.
func (s *search) start() {
	s.on, s.match, s.before = true, -1, s.text.State()
	s.query = edit.NewField(func(text string) string { return plain.Line(edit.Clean(text)) }, maxQuery)
}

// stop ends the search and keeps the shown text.
func (s *search) stop() { s.on, s.match = false, -1 }

// key handles a key while searching. Ctrl+C and Ctrl+G cancel the search like Esc, as in a shell.
func (s *search) key(k tea.KeyPressMsg) pane.Action {
	switch keys := s.keys.Writing; {
	case key.Matches(k, keys.Leave, keys.Editor), k.String() == "ctrl+c":
		s.text.Restore(s.before.Draft)
		s.stop()
	case key.Matches(k, keys.Send, keys.Complete, s.keys.Editing.Right):
		s.accept()
	case key.Matches(k, keys.Search, keys.Older):
		s.show(s.prompts.find(s.query.Text(), s.shown()-1, -1), true)
	case key.Matches(k, keys.Newer):
		if s.match >= 0 {
			s.show(s.prompts.find(s.query.Text(), s.match+1, 1), true)
		}
	default:
		return s.edit(k)
	}
	return nil
}

// edit changes the query and searches from the newest prompt.
func (s *search) edit(msg tea.Msg) pane.Action {
	e := s.keys.Editing
	keys := edit.Keys{Backspace: e.Backspace, CutWordLeft: e.CutWordLeft, CutToBlank: e.CutToBlank, CutToStart: e.CutToStart,
		Yank: e.Yank, Undo: e.Undo, Redo: e.Redo}
	if !s.query.Update(msg, keys) {
		return pane.Ignored{}
	}
	found := -1
	if query := s.query.Text(); query != "" {
		found = s.prompts.find(query, len(s.prompts.entries)-1, -1)
	}
	s.show(found, false)
	return nil
}

// shown is the index of the shown prompt. The draft counts as newer than all prompts.
func (s *search) shown() int {
	if s.match < 0 {
		return len(s.prompts.entries)
	}
	return s.match
}

// show shows prompt i. If i is -1, it shows the draft, or with stay the prompt that is shown already.
func (s *search) show(i int, stay bool) {
	switch {
	case i >= 0:
		s.match = i
		s.text.Restore(s.prompts.entries[i])
	case !stay:
		s.match = -1
		s.text.Restore(s.before.Draft)
	}
}

// accept ends the search at its match. The user gets the draft back by browsing past the newest prompt.
func (s *search) accept() {
	match := s.match
	s.stop()
	if match < 0 {
		s.text.Restore(s.before.Draft)
		return
	}
	s.prompts.visit(match, s.before.Draft)
	s.text.Restore(s.prompts.entries[match])
}

func (s *search) line() string { return "search: " + s.query.Text() }
