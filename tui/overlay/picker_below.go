package overlay

import (
	"strings"

	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// Below a list: the dial, and a few lines about the selected item. What is not known
// of an item yet is asked for with Focused, and shown once SetPreview brings it.

// previews are what is known of items.
type previews struct {
	texts map[string]string // by the ID of the item
}

// SetPreview shows a text about an item while that is selected.
func (p *Picker) SetPreview(item, text string) { p.previews.texts[item] = plain.Text(text) }

// Wanted is the selected item if nothing is known of it yet, "" otherwise.
func (p *Picker) Wanted() string {
	item := p.selected()
	if _, known := p.previews.texts[item]; known || p.o.Preview == 0 {
		return ""
	}
	return item
}

// focus asks for what is not known of the selected item.
func (p *Picker) focus() pane.Action {
	item := p.Wanted()
	if p.o.Live {
		item = p.selected()
	}
	if item != "" {
		return Focused{ID: p.o.ID, Item: item}
	}
	return nil
}

// leastList is how many lines a list has before anything stands below it.
const leastList = 6

// previewed is how many lines of a preview there is room for.
func (p *Picker) previewed() int {
	room := min(p.o.Preview, p.height/3, p.height-1-len(p.text)-leastList-1)
	if room < 2 {
		return 0
	}
	return room
}

// turning reports whether there is room for the dial.
func (p *Picker) turning() bool { return p.o.Dial != nil && p.height >= leastList }

// below is how many lines stand below the list.
func (p *Picker) below() int {
	n := 0
	if p.turning() {
		n += 2
	}
	if room := p.previewed(); room > 0 {
		n += 1 + room
	}
	return n
}

// foot is what stands below the list.
func (p *Picker) foot() []string {
	var lines []string
	if p.turning() {
		lines = append(lines, "", p.dialLine())
	}
	room := p.previewed()
	if room == 0 {
		return lines
	}
	lines = append(lines, p.look.styles.Border.Render(strings.Repeat("─", p.width)))
	var text []string
	if known := p.previews.texts[p.selected()]; known != "" {
		text = pane.WrapHanging(known, p.width)
	}
	for i := range room {
		line := ""
		if i < len(text) {
			line = text[i]
		}
		lines = append(lines, p.look.styles.Detail.Render(pane.Fit(line, p.width)))
	}
	return lines
}

// dialLine is the value that is chosen with the item.
func (p *Picker) dialLine() string {
	s, d := p.look.styles, p.o.Dial
	if p.fixed() {
		return s.Detail.Render(pane.Fit("  "+d.Name+": this model has no levels", p.width))
	}
	label := "  " + d.Name + "  "
	return s.Detail.Render(label) + s.Text.Render(pane.Fit("‹ "+d.Values[p.acting.dial]+" ›", max(p.width-len(label), 0)))
}
