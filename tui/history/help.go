package history

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/pane"
)

// The keys, made from the bindings, in as many columns as there is room for.

const (
	helpColumn = 58 // cells of a column
	helpKeys   = 12 // of these for the keys
)

// helpAll is the lines of the help.
func (m *Model) helpAll() []string {
	var entries []string
	columns := max(1, m.width/helpColumn)
	width := m.width / columns
	for _, b := range m.keys.Bindings() {
		if !b.Enabled() {
			continue
		}
		h := b.Help()
		entries = append(entries, pane.Fit("  "+m.styles.Pane.Key.Render(pane.Fit(h.Key, helpKeys))+m.styles.Pane.Text.Render(" "+h.Desc), width))
	}
	entries = append(entries, pane.Fit("  "+m.styles.Pane.Key.Render(pane.Fit("1–9", helpKeys))+m.styles.Pane.Text.Render(" where the numbers ‹1› to ‹9› lead"), width))
	tall := (len(entries) + columns - 1) / columns
	lines := make([]string, tall)
	for i, e := range entries {
		lines[i%tall] += e
	}
	return lines
}

// helpLines is the part of the help that is in sight.
func (m *Model) helpLines(height int) []string {
	all := m.helpAll()
	from := max(0, min(m.help, len(all)-height))
	return all[from:min(len(all), from+height)]
}

// pressHelp scrolls the help; any other key closes it.
func (m *Model) pressHelp(k tea.KeyPressMsg) pane.Action {
	page := max(m.frame().Body(m.height)-1, 1)
	moves := m.keys.Moves
	switch {
	case key.Matches(k, moves.Up):
		m.help--
	case key.Matches(k, moves.Down):
		m.help++
	case key.Matches(k, moves.PageUp, moves.HalfUp):
		m.help -= page
	case key.Matches(k, moves.PageDown, moves.HalfDown):
		m.help += page
	default:
		m.help = -1
		return nil
	}
	m.help = max(0, min(m.help, len(m.helpAll())-page-1))
	return nil
}
