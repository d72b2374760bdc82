package composer

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// What is cut can be yanked back. Cuts in a row are one text; the texts before it
// come by yanking older ones right after.

// maxKills is how many texts are kept.
const maxKills = 20

// kills is what was cut, the newest last.
type kills struct {
	texts []string
	cut   moment // right after the newest cut
	yank  moment // right after the newest yank
	from  place  // where what was yanked begins
	turn  int    // how many texts back it is
}

// moment is a draft with its cursor: whatever happens to either ends it.
type moment struct {
	changes int
	at      place
}

func (b *buffer) moment() moment { return moment{b.changes, b.at} }

// put keeps a text that was cut. One that was cut right before grows.
func (k *kills) put(text string, left, joins bool) {
	if text == "" {
		return
	}
	n := len(k.texts)
	switch {
	case joins && n > 0 && left:
		k.texts[n-1] = text + k.texts[n-1]
	case joins && n > 0:
		k.texts[n-1] += text
	default:
		k.texts = append(k.texts, text)
		if len(k.texts) > maxKills {
			k.texts = k.texts[1:]
		}
	}
}

// cutKey handles a key that cuts.
func (m *Model) cutKey(k tea.KeyPressMsg) bool {
	b, e := m.buf, m.keys.Editing
	switch {
	case key.Matches(k, e.CutWordLeft):
		m.cut(b.wordLeft(), b.at, true)
	case key.Matches(k, e.CutWordRight):
		m.cut(b.at, b.wordRight(), false)
	case key.Matches(k, e.CutToStart):
		m.cut(b.toStart(), b.at, true)
	case key.Matches(k, e.CutToEnd):
		m.cut(b.at, b.toEnd(), false)
	default:
		return false
	}
	return true
}

func (m *Model) cut(from, to place, left bool) {
	m.kills.put(expand(m.buf.between(from, to), m.buf.chips), left, m.kills.cut == m.buf.moment())
	m.buf.remove(from, to)
	m.kills.cut = m.buf.moment()
}

// yank inserts what was cut, so many texts back.
func (m *Model) yank(turn int) {
	k := &m.kills
	n := len(k.texts)
	if n == 0 {
		return
	}
	k.turn = turn % n
	k.from = m.buf.at
	m.enter(k.texts[n-1-k.turn])
	k.yank = m.buf.moment()
}

// yankOlder puts an older text in place of what was just yanked.
func (m *Model) yankOlder() {
	m.buf.remove(m.kills.from, m.buf.at)
	m.yank(m.kills.turn + 1)
}

// justYanked reports whether nothing happened since something was yanked.
func (m *Model) justYanked() bool { return m.kills.yank == m.buf.moment() }

// restoreKey handles a key that brings back what was cut or changed. These work on
// an empty draft, too.
func (m *Model) restoreKey(k tea.KeyPressMsg) bool {
	e, u := m.keys.Editing, &m.undo
	switch {
	case key.Matches(k, e.Yank):
		m.yank(0)
	case key.Matches(k, e.YankOlder) && m.justYanked():
		m.yankOlder()
	case key.Matches(k, e.Undo):
		m.step(&u.back, &u.forth)
	case key.Matches(k, e.Redo):
		m.step(&u.forth, &u.back)
	default:
		return false
	}
	return true
}
