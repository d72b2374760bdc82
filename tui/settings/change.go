package settings

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/pane"
)

// The user first tries a value, which shows its effect, and then accepts it with another key.

// begin starts editing the row with the cursor. by is the first step among the choices.
func (m *Model) begin(by int) pane.Action {
	r := m.row()
	switch {
	case r == nil:
		return nil
	case r.isSection:
		return m.open(r.Title)
	case m.content.Fixed != "":
		return pane.Snackbar{Text: m.content.Fixed, Failure: true}
	case r.Opens != "":
		return OpenDialog{Dialog: r.Opens}
	case r.Fixed != "":
		return pane.Snackbar{Text: r.Fixed, Failure: true}
	}
	m.edits++
	m.key, m.value, m.effect, m.fault, m.busy = r.Key, r.Value, nil, "", false
	if len(r.Choices) > 0 {
		m.stage = choosing
		return m.cycle(by)
	}
	m.stage = typing
	text := r.Value
	if text == `""` || text == "[]" {
		text = ""
	}
	if r.isShare() {
		text = strings.TrimSuffix(r.inWords(text), "%")
	}
	m.field.SetText(text, true)
	m.fit()
	return nil
}

// try sets the edited value and asks for its effect.
func (m *Model) try(value string) pane.Action {
	if value == m.value {
		return nil
	}
	m.value, m.fault = value, ""
	return Try{Key: m.key, Value: value}
}

// cycle tries the next choice, or the previous one with by -1.
func (m *Model) cycle(by int) pane.Action {
	all := m.row().Choices
	at := slices.Index(all, m.value)
	if at < 0 && by < 0 {
		at = 0
	}
	return m.try(all[(at+by+len(all))%len(all)])
}

// choose handles a message while the user chooses among the values of a row.
func (m *Model) choose(msg tea.Msg) pane.Action {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	keys := m.keys
	by := func(n int) func() pane.Action { return func() pane.Action { return m.cycle(n) } }
	action, done := pane.Press(k, []pane.Command{
		{On: keys.Accept, Do: m.accept}, {On: keys.Cancel, Do: m.cancel},
		{On: keys.Next, Do: by(1)}, {On: keys.Moves.Up, Do: by(-1)}, {On: keys.Earlier, Do: by(-1)}, {On: keys.Moves.Down, Do: by(1)},
		{On: keys.Change, Do: by(1)}, {On: keys.Default, Do: func() pane.Action { return m.try(m.row().UnsetValue) }},
	})
	if !done {
		return pane.Ignored{}
	}
	return action
}

// typeIn handles a message while the user types a value.
func (m *Model) typeIn(msg tea.Msg) pane.Action {
	keys := m.keys
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch {
		case key.Matches(k, keys.Accept):
			return m.accept()
		case key.Matches(k, keys.Cancel):
			return m.cancel()
		}
	}
	if !m.field.Update(msg, keys.Edit) {
		return pane.Ignored{}
	}
	return m.try(m.typed())
}

// typed returns the typed value. A share is typed in percent, or below 1 as in the file; brackets of a list may be left out.
func (m *Model) typed() string {
	text := m.field.Text()
	percent, err := strconv.ParseFloat(text, 64)
	switch list := m.row().Type == "list of texts"; {
	case m.row().isShare() && err == nil && percent >= 1:
		return strconv.FormatFloat(percent/100, 'g', 12, 64)
	case list && !strings.HasPrefix(text, "["):
		return "[" + text + "]"
	case text == "" && !list:
		return `""`
	}
	return text
}

func (m *Model) cancel() pane.Action {
	m.browse()
	return nil
}

// accept asks the parent to set the edited value.
func (m *Model) accept() pane.Action {
	r := m.row()
	switch {
	case m.busy || m.fault != "":
		return nil
	case m.value == r.Value:
		return m.cancel()
	}
	m.busy = true
	return SetValue{Key: m.key, Value: m.value}
}

// toDefault asks the parent to set the row with the cursor to its default.
func (m *Model) toDefault() pane.Action {
	r := m.row()
	switch {
	case r == nil:
		return nil
	case m.content.Fixed+r.Fixed != "":
		return pane.Snackbar{Text: cmp.Or(m.content.Fixed, r.Fixed), Failure: true}
	case r.Key == "" || r.Opens != "" && r.UnsetValue == "":
		return pane.Snackbar{Text: "it has no default"}
	case r.Value == r.UnsetValue:
		return pane.Snackbar{Text: "it already has its default"}
	}
	return SetValue{Key: r.Key, Value: r.UnsetValue}
}

// keep asks the parent to write the changed values to the configuration.
func (m *Model) keep() pane.Action {
	set := map[string]string{}
	for _, r := range m.content.Rows {
		if r.Changed {
			set[r.Key] = r.Value
		}
	}
	if len(set) == 0 {
		return pane.Snackbar{Text: "nothing to keep: no value differs from your configuration"}
	}
	return WriteConfig{Set: set}
}
