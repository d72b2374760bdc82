package dialog

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/pane"
)

// A question that opens by itself stands in the flow: above the composer, below the transcript, which stays readable and is
// scrolled by its own keys and the wheel. A key shows it over the whole screen. While a view covers the transcript it is a dialog.

// Flow is a question in the flow.
type Flow struct {
	Lines  []string    // as wide as the screen
	Hints  []string    // what keys do; the first are shown first
	Cursor *tea.Cursor // from the first cell of Lines; nil without one
}

// minFlowLines is the least height of a question in the flow.
const minFlowLines = 4

// PushQuestion opens a question that opens by itself; see Push.
func (s *Stack) PushQuestion(d Dialog, now time.Time) {
	s.push(opened{Dialog: d, isQuestion: true}, now)
}

// WantsFlow reports whether the top dialog stands in the flow if there is room.
func (s *Stack) WantsFlow() bool {
	n := len(s.dialogs)
	return n > 0 && s.dialogs[n-1].isQuestion && !s.dialogs[n-1].isFull
}

// InFlow reports whether the top dialog stands in the flow now.
func (s *Stack) InFlow() bool { return s.WantsFlow() && s.flowLines > 0 }

// SetFlow gives the number of lines that a question in the flow may have. With too few it is a dialog over the screen.
func (s *Stack) SetFlow(lines int) {
	if lines < minFlowLines {
		lines = 0
	}
	if lines != s.flowLines {
		s.flowLines = lines
		s.layoutAll()
	}
}

// TextLines returns how many lines the text of a call has that the top dialog asks about, 0 for another dialog.
func (s *Stack) TextLines() int {
	if a, is := s.Top().(*Approve); is {
		return a.text.len()
	}
	return 0
}

// flowCells is the width of a line's text: a bar and blanks stand beside it.
func (s *Stack) flowCells() int { return max(pane.Within(s.room.width)-3, 1) }

// Flow draws the question in the flow; InFlow must be true.
func (s *Stack) Flow() Flow {
	p, cells, st := s.Top().page(), s.flowCells(), s.config.styles
	bar, margin, surface := st.Accent.Render("▎"), pane.Margin(s.room.width), pane.NewSurface(st.Raised)
	if p.danger {
		bar = st.Error.Render("▎")
	}
	title := st.Title.Render(pane.Clip(p.title, cells))
	if p.where != "" {
		title = pane.Between(title, st.Faint.Render(p.where), cells)
	}
	f := Flow{Hints: p.hints}
	for _, line := range append([]string{title}, p.lines[:min(len(p.lines), s.flowLines-1)]...) {
		f.Lines = append(f.Lines, margin+surface.Under(bar+" "+pane.Fit(line, cells)+" "))
	}
	if p.cursor != nil {
		f.Cursor = tea.NewCursor(pane.Gutter(s.room.width)+2+p.cursor.x, 1+p.cursor.y)
	}
	return f
}

// toggleFull shows a question over the whole screen, or in the flow again, if that is what the key does.
func (s *Stack) toggleFull(k tea.KeyPressMsg) bool {
	n := len(s.dialogs) - 1
	top := &s.dialogs[n]
	if !top.isQuestion || s.flowLines == 0 && !top.isFull || !key.Matches(k, s.config.keys.Answers.Full) {
		return false
	}
	top.isFull = !top.isFull
	s.layout(n)
	return true
}
