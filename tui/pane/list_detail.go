package pane

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Command is a key and the action that it leads to.
type Command struct {
	On key.Binding
	Do func() Action
}

// Press runs the first command that has this key; false means that none has it.
func Press(k tea.KeyPressMsg, commands []Command) (Action, bool) {
	for _, c := range commands {
		if key.Matches(k, c.On) {
			return c.Do(), true
		}
	}
	return nil, false
}

// ListDetailKeys are the keys that a ListDetail handles. A binding without keys is off.
type ListDetailKeys struct {
	Moves       Moves
	Help, Close key.Binding
	Listed      []any // the keymaps of the list of keys
}

// Content is the content of a ListDetail.
type Content struct {
	Frame Frame
	Keys  ListDetailKeys
	Rows  Rows
	Body  []string // lines in place of the rows, which scroll; nil for the rows
	Panel []string // below the rows, its rule included
	Aside []string // at the right of the rows, as wide as [AsideWidth]; nil for none

	Wide    bool // Aside takes most of the width, and the mouse wheel scrolls it
	Reading bool // the keys that move scroll Aside
}

// inPage reports whether a message scrolls lines instead of moving in the rows.
func (v Content) inPage(msg tea.Msg) bool {
	_, wheel := msg.(tea.MouseWheelMsg)
	return v.Body != nil || v.Aside != nil && (v.Reading || wheel && v.Wide)
}

// leastAside is the width from which there is room at the right of the rows.
const leastAside = 100

// asideGap is the cells between the rows and Aside.
const asideGap = 3

// AsideWidth returns the cells of Aside in a view of this width: two fifths, or three if it is wide. It is 0 where there is
// no room.
func AsideWidth(width int, wide bool) int {
	switch part := Within(width) * 2 / 5; {
	case width < leastAside:
		return 0
	case wide:
		return RowWidth(width) - asideGap - part
	default:
		return part
	}
}

// ListDetail is a full-screen view: a list of rows with a cursor, with details below or beside it, or a page of lines. The help
// key shows the list of keys in its place.
type ListDetail struct {
	List
	Page          Page // scrolls Body, Aside or the list of keys
	Width, Height int  // in cells; SetSize sets them
	helping       bool
}

// SetSize sets the size of the view, in cells.
func (s *ListDetail) SetSize(width, height int) { s.Width, s.Height = max(width, 1), max(height, 0) }

// Helping reports whether the list of keys is shown.
func (s *ListDetail) Helping() bool { return s.helping }

// Reset shows the beginning of the page, and no list of keys.
func (s *ListDetail) Reset() { s.Page, s.helping = Page{}, false }

// Fit gives the list the lines that frame and panel leave, and returns their number.
func (s *ListDetail) Fit(v Content) int {
	body := v.Frame.Body(s.Height) - len(v.Panel)
	s.List.SetSize(s.rowWidth(v), body)
	return body
}

func (s *ListDetail) rowWidth(v Content) int {
	if v.Aside == nil {
		return RowWidth(s.Width)
	}
	return RowWidth(s.Width) - asideGap - AsideWidth(s.Width, v.Wide)
}

// current returns v, or the list of keys while that is shown.
func (s *ListDetail) current(styles Styles, v Content) Content {
	if s.helping {
		f := Frame{Title: v.Frame.Title + " · keys", Status: v.Frame.Status, Hints: []string{Hint("back", v.Keys.Close)}}
		return Content{Frame: f, Keys: v.Keys, Body: styles.KeyList(s.Width, v.Keys.Listed...)}
	}
	return v
}

// View draws the view in exactly its lines and cells. A panel is at the bottom.
func (s *ListDetail) View(styles Styles, v Content) string {
	v = s.current(styles, v)
	body := s.Fit(v)
	lines, aside, part := v.Body, v.Aside, ""
	if lines == nil {
		lines = s.List.View(v.Rows)
		aside, part = s.Page.View(aside, body)
	} else {
		lines, part = s.Page.View(lines, body)
	}
	if part != "" && v.inPage(nil) {
		v.Frame.Where = part
	}
	if v.Aside != nil {
		lines = Columns(lines, aside, " "+styles.Rule.Render("│")+" ", s.rowWidth(v), body)
	}
	if len(v.Panel) > 0 {
		out := make([]string, body, body+len(v.Panel))
		copy(out, lines)
		lines = append(out, v.Panel...)
	}
	return styles.Draw(v.Frame, lines, s.Width, s.Height)
}

// Update runs the command of a key, scrolls, or moves in the list. The first key to close leads from the list of keys back to
// the view. Where the panel changes, the row with the cursor stays in sight.
func (s *ListDetail) Update(msg tea.Msg, shown func() Content, commands []Command) Action {
	v := s.current(Styles{}, shown())
	body := s.Fit(v)
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if key.Matches(k, v.Keys.Help) || s.helping && key.Matches(k, v.Keys.Close) {
			s.Page, s.helping = Page{}, !s.helping
			return nil
		}
		if s.helping {
			commands = nil
		}
		if action, done := Press(k, commands); done {
			s.reveal(shown(), body)
			return action
		}
		if key.Matches(k, v.Keys.Close) {
			return Closed{}
		}
	}
	switch inPage := v.inPage(msg); {
	case inPage && s.Page.Update(msg, v.Keys.Moves, max(len(v.Body), len(v.Aside)), body):
		return nil
	case inPage || !s.List.Update(v.Rows, msg, v.Keys.Moves, v.Frame.Top(s.Height)):
		return Ignored{}
	}
	if len(v.Panel) > 0 { // it may be about the row
		s.reveal(shown(), body)
	}
	return nil
}

// reveal shows the row with the cursor where the list now has another number of lines.
func (s *ListDetail) reveal(v Content, was int) {
	if s.Fit(v) != was && v.Rows != nil && v.Rows.Len() > 0 {
		s.Select(v.Rows, s.Selected(v.Rows))
	}
}
