package overlay

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// What a list can do besides choosing: its items are marked, sorted, renamed, removed
// and copied by keys that are no letters, as letters narrow the list. The list stays
// open and asks for what is missing in the line of its filter.

// Act is something that can be done with an item of a Picker.
type Act int

// The acts.
const (
	ActFavorite Act = iota + 1 // mark it, or no longer
	ActSort                    // list all in another order
	ActRename                  // Acted.Text is the new name
	ActRemove                  // was confirmed
	ActFork                    // go on in a copy
)

// Dial is a value that is chosen together with an item, by the keys to the left and to
// the right.
type Dial struct {
	Name   string
	Values []string
	At     int // the value at first
}

// start is the value at first.
func (d *Dial) start() int {
	if d == nil {
		return 0
	}
	return d.At
}

// mode is what the keys of a Picker are for.
type mode int

const (
	choosing mode = iota
	naming        // the selected item
	removing      // it; the answer is awaited
)

// acting is what is done with the selected item.
type acting struct {
	mode mode
	name *edit.Field // while naming
	why  string      // what failed last
	dial int         // in Dial.Values
}

// Failed says why an act failed, until the next key.
func (p *Picker) Failed(why string) { p.acting.why = plain.Line(why) }

// Selected is the ID of the selected item, "" if there is none.
func (p *Picker) Selected() string { return p.selected() }

// SetItems lists other items, or the same ones otherwise. The filter stays, and so does
// the selected item, or what stands in its place then.
func (p *Picker) SetItems(items []Item) {
	at, row := p.selected(), p.sel
	p.list(items)
	p.search()
	p.sel = min(row, max(len(p.found)-1, 0))
	for i, n := range p.found {
		if p.o.Items[n].ID == at {
			p.sel = i
		}
	}
	p.show()
}

// SetTitle changes the title.
func (p *Picker) SetTitle(title string) { p.o.Title = plain.Line(title) }

// dialled is the value of the dial, "" where it was not moved or says nothing.
func (p *Picker) dialled() string {
	if d := p.o.Dial; d != nil && p.acting.dial != d.At && !p.fixed() {
		return d.Values[p.acting.dial]
	}
	return ""
}

// fixed reports whether the dial says nothing about the selected item.
func (p *Picker) fixed() bool { return p.sel >= len(p.found) || p.o.Items[p.found[p.sel]].Fixed }

// bound are the keys of the acts.
func (k Lists) bound(a Act) key.Binding {
	switch a {
	case ActFavorite:
		return k.Favorite
	case ActSort:
		return k.Sort
	case ActRename:
		return k.Rename
	case ActRemove:
		return k.Remove
	}
	return k.Fork
}

// act handles the keys of acts and of the dial.
func (p *Picker) act(k tea.KeyPressMsg) (pane.Action, bool) {
	keys := p.look.keys.Lists
	if d := p.o.Dial; d != nil {
		step := 0
		switch {
		case key.Matches(k, keys.Lower):
			step = len(d.Values) - 1
		case key.Matches(k, keys.Higher):
			step = 1
		}
		if step != 0 {
			if !p.fixed() {
				p.acting.dial = (p.acting.dial + step) % len(d.Values)
			}
			return nil, true
		}
	}
	for _, a := range p.o.Acts {
		if !key.Matches(k, keys.bound(a)) {
			continue
		}
		if p.selected() == "" {
			return nil, true
		}
		return p.begin(a), true
	}
	return nil, false
}

// begin does what a key asks for, or asks for what is missing.
func (p *Picker) begin(a Act) pane.Action {
	switch a {
	case ActRename:
		item := p.o.Items[p.found[p.sel]]
		name := item.Name
		if name == "" {
			name = item.Title
		}
		p.acting.mode, p.acting.name = naming, newLine(name)
		return nil
	case ActRemove:
		p.acting.mode = removing
		return nil
	}
	return Acted{ID: p.o.ID, Item: p.selected(), Act: a}
}

// goOn handles a message while a name or an answer is awaited.
func (p *Picker) goOn(msg tea.Msg) pane.Action {
	k, isKey := msg.(tea.KeyPressMsg)
	answers := p.look.keys.Answers
	if p.acting.mode == removing {
		if !isKey {
			return leftover(msg)
		}
		p.acting.mode = choosing
		if key.Matches(k, answers.Yes) {
			return Acted{ID: p.o.ID, Item: p.selected(), Act: ActRemove}
		}
		return nil
	}
	if isKey && k.Text == "" {
		switch {
		case key.Matches(k, answers.Accept):
			name := strings.TrimSpace(p.acting.name.Text())
			p.acting.mode, p.acting.name = choosing, nil
			if name == "" {
				return nil
			}
			return Acted{ID: p.o.ID, Item: p.selected(), Act: ActRename, Text: name}
		case key.Matches(k, answers.Close):
			p.acting.mode, p.acting.name = choosing, nil
			return nil
		}
	}
	if typed(p.acting.name, msg, p.look.keys.Edit) {
		return nil
	}
	return leftover(msg)
}

// head is the line above the list, and the column of the cursor, -1 for none: the
// filter, or what is asked or told about the selected item.
func (p *Picker) head() (line string, x int) {
	s := p.look.styles
	switch {
	case p.acting.why != "":
		return s.Danger.Render(pane.Fit("! "+p.acting.why, p.width)), -1
	case p.acting.mode == removing:
		return s.Danger.Render(pane.Fit("Delete it permanently? This cannot be undone.", p.width)), -1
	case p.acting.mode == naming:
		const label = "Title: "
		shown, at := p.acting.name.Line(max(p.width-len(label), 1))
		return s.Key.Render(label) + s.Text.Render(shown), len(label) + at
	}
	shown, at := p.filter.Line(max(p.width-2, 1))
	if p.filter.Text() == "" {
		return s.Key.Render("> ") + s.Detail.Render(pane.Fit("type to filter", p.width-2)), 2 + at
	}
	return s.Key.Render("> ") + s.Text.Render(shown), 2 + at
}

// hints are what the keys do.
func (p *Picker) hints() []string {
	answers, lists := p.look.keys.Answers, p.look.keys.Lists
	switch p.acting.mode {
	case removing:
		return []string{hint("delete", answers.Yes), hint("keep it", answers.Close)}
	case naming:
		return []string{hint("rename", answers.Accept), hint("leave it", answers.Close)}
	}
	out := []string{hint("choose", answers.Accept), hint(p.o.Back, answers.Close)}
	if p.o.Dial != nil && !p.fixed() {
		out = append(out, lists.Lower.Help().Key+hint(p.o.Dial.Name, lists.Higher))
	}
	words := map[Act]string{ActFavorite: "favorite", ActSort: "sort", ActRename: "rename", ActRemove: "delete", ActFork: "fork"}
	for _, a := range p.o.Acts {
		out = append(out, hint(words[a], lists.bound(a)))
	}
	return out
}
