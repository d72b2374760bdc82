package dialog

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

// Item is an item of a Picker.
type Item struct {
	ID      string
	Title   string
	Columns []string // details, also searched; on a narrow screen the last are left out
	Note    string   // shown instead of the columns
	Mark    string   // shown after the title
	Current bool     // marked with ✓, and selected at first
	Fixed   bool     // the setting does not apply to it
}

// Act is an action on an item other than choosing it.
type Act struct {
	Key  key.Binding
	Word string
	Do   func(item string) pane.Action
}

// Setting is a value that is chosen together with an item, with the keys left and
// right.
type Setting struct {
	Name   string
	Values []string
	At     int // index of the first value
}

// PickerOptions configure a Picker.
type PickerOptions struct {
	Title   string
	Items   []Item
	Heads   []string // headings of the columns; may be nil
	Empty   string   // shown if there are no items
	Text    string   // shown above the list; may be ""
	Acts    []Act
	Setting *Setting // may be nil
	// Choose returns the action for a choice; value is that of the setting, "" if it was not changed.
	Choose func(item, value string) pane.Action
	// Focus returns the action when another item is selected; it may be nil.
	Focus func(item string) pane.Action
	// Live means that the screen behind shows the selected item: the list is at its side,
	// and the screen is not dimmed.
	Live bool
	// Preview is how many lines about the selected item are shown below the list, at
	// most; see SetPreview.
	Preview int
}

// Picker is a list to choose from. Typing filters it.
type Picker struct {
	o        PickerOptions
	texts    []string          // searched text of each item
	found    []int             // indices of the matching items, in the order shown
	sel      int               // index in found
	value    int               // index in Setting.Values
	why      string            // the last failure
	previews map[string]string // by item

	config        config
	width, height int
	titles        int   // width of the titles
	columns       []int // widths of the columns that fit
	rows          pager // only its scrolling: the lines are drawn from found
	text          []string
	filter        *edit.Field
}

// NewPicker returns a list with its current item selected.
func NewPicker(o PickerOptions) *Picker {
	p := &Picker{o: o, filter: newLine(""), previews: map[string]string{}}
	if o.Setting != nil {
		p.value = o.Setting.At
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

// SetItems replaces the items. The filter stays, and so does the selected item, or else the
// selected row.
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
	p.layout(p.config, p.width, p.height)
}

// SetTitle changes the title.
func (p *Picker) SetTitle(title string) { p.o.Title = plain.Line(title) }

// SetPreview sets the text that is shown while an item is selected.
func (p *Picker) SetPreview(item, text string) { p.previews[item] = plain.Text(text) }

// Failed shows why something failed, until the next key.
func (p *Picker) Failed(why string) { p.why = plain.Line(why) }

// Selected returns the ID of the selected item, or "".
func (p *Picker) Selected() string { return p.at().ID }

func (p *Picker) at() Item {
	if p.sel >= len(p.found) {
		return Item{Fixed: true}
	}
	return p.o.Items[p.found[p.sel]]
}

func (p *Picker) asks() bool           { return false }
func (p *Picker) dismiss() pane.Action { return nil }

// gap is the space between columns, minColumn the minimum width of a cut column.
const (
	gap       = 2
	minColumn = 12
)

func (p *Picker) layout(l config, width, height int) int {
	p.config, p.width, p.height, p.text = l, width, height, nil
	if p.o.Text != "" && height > 4 {
		p.text = pane.WrapHanging(p.o.Text, width)
		p.text = p.text[:min(len(p.text), max(height/3, 1))]
	}
	row := p.layColumns(width)
	p.rows.set(make([]string, len(p.found)), height-1-len(p.text)-pane.CountTrue(p.headed())-len(p.foot()))
	p.rows.reveal(p.sel)
	if p.o.Preview > 0 { // the text of the preview is not known yet
		row = width
	}
	return max(row, widest(width, p.text...), 2+widest(width, p.o.Empty))
}

// layColumns sets the widths of titles and columns, and returns the width of a whole row.
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
			if len(p.columns) > 0 || left < minColumn {
				break
			}
			c = left // cut the column
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

// headed reports whether the columns have a line of headings.
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
	p.layout(p.config, p.width, p.height)
	if now := p.Selected(); action == nil && !done && now != before && p.o.Focus != nil {
		action = p.o.Focus(now)
	}
	return action, done
}

func (p *Picker) handle(msg tea.Msg) (pane.Action, bool) {
	k, isKey := msg.(tea.KeyPressMsg)
	keys := p.config.keys
	if isKey {
		p.why = ""
	}
	if isKey && k.Text == "" {
		switch {
		case key.Matches(k, keys.Answers.Accept):
			if p.Selected() == "" {
				return nil, false
			}
			return p.o.Choose(p.Selected(), p.chosenValue()), true
		case key.Matches(k, keys.Answers.Close):
			return nil, true
		case p.o.Setting != nil && key.Matches(k, keys.Lists.Lower):
			p.changeSetting(len(p.o.Setting.Values) - 1)
			return nil, false
		case p.o.Setting != nil && key.Matches(k, keys.Lists.Higher):
			p.changeSetting(1)
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
	return unusedAction(msg), false
}

// changeSetting selects another value of the setting.
func (p *Picker) changeSetting(by int) {
	if !p.at().Fixed {
		p.value = (p.value + by) % len(p.o.Setting.Values)
	}
}

// chosenValue returns the value of the setting, "" if it was not changed or does not apply.
func (p *Picker) chosenValue() string {
	if d := p.o.Setting; d != nil && p.value != d.At && !p.at().Fixed {
		return d.Values[p.value]
	}
	return ""
}

// move selects another item.
func (p *Picker) move(msg tea.Msg) bool {
	m, last, to := p.config.keys.Moves, max(len(p.found)-1, 0), p.sel
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
	s := p.config.styles
	out := page{title: p.o.Title, lines: pane.Each(s.Text, p.text), hints: p.hints()}
	shown, x := p.filter.Line(max(p.width-2, 1))
	switch {
	case p.why != "":
		out.lines = append(out.lines, s.Error.Render(pane.Fit("! "+p.why, p.width)))
	default:
		if p.filter.Text() == "" {
			shown = s.Muted.Render(pane.Fit("type to filter", p.width-2))
		}
		out.lines, out.cursor = append(out.lines, s.Title.Render("> ")+shown), &point{2 + x, len(out.lines)}
	}
	if p.headed() {
		head := strings.Repeat(" ", 2+p.titles)
		for n, cells := range p.columns {
			if cells == 0 {
				continue
			}
			head += "  " + pane.Fit(p.o.Heads[n], cells)
		}
		out.lines = append(out.lines, s.Muted.Render(pane.Fit(head, p.width)))
	}
	for i := range p.rows.visible() {
		if p.rows.Top+i == p.sel {
			out.chosen = len(out.lines) + 1
		}
		out.lines = append(out.lines, p.row(p.rows.Top+i))
	}
	if len(p.found) > 0 {
		out.where = fmt.Sprintf("%d of %d", p.sel+1, len(p.found))
	} else {
		none := "nothing matches"
		if len(p.o.Items) == 0 {
			none = p.o.Empty
		}
		out.lines = append(out.lines, s.Muted.Render(pane.Fit("  "+none, p.width)))
	}
	out.lines = append(out.lines, p.foot()...)
	return out
}

// marked returns the title with its mark, and ✓ for the current item.
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

// row draws a line of the list: the title and its columns.
func (p *Picker) row(i int) string {
	s, item := p.config.styles, p.o.Items[p.found[i]]
	mark, style, detail := "  ", s.Text, s.Muted
	if i == p.sel { // the whole row is selected
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

// minListHeight is the minimum height of a list with anything below it.
const minListHeight = 6

// foot draws what is below the list: the setting, and the preview of the selected item.
func (p *Picker) foot() (lines []string) {
	s := p.config.styles
	if d := p.o.Setting; d != nil && p.height >= minListHeight {
		value := "‹ " + d.Values[p.value] + " ›"
		if p.at().Fixed {
			value = "this model has no levels"
		}
		lines = append(lines, "", s.Muted.Render(pane.Fit("  "+d.Name+"  "+value, p.width)))
	}
	room := min(p.o.Preview, p.height/3, p.height-1-len(p.text)-minListHeight-1)
	if room < 2 {
		return lines
	}
	text := append(pane.WrapHanging(p.previews[p.Selected()], max(p.width, 1)), make([]string, room)...)
	lines = append(lines, s.Rule.Render(strings.Repeat("─", p.width)))
	return append(lines, pane.Each(s.Muted, text[:room])...)
}

func (p *Picker) hints() []string {
	answers, lists := p.config.keys.Answers, p.config.keys.Lists
	out := []string{hint("choose", answers.Accept), hint("close", answers.Close)}
	if p.o.Setting != nil && !p.at().Fixed {
		out = append(out, lists.Lower.Help().Key+hint(p.o.Setting.Name, lists.Higher))
	}
	for _, a := range p.o.Acts {
		out = append(out, hint(a.Word, a.Key))
	}
	return out
}
