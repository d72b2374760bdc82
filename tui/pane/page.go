package pane

import (
	"fmt"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Page is the scroll position in a page of lines. The lines are parameters: they may change between two messages.
type Page struct {
	Top int // the first visible line
}

// Update scrolls a page with this many lines, of which height are visible, and reports whether the message was for it.
func (p *Page) Update(msg tea.Msg, keys Moves, lines, height int) bool {
	if _, ok := msg.(tea.MouseWheelMsg); ok {
		p.Scroll(Wheel(msg), lines, height)
		return true
	}
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return false
	}
	page := max(height-1, 1)
	switch {
	case key.Matches(k, keys.Up):
		p.Scroll(-1, lines, height)
	case key.Matches(k, keys.Down):
		p.Scroll(1, lines, height)
	case key.Matches(k, keys.PageUp, keys.HalfUp):
		p.Scroll(-page, lines, height)
	case key.Matches(k, keys.PageDown, keys.HalfDown):
		p.Scroll(page, lines, height)
	case key.Matches(k, keys.Top):
		p.Top = 0
	case key.Matches(k, keys.End):
		p.Scroll(lines, lines, height)
	default:
		return false
	}
	return true
}

// Scroll scrolls a page with this many lines, of which height are visible, no further than to its ends.
func (p *Page) Scroll(by, lines, height int) { p.Top = max(0, min(p.Top+by, lines-height)) }

// View returns the lines from the first visible one on, and their range: "" if all are visible.
func (p *Page) View(lines []string, height int) (shown []string, where string) {
	top := max(0, min(p.Top, len(lines)-height))
	return lines[top:], Range(top, height, len(lines))
}

// Range formats which lines are visible, "" if all are.
func Range(top, height, lines int) string {
	if lines <= height {
		return ""
	}
	return fmt.Sprintf("%d–%d of %d", top+1, min(top+height, lines), lines)
}

// KeyList lists the enabled keys of some keymaps and what they do, in lines of at most width cells with the margin of the
// view, and an empty line between keymaps.
func (s Styles) KeyList(width int, keymaps ...any) []string {
	names := 0
	for _, keymap := range keymaps {
		for _, b := range BindingsIn(keymap) {
			names = max(names, ansi.StringWidth(b.Help().Key))
		}
	}
	var out []string
	for n, keymap := range keymaps {
		if n > 0 {
			out = append(out, "")
		}
		for _, b := range BindingsIn(keymap) {
			if !b.Enabled() {
				continue
			}
			for i, l := range Wrap(b.Help().Desc, Within(width)-names-2) {
				name := ""
				if i == 0 {
					name = b.Help().Key
				}
				out = append(out, Margin(width)+s.Key.Render(Fit(name, names))+"  "+s.Text.Render(l))
			}
		}
	}
	return out
}
