package overlay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/sahilm/fuzzy"

	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// Item is what a Picker offers.
type Item struct {
	ID      string
	Title   string
	Detail  string   // shown in a column of its own, searched too
	Details []string // the same in forms, the fullest first; one that fits is shown whole
	Mark    string   // stands behind the title
	Name    string   // what renaming begins with, the title if empty
	Current bool     // marked, and selected at first
	Fixed   bool     // the dial says nothing about it
}

// PickerOptions are what a Picker is made with.
type PickerOptions struct {
	ID    string
	Title string
	Items []Item
	Empty string // what is said where there are no items
	Text  string // what is said above the list, "" for nothing
	At    string // ID of the item that is selected at first, "": the current one
	Back  string // what the key to close does; "close" if empty
	Acts  []Act  // what can be done with an item besides choosing it
	Dial  *Dial  // what is chosen with the item, nil for nothing
	// Heads stand above the details, one for each form; nil for none.
	Heads []string
	// Live tells with Focused of every item that is selected. The screen shows what it
	// means: the list stands at its side and leaves it undimmed.
	Live bool
	// Preview is how many lines about the selected item are shown below the list, at
	// most; see Focused.
	Preview int
}

// Picker is a list to choose from; typing narrows it.
type Picker struct {
	o     PickerOptions
	texts []string // what is searched
	wide  int      // cells of the widest title, with its mark
	usual int      // cells that nine of ten titles need
	deep  []int    // cells of the widest detail, of each form
	found []int    // the items that match, in the order shown
	sel   int      // in found

	look          look
	width, height int
	rows          pager // only its scrolling: the lines are drawn from found
	text          []string
	filter        *edit.Field
	acting        acting
	previews      previews
}

// NewPicker returns a list with its current item selected.
func NewPicker(o PickerOptions) *Picker {
	p := &Picker{filter: newLine(""), o: o, acting: acting{dial: o.Dial.start()}, previews: previews{texts: map[string]string{}}}
	p.o.Title, p.o.Empty, p.o.Text = plain.Line(o.Title), plain.Line(o.Empty), strings.TrimSpace(plain.Text(o.Text))
	p.o.Back = cmp.Or(o.Back, "close")
	p.list(o.Items)
	p.search()
	for i, item := range p.o.Items {
		if o.At == "" && item.Current || o.At != "" && item.ID == o.At {
			p.sel = i
		}
	}
	return p
}

// list takes over the items.
func (p *Picker) list(items []Item) {
	p.o.Items, p.texts, p.wide, p.deep = make([]Item, len(items)), nil, 0, nil
	var wide []int
	for i, item := range items {
		forms := item.Details
		if forms == nil {
			forms = []string{item.Detail}
		}
		item.Title, item.Mark, item.Details = plain.Line(item.Title), plain.Line(item.Mark), make([]string, len(forms))
		for n, form := range forms {
			item.Details[n] = plain.Line(form)
			if n == len(p.deep) {
				p.deep = append(p.deep, 0)
			}
			p.deep[n] = max(p.deep[n], ansi.StringWidth(item.Details[n]))
		}
		p.o.Items[i] = item
		p.texts = append(p.texts, item.Title+" "+item.Details[0])
		wide = append(wide, ansi.StringWidth(item.marked()))
	}
	if slices.Sort(wide); len(wide) > 0 {
		p.wide, p.usual = wide[len(wide)-1], wide[(len(wide)*9+9)/10-1]
	}
	for n, head := range p.o.Heads {
		if n < len(p.deep) && p.deep[n] > 0 {
			p.deep[n] = max(p.deep[n], ansi.StringWidth(head))
		}
	}
}

func (p *Picker) asks() bool { return false }

func (p *Picker) lay(l look, width, height int) int {
	p.look, p.width, p.height = l, width, height
	p.text = nil
	switch {
	case p.o.Text == "":
	case height >= roomy:
		p.text = pane.WrapHanging(p.o.Text, width)
		p.text = append(p.text[:min(len(p.text), height/2)], "")
	case height > 4: // a line of it, and some of the list
		p.text = []string{pane.Clip(pane.WrapHanging(p.o.Text, width)[0], width)}
	}
	p.show()
	row := 2 + p.wide
	if len(p.deep) > 0 && p.deep[0] > 0 {
		row += 2 + p.deep[0]
	}
	if p.o.Preview > 0 { // it is not known yet what it shows
		row = width
	}
	return max(row, widest(width, p.text...), 2+widest(width, p.o.Empty))
}

// show keeps the selected item in sight.
func (p *Picker) show() {
	p.rows.set(make([]string, len(p.found)), max(p.height-1-len(p.text)-len(p.heads())-p.below(), 1))
	p.rows.reveal(p.sel)
}

// search lists the items that match the filter, the best first.
func (p *Picker) search() {
	p.found, p.sel = p.found[:0], 0
	query := strings.TrimSpace(p.filter.Text())
	if query == "" {
		for i := range p.o.Items {
			p.found = append(p.found, i)
		}
		return
	}
	for _, match := range fuzzy.Find(query, p.texts) {
		p.found = append(p.found, match.Index)
	}
}

func (p *Picker) update(msg tea.Msg) pane.Action {
	before := p.selected()
	action := p.handle(msg)
	p.show()
	if now := p.selected(); action == nil && now != before {
		return p.focus()
	}
	return action
}

// selected is the ID of the selected item, "" if there is none.
func (p *Picker) selected() string {
	if p.sel >= len(p.found) {
		return ""
	}
	return p.o.Items[p.found[p.sel]].ID
}

func (p *Picker) handle(msg tea.Msg) pane.Action {
	k, isKey := msg.(tea.KeyPressMsg)
	keys := p.look.keys
	if p.acting.mode != choosing {
		return p.goOn(msg)
	}
	if isKey {
		p.acting.why = ""
	}
	if isKey && k.Text == "" {
		switch {
		case key.Matches(k, keys.Answers.Accept):
			if p.selected() == "" {
				return nil
			}
			return Picked{ID: p.o.ID, Item: p.selected(), Value: p.dialled()}
		case key.Matches(k, keys.Answers.Close):
			return Dismissed{ID: p.o.ID}
		}
		if action, done := p.act(k); done {
			return action
		}
	}
	if p.filter.Text() != "" || k.Text != "" || !isKey {
		if text := p.filter.Text(); typed(p.filter, msg, keys.Edit) {
			if p.filter.Text() != text {
				p.search()
			}
			return nil
		}
	}
	if p.move(msg) {
		return nil
	}
	return leftover(msg)
}

// move selects another item.
func (p *Picker) move(msg tea.Msg) bool {
	m, last := p.look.keys.Moves, max(len(p.found)-1, 0)
	to := p.sel
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			to--
		case tea.MouseWheelDown:
			to++
		}
	case tea.KeyPressMsg:
		switch {
		case key.Matches(msg, m.Up, m.Previous):
			to--
		case key.Matches(msg, m.Down, m.Next):
			to++
		case key.Matches(msg, m.PageUp):
			to -= p.rows.height
		case key.Matches(msg, m.PageDown):
			to += p.rows.height
		case key.Matches(msg, m.Top):
			to = 0
		case key.Matches(msg, m.Bottom):
			to = last
		default:
			return false
		}
	default:
		return false
	}
	p.sel = max(0, min(to, last))
	return true
}

func (p *Picker) page() page {
	s := p.look.styles
	head, x := p.head()
	lines := append(append(pane.Each(s.Text, p.text), head), p.heads()...)
	chosen := 0
	for i := range p.rows.visible() {
		if p.rows.top+i == p.sel {
			chosen = len(lines) + 1
		}
		lines = append(lines, p.row(p.rows.top+i))
	}
	if len(p.found) == 0 {
		none := "nothing matches"
		if len(p.o.Items) == 0 {
			none = p.o.Empty
		}
		lines = append(lines, s.Detail.Render(pane.Fit("  "+none, p.width)))
	}
	out := page{title: p.o.Title, lines: append(lines, p.foot()...), chosen: chosen, hints: p.hints()}
	if x >= 0 {
		out.cursor = &point{x, len(p.text)}
	}
	if len(p.found) > 0 {
		out.where = fmt.Sprintf("%d of %d", p.sel+1, len(p.found))
	}
	return out
}

// marked is the title, with its mark and one where the item is the current one.
func (i Item) marked() string {
	title := i.Title
	if i.Mark != "" {
		title += " " + i.Mark
	}
	if i.Current {
		title += " ✓"
	}
	return title
}

// leastColumn is the cells that titles and details need beside each other; with less
// the titles are alone.
const leastColumn = 12

// columns is how wide the titles are where details stand beside them, 0 where they do
// not, and the form of the details: the fullest that leaves the usual titles whole, or
// most of the width. Words of the last form are cut where they must be.
func (p *Picker) columns() (titles, form int) {
	room := p.width - 4 // without the mark, and the blanks between the two
	last, most := len(p.deep)-1, room*3/5
	if p.o.Heads != nil { // a table of names, which are cut last
		most = room * 4 / 5
	}
	for n, deep := range p.deep {
		if deep > 0 && min(p.usual, most)+deep <= room {
			return min(p.wide, room-deep), n
		}
	}
	// Words can be cut, the columns of a table cannot.
	if last < 0 || p.o.Heads != nil || p.deep[last] == 0 || room < leastColumn+min(p.deep[last], leastColumn) {
		return 0, 0
	}
	return min(p.wide, max(room-p.deep[last], room/2)), last
}

// heads is the line above the columns, where there is room for it.
func (p *Picker) heads() []string {
	titles, form := p.columns()
	if len(p.o.Heads) == 0 || titles == 0 || p.height < roomy {
		return nil
	}
	return []string{p.look.styles.Detail.Render(pane.Fit(strings.Repeat(" ", 4+titles)+p.o.Heads[form], p.width))}
}

// middle cuts a name that is too long in its middle: its ends tell it from others.
func middle(name string, width int) string {
	long := ansi.StringWidth(name) - width
	if long <= 0 || width < leastColumn {
		return name
	}
	head := width / 3
	return ansi.Truncate(name, head, "") + "…" + ansi.TruncateLeft(name, head+long+1, "")
}

// row is a line of the list: the title and, in a column of its own, the detail.
func (p *Picker) row(i int) string {
	s, item := p.look.styles, p.o.Items[p.found[i]]
	mark, style, detail := "  ", s.Item, s.Detail
	if i == p.sel { // the whole row is
		mark, style, detail = "❯ ", s.Selected, s.Selected
	}
	wide, form := p.columns()
	if wide == 0 {
		return style.Render(pane.Fit(mark+item.marked(), p.width))
	}
	title := item.marked()
	if p.o.Heads != nil {
		title = middle(title, wide)
	}
	return style.Render(mark+pane.Fit(title, wide)) + detail.Render(pane.Fit("  "+item.Details[form], p.width-2-wide))
}
