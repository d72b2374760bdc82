package dialog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// Form asks the user to fill in the fields of a form. A field with a text has a line to type in; left and right change the value
// of a choice. Each option of a field that takes several has a row of its own.
type Form struct {
	title, question string
	rows            []formRow
	answer          func(values map[string]any, ok bool) pane.Action
	accept, decline string // what the keys do

	config        config
	width, height int
	text          pager // the question
	list          pager // the rows
	sel           int
	wrong         string // why the form cannot be sent
}

// formRow is a row of a form.
type formRow struct {
	field  *conversation.FormField
	label  string
	option any         // of a field that takes several; else nil
	line   *edit.Field // nil for a choice
	values []any       // to choose from
	shown  []string    // the labels of values
	chosen int         // index in values
}

// NewForm returns the form of a review. ok is false if the user declined.
func NewForm(r conversation.Review, answer func(values map[string]any, ok bool) pane.Action) *Form {
	f := &Form{title: plain.Line(r.Title), question: strings.TrimSpace(plain.Text(r.Question)), answer: answer, accept: "send", decline: "decline"}
	for i := range r.Form {
		f.rows = append(f.rows, rowsOf(&r.Form[i])...)
	}
	return f
}

// WithWords sets what the hints say that Enter and Esc do.
func (f *Form) WithWords(accept, decline string) *Form {
	f.accept, f.decline = accept, decline
	return f
}

func rowsOf(field *conversation.FormField) []formRow {
	row := formRow{field: field, label: plain.Line(field.Title)}
	switch {
	case field.Type == "boolean":
		row.values, row.shown = []any{false, true}, []string{"no", "yes"}
	case field.Type == "choices":
		var rows []formRow
		defaults, _ := field.Default.([]any)
		for i, option := range field.Options {
			one := formRow{field: field, label: plain.Line(field.Labels[i]) + " (" + row.label + ")", option: option, values: []any{false, true}, shown: []string{"no", "yes"}}
			if slices.Contains(defaults, any(option)) {
				one.chosen = 1
			}
			rows = append(rows, one)
		}
		return rows
	case field.Type == "choice":
		if !field.Required && field.Default == nil {
			row.values, row.shown = []any{nil}, []string{"none"}
		}
		for i, option := range field.Options {
			row.values, row.shown = append(row.values, option), append(row.shown, plain.Line(field.Labels[i]))
		}
	default:
		text := ""
		if field.Default != nil {
			text = fmt.Sprint(field.Default)
		}
		row.line = newLine(plain.Line(plain.MarkInvisible(text)))
	}
	if field.Required {
		row.label += " *"
	}
	row.chosen = max(0, slices.Index(row.values, field.Default))
	return []formRow{row}
}

func (f *Form) asks() bool           { return true }
func (f *Form) dismiss() pane.Action { return f.answer(nil, false) }

// minForm is how many lines of rows a form shows, even if its question then scrolls.
const minForm = 3

func (f *Form) layout(l config, width, height int) int {
	f.config, f.width, f.height = l, width, height
	question := pane.WrapHanging(f.question, width)
	room := height - 1 - 2*pane.CountTrue(height >= roomy) // the last line is about the selected row
	rows := min(len(f.rows), max(room-len(question), minForm))
	f.text.set(question, min(len(question), max(room-rows, 1)))
	f.list.set(make([]string, len(f.rows)), rows)
	f.list.reveal(f.sel)
	return max(inputCells, widest(width, question...))
}

func (f *Form) update(msg tea.Msg) (pane.Action, bool) {
	k, isKey := msg.(tea.KeyPressMsg)
	keys := f.config.keys
	if isKey && k.Text == "" {
		switch {
		case key.Matches(k, keys.Answers.Accept):
			return f.send()
		case key.Matches(k, keys.Answers.Close):
			return f.dismiss(), true
		case key.Matches(k, keys.Moves.Up), k.String() == "shift+tab":
			f.move(f.sel - 1)
			return nil, false
		case key.Matches(k, keys.Moves.Down), k.String() == "tab":
			f.move(f.sel + 1)
			return nil, false
		}
	}
	if len(f.rows) > 0 {
		row := &f.rows[f.sel]
		switch {
		case row.line != nil && typed(row.line, msg, keys.Edit):
			f.wrong = ""
			return nil, false
		case row.line == nil && isKey && (key.Matches(k, keys.Moves.Next) || k.Text == " "):
			row.chosen = (row.chosen + 1) % len(row.values)
			return nil, false
		case row.line == nil && isKey && key.Matches(k, keys.Moves.Previous):
			row.chosen = (row.chosen + len(row.values) - 1) % len(row.values)
			return nil, false
		}
	}
	if f.text.update(msg, keys.Moves, false) {
		return nil, false
	}
	return unusedAction(msg), false
}

func (f *Form) move(to int) {
	f.sel, f.wrong = max(0, min(to, len(f.rows)-1)), ""
	f.list.reveal(f.sel)
}

// send answers with the values, or selects the first field that has none it can take.
func (f *Form) send() (pane.Action, bool) {
	if !f.text.atEnd() { // what is sent unread is not meant
		f.text.scroll(f.text.height)
		return nil, false
	}
	values := map[string]any{}
	for i, row := range f.rows {
		name := row.field.Name
		switch {
		case row.option != nil:
			list, _ := values[name].([]any)
			if row.chosen == 1 {
				list = append(list, row.option)
			}
			values[name] = append([]any{}, list...) // none is an empty list
		case row.line == nil:
			if v := row.values[row.chosen]; v != nil {
				values[name] = v
			}
		default:
			text := strings.TrimSpace(row.line.Text())
			if text == "" && !row.field.Required {
				if row.field.Default != nil && row.field.Type == "string" && row.field.Format == "" {
					values[name] = "" // or the server would take its default
				}
				continue
			}
			value, err := row.field.Value(text)
			if text == "" {
				err = fmt.Errorf("it is needed")
			}
			if err != nil {
				return f.refuse(i, err.Error())
			}
			values[name] = value
		}
	}
	for i, row := range f.rows {
		if row.option == nil {
			continue
		}
		n := float64(len(values[row.field.Name].([]any)))
		if least := row.field.Min; least != nil && n < *least {
			return f.refuse(i, fmt.Sprintf("choose at least %g", *least))
		}
		if most := row.field.Max; most != nil && n > *most {
			return f.refuse(i, fmt.Sprintf("choose at most %g", *most))
		}
	}
	return f.answer(values, true), true
}

// refuse selects a row and says why the form cannot be sent.
func (f *Form) refuse(row int, why string) (pane.Action, bool) {
	f.move(row)
	f.wrong = f.rows[row].label + ": " + plain.Line(why)
	return nil, false
}

func (f *Form) page() page {
	s := f.config.styles
	lines := pane.Each(s.Text, f.text.visible())
	gap := func() {
		if f.height >= roomy {
			lines = append(lines, "")
		}
	}
	p := page{title: f.title, where: cmp.Or(f.text.where(), f.list.where()),
		hints: []string{hint(f.accept, f.config.keys.Answers.Accept), hint(f.decline, f.config.keys.Answers.Close), "↑↓ fields"}}
	gap()
	labels := 0
	for _, row := range f.rows {
		labels = max(labels, ansi.StringWidth(row.label))
	}
	labels = min(labels, f.width/2)
	for i := f.list.Top; i < min(f.list.Top+f.list.height, len(f.rows)); i++ {
		row, mark, style := f.rows[i], "  ", s.Text
		if i == f.sel {
			mark, style, p.chosen = "❯ ", s.Selected, len(lines)+1
		}
		value := "‹ " + strings.Join(row.shown[min(row.chosen, len(row.shown)):][:pane.CountTrue(len(row.shown) > 0)], "") + " ›"
		if row.line != nil {
			at := 2 + labels + 2
			var x int
			value, x = row.line.Line(max(f.width-at, 1))
			if i == f.sel {
				p.cursor = &point{at + x, len(lines)}
			}
		}
		lines = append(lines, style.Render(pane.Fit(mark+pane.Fit(row.label, labels)+"  "+value, f.width)))
	}
	gap()
	about, style := "", s.Muted
	if len(f.rows) > 0 {
		about = plain.Line(f.rows[f.sel].field.Description)
	}
	if f.wrong != "" {
		about, style = f.wrong, f.config.styles.Diff.Removed
	}
	p.lines = append(lines, style.Render(pane.Clip(about, f.width)))
	return p
}
