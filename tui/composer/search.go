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

// search is the search in the prompt history. It shows each match in place of the draft and leaves the draft alone: Esc
// shows it again, Enter takes the match.
type search struct {
	text *edit.Editor // shows the matches
	past *history
	keys *KeyMap

	on     bool
	query  *edit.Field
	match  int // -1: none
	before edit.State
}

// start begins with nothing found.
func (s *search) start() {
	s.on, s.match, s.before = true, -1, s.text.State()
	s.query = edit.NewField(func(text string) string { return plain.Line(edit.Clean(text)) }, maxQuery)
}

// stop ends the search; what is shown stays.
func (s *search) stop() { s.on, s.match = false, -1 }

// key handles a key while searching. Ctrl+C leaves like Esc, because it interrupts the search; Ctrl+G leaves as in a shell.
func (s *search) key(k tea.KeyPressMsg) pane.Action {
	switch keys := s.keys.Writing; {
	case key.Matches(k, keys.Leave, keys.Editor), k.String() == "ctrl+c":
		s.text.Restore(s.before.Draft)
		s.stop()
	case key.Matches(k, keys.Send, keys.Complete, s.keys.Editing.Right):
		s.take()
	case key.Matches(k, keys.Search, keys.Older):
		s.show(s.past.find(s.query.Text(), s.from()-1, -1), true)
	case key.Matches(k, keys.Newer):
		if s.match >= 0 {
			s.show(s.past.find(s.query.Text(), s.match+1, 1), true)
		}
	default:
		return s.typed(k)
	}
	return nil
}

// typed changes what is looked for, which is looked for from the newest prompt on.
func (s *search) typed(msg tea.Msg) pane.Action {
	e := s.keys.Editing
	keys := edit.Keys{Backspace: e.Backspace, CutWordLeft: e.CutWordLeft, CutToBlank: e.CutToBlank, CutToStart: e.CutToStart, Yank: e.Yank, Undo: e.Undo, Redo: e.Redo}
	if !s.query.Update(msg, keys) {
		return pane.Ignored{}
	}
	found := -1
	if query := s.query.Text(); query != "" {
		found = s.past.find(query, len(s.past.entries)-1, -1)
	}
	s.show(found, false)
	return nil
}

// from is the entry before which an older match is looked for.
func (s *search) from() int {
	if s.match < 0 {
		return len(s.past.entries)
	}
	return s.match
}

// show shows an entry. Without one, the last stays where the search went on from it.
func (s *search) show(i int, stay bool) {
	switch {
	case i >= 0:
		s.match = i
		s.text.Restore(s.past.entries[i])
	case !stay:
		s.match = -1
		s.text.Restore(s.before.Draft)
	}
}

// take ends the search at its match: what was being written can be reached again by going on to the newest.
func (s *search) take() {
	match := s.match
	s.stop()
	if match < 0 {
		s.text.Restore(s.before.Draft)
		return
	}
	s.past.visit(match, s.before.Draft)
	s.text.Restore(s.past.entries[match])
}

// line is the search up to the cursor.
func (s *search) line() string { return "search: " + s.query.Text() }

// failed says that there is no match, "" where there is one or nothing is looked for.
func (s *search) failed() string {
	if s.query.Text() != "" && s.match < 0 {
		return "  no match"
	}
	return ""
}
