package tui

import (
	"fmt"
	"slices"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// The checklist that the model wrote last is shown above the composer until all of it is done: on a
// wide screen as a list of a few lines, else as one line with the entry in progress. Its lines are
// taken from the transcript only, which keeps minBody lines. Where there is none to take, the line
// is shown in the status line while that is empty.

// The size from which on the checklist is shown as a list, and the most lines of it.
const (
	minTodoListWidth, minTodoListHeight = 120, 30
	maxTodoLines                        = 5
)

// changesTodos reports whether an event may change which checklist is in force.
func changesTodos(b conversation.Body) bool {
	switch b := b.(type) {
	case conversation.ToolResult:
		return b.Tool == conversation.ToolTodoWrite
	case conversation.Rewind, conversation.Revert:
		return true
	}
	return false
}

// readTodos sets todos to the checklist in force, nil if there is none or all is done.
func (s *session) readTodos() {
	s.todos = conversation.ParseTodos(conversation.LastTodos(s.log))
	if !slices.ContainsFunc(s.todos, func(t conversation.Todo) bool { return t.Status != conversation.TodoDone }) {
		s.todos = nil
	}
}

// todoProgress returns the index of the entry to show first, which is the one in progress or else the
// first that is open, and how much is done as "2/5".
func todoProgress(todos []conversation.Todo) (current int, progress string) {
	done := 0
	current = slices.IndexFunc(todos, func(t conversation.Todo) bool { return t.Status == conversation.TodoInProgress })
	for i, t := range todos {
		switch {
		case t.Status == conversation.TodoDone:
			done++
		case current < 0:
			current = i
		}
	}
	return current, fmt.Sprintf("%d/%d", done, len(todos))
}

// placeTodos takes the lines of the checklist from those of the transcript.
func (c *chat) placeTodos(p *layoutPlan, free int) (left int) {
	todos, width := c.session.todos, c.area.width
	switch {
	case len(todos) == 0 || c.panelOpen():
	case width >= minTodoListWidth && c.area.height >= minTodoListHeight && free-maxTodoLines >= minBody:
		p.todos = c.todoList(todos, pane.TextWidth(width))
	case free > minBody:
		p.todos = []string{c.todoLine(pane.TextWidth(width))}
	}
	for i, line := range p.todos {
		p.todos[i] = pane.TextMargin(width) + line
	}
	return free - len(p.todos)
}

// todoLine is the checklist on one line, at most width cells; "" if there is none.
func (c *chat) todoLine(width int) string {
	todos, st := c.session.todos, c.styles
	if len(todos) == 0 {
		return ""
	}
	current, progress := todoProgress(todos)
	text := plain.Line(todos[current].Text)
	return ansi.Truncate(st.accent.Render(progress)+" "+st.subtle.Render(text), max(width, 0), "…")
}

// todoList returns the lines of the checklist around the current entry, the first with how much is done.
func (c *chat) todoList(todos []conversation.Todo, width int) []string {
	current, progress := todoProgress(todos)
	first := max(0, min(current-1, len(todos)-maxTodoLines))
	var lines []string
	for i, t := range todos[first:min(len(todos), first+maxTodoLines)] {
		mark, style := "·", c.styles.subtle
		switch {
		case t.Status == conversation.TodoDone:
			mark = "✓"
		case t.Status == conversation.TodoInProgress:
			mark, style = "▸", c.styles.accent
		}
		line := style.Render(pane.Clip(mark+" "+plain.Line(t.Text), width-len(progress)-2))
		if i == 0 {
			line = pane.Between(line, c.styles.subtle.Render(progress), width)
		}
		lines = append(lines, line)
	}
	return lines
}
