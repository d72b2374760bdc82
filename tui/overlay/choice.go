package overlay

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/tui/pane"
)

// choice is one of several answers.
type choice struct{ key, long, short string }

// breadth is how many cells the answers take one below the other.
func breadthOf(list []choice) int {
	n := 0
	for _, c := range list {
		n = max(n, ansi.StringWidth(c.tall()))
	}
	return n
}

// tall is an answer with its long name, behind the mark of the selected one.
func (c choice) tall() string { return "  " + c.key + "  " + c.long }

// choices draws answers one below the other with their long names, or side by
// side with their short ones. The selected one is marked, so that it is seen
// without colour; chosen is its line, from 1 on, where it has one of its own.
func (s Styles) choices(list []choice, sel, width int, tall bool) (lines []string, chosen int) {
	cells, widest := make([]string, len(list)), 0
	for i, c := range list {
		cells[i] = c.key + " " + c.short
		if tall {
			cells[i] = strings.TrimPrefix(c.tall(), " ")
		}
		widest = max(widest, ansi.StringWidth(cells[i])+1)
	}
	columns := 1
	if !tall {
		if len(list)*(widest+1) <= width {
			widest++ // air between them
		}
		columns = max(1, min(len(list), width/widest))
	}
	for i, cell := range cells {
		mark, style := " ", s.Item
		if i == sel {
			mark, style = "❯", s.Selected
		}
		room := min(widest, width)
		if tall {
			room = width
		}
		text := style.Render(pane.Fit(mark+cell, room))
		if i%columns == 0 {
			lines = append(lines, text)
		} else {
			lines[len(lines)-1] += text
		}
	}
	if tall {
		chosen = sel + 1
	}
	return lines, chosen
}

// hint is a key and what it does here.
func hint(what string, b key.Binding) string { return b.Help().Key + " " + what }

// leftover is what comes of a message no part of a dialog has a use for: text
// is kept from the chat below, other keys are the parent's.
func leftover(msg tea.Msg) pane.Action {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return nil
	case tea.KeyPressMsg:
		if msg.Text != "" {
			return nil
		}
	}
	return pane.Ignored{}
}
