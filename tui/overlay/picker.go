package overlay

import (
	"cmp"
	"fmt"
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
	Columns []string // what is known of it, searched too; where there is little room the last are left out
	Note    string   // what stands in place of the columns
	Mark    string   // shown after the title
	Current bool     // marked, and selected at first
	Fixed   bool     // the dial says nothing about it
}

// Act is something that can be done with an item besides choosing it.
type Act struct {
	Key  key.Binding
	Word string
	Do   func(item string) pane.Action
}

// Dial is a value that is chosen together with an item, by the keys to the left and to
// the right.
type Dial struct {
	Name   string
	Values []string
	At     int // the value at first
}

// PickerOptions are what a Picker is made with.
type PickerOptions struct {
	Title string
	Items []Item
	Heads []string // above the columns; nil for none
	Empty string   // what is said where there are no items
	Text  string   // what is said above the list, "" for nothing
	Acts  []Act
	Dial  *Dial // what is chosen with the item, nil for nothing
	// Choose is what comes of a choice; value is that of the dial, "" where it was not moved.
	Choose func(item, value string) pane.Action
	// Focus is what comes of selecting another item; it may be nil.
	Focus func(item string) pane.Action
	// Live says that the screen shows what is selected: the list stands at its side and
	// leaves it undimmed.
	Live bool
	// Preview is how many lines about the selected item are shown below the list, at
	// most; see SetPreview.
	Preview int
}

// Picker is a list to choose from; typing narrows it.
type Picker struct {
	o        PickerOptions
	texts    []string          // what is searched
	found    []int             // the items that match, in the order shown
	sel      int               // in found
	dial     int               // in Dial.Values
	why      string            // what failed last
	previews map[string]string // by item

	look          look
	width, height int
	titles        int   // cells of the titles
	columns       []int // cells of the columns that have room
	rows          pager // only its scrolling: the lines are drawn from found
	text          []string
	filter        *edit.Field
}

// NewPicker returns a list with its current item selected.
func NewPicker(o PickerOptions) *Picker {
	p := &Picker{o: o, filter: newLine(""), previews: map[string]string{}}
	if o.Dial != nil {
		p.dial = o.Dial.At
	}
	p.o.Title, p.o.Empty, p.o.Text = plain.Line(o.Title), plain.Line(o.Empty), strings.TrimSpace(plain.Text(o.Text))
	p.SetItems(o.Items)
	for i, item := range p.o.Items {
		if item.Current {
			p.sel = i
		}
	}
	return p
}

// SetItems lists other items, or the same ones otherwise. The filter stays, and so does
// the selected item, or what stands in its place then.
func (p *Picker) SetItems(items []Item) {
	at, row := p.Selected(), p.sel
	p.o.Items, p.texts = make([]Item, len(items)), nil
	for i, item := range items {
		columns := make([]string, len(item.Columns))
		for n, c := range item.Columns {
			columns[n] = plain.Line(c)
		}
		item.Title, item.Note, item.Mark, item.Columns = plain.Line(item.Title), plain.Line(item.Note), plain.Line(item.Mark), columns
		p.o.Items[i] = item
		p.texts = append(p.texts, item.Title+" "+item.Note+strings.Join(columns, " "))
	}
	p.search()
	p.sel = min(row, max(len(p.found)-1, 0))
	for i, n := range p.found {
		if p.o.Items[n].ID == at {
			p.sel = i
		}
	}
	p.lay(p.look, p.width, p.height)
}

// SetTitle changes the title.
func (p *Picker) SetTitle(title string) { p.o.Title = plain.Line(title) }

// SetPreview shows a text about an item while that is selected.
func (p *Picker) SetPreview(item, text string) { p.previews[item] = plain.Text(text) }

// Failed says why something failed, until the next key.
func (p *Picker) Failed(why string) { p.why = plain.Line(why) }

// Selected is the ID of the selected item, "" if there is none.
func (p *Picker) Selected() string { return p.at().ID }

func (p *Picker) at() Item {
	if p.sel >= len(p.found) {
		return Item{Fixed: true}
	}
	return p.o.Items[p.found[p.sel]]
}

func (p *Picker) asks() bool           { return false }
func (p *Picker) dismiss() pane.Action { return nil }

// gap is between columns, and leastColumn the cells that one takes at least.
const (
	gap         = 2
	leastColumn = 12
)

func (p *Picker) lay(l look, width, height int) int {
	p.look, p.width, p.height, p.text = l, width, height, nil
	if p.o.Text != "" && height > 4 {
		p.text = pane.WrapHanging(p.o.Text, width)
		p.text = p.text[:min(len(p.text), max(height/3, 1))]
	}
	row := p.layColumns(width)
	p.rows.set(make([]string, len(p.found)), height-1-len(p.text)-count(p.headed())-len(p.foot()))
	p.rows.reveal(p.sel)
	if p.o.Preview > 0 { // it is not known yet what it shows
		row = width
	}
	return max(row, widest(width, p.text...), 2+widest(width, p.o.Empty))
}

// layColumns gives titles and columns their cells, and says how many a whole row takes.
func (p *Picker) layColumns(width int) (row int) {
	var cells []int
	wide, notes := 0, 0
	grow := func(n, by int) {
		if n == len(cells) {
			cells = append(cells, 0)
		}
		cells[n] = max(cells[n], by)
	}
	for _, item := range p.o.Items {
		wide, notes = max(wide, ansi.StringWidth(item.marked())), max(notes, ansi.StringWidth(item.Note))
		for n, c := range item.Columns {
			grow(n, ansi.StringWidth(c))
		}
	}
	for n := range cells {
		if n < len(p.o.Heads) && cells[n] > 0 {
			grow(n, ansi.StringWidth(p.o.Heads[n]))
		}
	}
	room, used := width-2, 0
	p.titles, p.columns = min(wide, room*3/5), nil
	for _, c := range cells {
		if c == 0 { // no item has it
			p.columns = append(p.columns, 0)
			continue
		}
		if left := room - p.titles - used - gap; c > left {
			if len(p.columns) > 0 || left < leastColumn {
				break
			}
			c = left // words, which can be cut
		}
		p.columns = append(p.columns, c)
		used += c + gap
		row += gap
	}
	p.titles = min(wide, room-used)
	for _, c := range cells {
		row += c
	}
	return 2 + wide + max(row, notes+gap*min(notes, 1))
}

// headed reports whether the columns have a line above them.
func (p *Picker) headed() bool { return p.o.Heads != nil && len(p.columns) > 0 && p.height >= roomy }

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

func (p *Picker) update(msg tea.Msg) (pane.Action, bool) {
	before := p.Selected()
	action, done := p.handle(msg)
	p.lay(p.look, p.width, p.height)
	if now := p.Selected(); action == nil && !done && now != before && p.o.Focus != nil {
		action = p.o.Focus(now)
	}
	return action, done
}

func (p *Picker) handle(msg tea.Msg) (pane.Action, bool) {
	k, isKey := msg.(tea.KeyPressMsg)
	keys := p.look.keys
	if isKey {
		p.why = ""
	}
	if isKey && k.Text == "" {
		switch {
		case key.Matches(k, keys.Answers.Accept):
			if p.Selected() == "" {
				return nil, false
			}
			return p.o.Choose(p.Selected(), p.dialled()), true
		case key.Matches(k, keys.Answers.Close):
			return nil, true
		case p.o.Dial != nil && key.Matches(k, keys.Lists.Lower):
			p.turn(len(p.o.Dial.Values) - 1)
			return nil, false
		case p.o.Dial != nil && key.Matches(k, keys.Lists.Higher):
			p.turn(1)
			return nil, false
		}
		for _, a := range p.o.Acts {
			if key.Matches(k, a.Key) {
				if p.Selected() == "" {
					return nil, false
				}
				return a.Do(p.Selected()), false
			}
		}
	}
	if text := p.filter.Text(); text != "" || k.Text != "" || !isKey {
		if typed(p.filter, msg, keys.Edit) {
			if p.filter.Text() != text {
				p.search()
			}
			return nil, false
		}
	}
	if p.move(msg) {
		return nil, false
	}
	return leftover(msg), false
}

// turn chooses another value of the dial.
func (p *Picker) turn(by int) {
	if !p.at().Fixed {
		p.dial = (p.dial + by) % len(p.o.Dial.Values)
	}
}

// dialled is the value of the dial, "" where it was not moved or says nothing.
func (p *Picker) dialled() string {
	if d := p.o.Dial; d != nil && p.dial != d.At && !p.at().Fixed {
		return d.Values[p.dial]
	}
	return ""
}

// move selects another item.
func (p *Picker) move(msg tea.Msg) bool {
	m, last, to := p.look.keys.Moves, max(len(p.found)-1, 0), p.sel
	k, isKey := msg.(tea.KeyPressMsg)
	_, wheel := msg.(tea.MouseWheelMsg)
	switch {
	case wheel:
		to += cmp.Compare(pane.Wheel(msg), 0)
	case !isKey:
		return false
	case key.Matches(k, m.Up, m.Previous):
		to--
	case key.Matches(k, m.Down, m.Next):
		to++
	case key.Matches(k, m.PageUp):
		to -= p.rows.height
	case key.Matches(k, m.PageDown):
		to += p.rows.height
	case key.Matches(k, m.Top):
		to = 0
	case key.Matches(k, m.Bottom):
		to = last
	default:
		return false
	}
	p.sel = max(0, min(to, last))
	return true
}

func (p *Picker) page() page {
	s := p.look.styles
	out := page{title: p.o.Title, lines: pane.Each(s.Overlay.Text, p.text), hints: p.hints()}
	shown, x := p.filter.Line(max(p.width-2, 1))
	switch {
	case p.why != "":
		out.lines = append(out.lines, s.Text.Error.Render(pane.Fit("! "+p.why, p.width)))
	default:
		if p.filter.Text() == "" {
			shown = s.Overlay.Detail.Render(pane.Fit("type to filter", p.width-2))
		}
		out.lines, out.cursor = append(out.lines, s.Frame.HelpKey.Render("> ")+shown), &point{2 + x, len(out.lines)}
	}
	if p.headed() {
		head := strings.Repeat(" ", 2+p.titles)
		for n, cells := range p.columns {
			if cells == 0 {
				continue
			}
			head += "  " + pane.Fit(p.o.Heads[n], cells)
		}
		out.lines = append(out.lines, s.Overlay.Detail.Render(pane.Fit(head, p.width)))
	}
	for i := range p.rows.visible() {
		if p.rows.top+i == p.sel {
			out.chosen = len(out.lines) + 1
		}
		out.lines = append(out.lines, p.row(p.rows.top+i))
	}
	if len(p.found) > 0 {
		out.where = fmt.Sprintf("%d of %d", p.sel+1, len(p.found))
	} else {
		none := "nothing matches"
		if len(p.o.Items) == 0 {
			none = p.o.Empty
		}
		out.lines = append(out.lines, s.Overlay.Detail.Render(pane.Fit("  "+none, p.width)))
	}
	out.lines = append(out.lines, p.foot()...)
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

// row is a line of the list: the title and its columns.
func (p *Picker) row(i int) string {
	s, item := p.look.styles.Overlay, p.o.Items[p.found[i]]
	mark, style, detail := "  ", s.Item, s.Detail
	if i == p.sel { // the whole row is
		mark, style, detail = "❯ ", s.Selected, s.Selected
	}
	details := ""
	for n, cells := range p.columns {
		if n < len(item.Columns) && cells > 0 {
			details += "  " + pane.Fit(item.Columns[n], cells)
		}
	}
	if item.Note != "" {
		details = "  " + item.Note
	}
	return style.Render(mark+pane.Fit(item.marked(), p.titles)) + detail.Render(pane.Fit(details, p.width-2-p.titles))
}

// leastList is how many lines a list has before anything stands below it.
const leastList = 6

// foot is what stands below the list: the dial, and a few lines about the selected item.
func (p *Picker) foot() (lines []string) {
	s := p.look.styles.Overlay
	if d := p.o.Dial; d != nil && p.height >= leastList {
		value := "‹ " + d.Values[p.dial] + " ›"
		if p.at().Fixed {
			value = "this model has no levels"
		}
		lines = append(lines, "", s.Detail.Render(pane.Fit("  "+d.Name+"  "+value, p.width)))
	}
	room := min(p.o.Preview, p.height/3, p.height-1-len(p.text)-leastList-1)
	if room < 2 {
		return lines
	}
	text := append(pane.WrapHanging(p.previews[p.Selected()], max(p.width, 1)), make([]string, room)...)
	lines = append(lines, s.Border.Render(strings.Repeat("─", p.width)))
	return append(lines, pane.Each(s.Detail, text[:room])...)
}

// hints are what the keys do.
func (p *Picker) hints() []string {
	answers, lists := p.look.keys.Answers, p.look.keys.Lists
	out := []string{hint("choose", answers.Accept), hint("close", answers.Close)}
	if p.o.Dial != nil && !p.at().Fixed {
		out = append(out, lists.Lower.Help().Key+hint(p.o.Dial.Name, lists.Higher))
	}
	for _, a := range p.o.Acts {
		out = append(out, hint(a.Word, a.Key))
	}
	return out
}
