package composer

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
)

const (
	maxText = 10 // rows of text shown at once
	maxList = 8  // completions shown at once
)

// Options are what a composer is made with. The zero value works.
type Options struct {
	Placeholder string // shown while there is no text
	Keys        *KeyMap
	Styles      *Styles
	Commands    []CommandSpec
	// Estimate is how many tokens a text of a size has; nil: the cold start of
	// four characters to a token.
	Estimate func(conversation.Size) int
}

// Model is the composer. It must not be shared between goroutines.
type Model struct {
	keys        KeyMap
	styles      Styles
	placeholder string
	commands    []CommandSpec
	files       []File
	paths       map[string]int // index in files by path
	folders     map[string]bool
	endings     map[string]bool
	busy        bool

	width, height int // of the composer, of the screen
	top           int // the first row of the text shown

	buf   *buffer
	undo  undo
	kills kills
	past  history
	list  list
	seek  search

	drawn string // the last view; "" after a change
}

// New returns an empty composer.
func New(o Options) *Model {
	m := &Model{
		keys: DefaultKeyMap(), styles: DefaultStyles(), placeholder: plain.Line(o.Placeholder), commands: o.Commands,
		buf: newBuffer(), list: list{closed: place{line: -1}},
	}
	if o.Keys != nil {
		m.keys = *o.Keys
	}
	if o.Styles != nil {
		m.styles = *o.Styles
	}
	if o.Estimate != nil {
		m.buf.estimate = o.Estimate
	}
	m.SetSize(80, 24)
	return m
}

// SetSize gives the width of the composer and the height of the screen, of
// which the composer takes a third at most.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = max(width, 4), max(height, 1)
	m.buf.setWidth(m.inner() - 1)
	m.changed()
}

// SetStyles changes the looks.
func (m *Model) SetStyles(s Styles) { m.styles = s; m.changed() }

// SetBusy says whether a turn is running: then Tab queues.
func (m *Model) SetBusy(busy bool) { m.busy = busy }

// SetFiles replaces the files that can be mentioned, of which the first 20,000
// are offered. The slice must not change afterwards.
func (m *Model) SetFiles(list []File) {
	m.files = list
	m.know()
	m.list.query, m.list.matches = "", nil
	if m.list.kind == files {
		chosen := ""
		if m.list.open() {
			chosen = m.list.items[m.list.sel].insert
		}
		m.complete()
		m.list.sel = max(0, slices.IndexFunc(m.list.items, func(it item) bool { return it.insert == chosen }))
	}
	m.changed()
}

// SetHistory gives the prompts of earlier runs, oldest first. They come before what
// was sent from here, which is added automatically.
func (m *Model) SetHistory(prompts []string) {
	here := m.past.entries
	m.past = newHistory(prompts)
	for _, d := range here {
		m.past.add(d)
	}
	m.changed()
}

// Keys are the composer's keys, for help.
func (m *Model) Keys() []key.Binding { return m.keys.Bindings() }

// Draft is the text as it would be sent, with pastes in full.
func (m *Model) Draft() string { return m.buf.full() }

// DraftSize is how much text Draft has. It costs nothing.
func (m *Model) DraftSize() conversation.Size { return m.buf.size }

// Message reports whether the draft would be sent as a message: blank lines, slash
// commands and shell lines add nothing that has a size yet.
func (m *Model) Message() bool {
	for _, l := range m.buf.lines {
		if text := strings.TrimRight(l.text, " \t"); text != "" {
			_, _, isShell := shell(text)
			_, _, isCommand := slash(text)
			return !isShell && !isCommand
		}
	}
	return false
}

// Empty reports whether there is no text.
func (m *Model) Empty() bool { return m.buf.empty() }

// Searching reports whether the prompt history is being searched.
func (m *Model) Searching() bool { return m.seek.on }

// Mentioning reports whether a mention is being completed.
func (m *Model) Mentioning() bool { return m.list.kind == files }

// Completing reports whether the list of completions is open.
func (m *Model) Completing() bool { return m.list.open() }

// SetText replaces the draft, the cursor at its end. A large text is folded.
func (m *Model) SetText(text string) {
	m.list.hide()
	m.seek = search{}
	m.noting(otherEdit, func() {
		m.buf.reset()
		m.enter(text)
	})
	m.changed()
}

// Prepend puts a text before the draft, with a blank line between: a message that
// comes back. What was folded in it when it was sent is folded again.
func (m *Model) Prepend(text string) {
	d := m.past.sent(text)
	m.list.hide()
	m.noting(otherEdit, func() { m.prepend(d) })
	m.changed()
}

func (m *Model) prepend(d draft) {
	if m.buf.empty() {
		m.seek = search{}
		m.restore(d)
		return
	}
	at := m.buf.at
	before := len(m.buf.lines)
	m.buf.moveTo(place{})
	m.buf.insert("\n\n")
	m.buf.moveTo(place{})
	if d.open {
		m.buf.graft(d)
	} else {
		m.enter(d.text)
	}
	at.line += len(m.buf.lines) - before
	m.buf.moveTo(at)
}

// Clear empties the composer. What was there becomes the newest prompt of the
// history, so that Up brings it back.
func (m *Model) Clear() {
	if !m.buf.empty() {
		m.past.add(m.snapshot())
	}
	m.list.hide()
	m.seek = search{}
	if !m.buf.empty() {
		m.noting(otherEdit, m.buf.reset)
	}
	m.changed()
}

// Keep makes a text a prompt of the history, the newest unless it is one already.
// What is being written stays.
func (m *Model) Keep(text string) { m.past.keep(clean(text)) }

// enter inserts a text from outside at the cursor, folded if it is large.
func (m *Model) enter(text string) {
	text = clean(text)
	switch {
	case text == "":
	case folds(text, m.buf.bytes):
		m.buf.fold(text)
	default:
		m.buf.insert(text)
	}
}

// changed lets the next View draw again and keeps the cursor in sight.
func (m *Model) changed() {
	m.drawn = ""
	y, _ := m.buf.cursor()
	rows := m.textRows()
	m.top = min(m.top, y, max(0, m.buf.height()-rows))
	m.top = max(m.top, y-rows+1)
	m.list.scroll(m.listRows())
}
