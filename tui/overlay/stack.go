package overlay

import (
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/themes"
	"plimsoll/tui/pane"
)

// Grace is how long no key may have been pressed, from the moment a question
// comes up, before one is taken as its answer: who types when a question
// appears has not read it. After more keys than an impatient answer has it is
// Calm: who goes on typing pauses between words.
const (
	Grace = 400 * time.Millisecond
	Calm  = 1500 * time.Millisecond
)

// impatient is how many keys that came too early may have been meant as an
// answer.
const impatient = 2

// Early says that a key came before anybody can have read the question: it was
// meant for what the question covers.
type Early struct{}

// endShown says that a key showed the end of a text instead of allowing it.
type endShown struct{}

// Dialog is one of this package's dialogs.
type Dialog interface {
	// update handles a message. It reports whether that ends the dialog.
	update(msg tea.Msg) (action pane.Action, done bool)
	// dismiss is what comes of closing it without an answer.
	dismiss() pane.Action
	// lay gives the looks, the keys and how many cells and lines there are at
	// most. It is called before anything else, and after every change. It says how
	// many of the cells what the dialog shows takes; with those it is called again.
	lay(l look, width, height int) (cells int)
	// page is what is shown.
	page() page
	// asks reports whether keys typed before it was read must not answer it.
	asks() bool
}

// aside reports whether a dialog stands beside what the screen shows.
func aside(d Dialog) bool {
	p, is := d.(*Picker)
	return is && p.o.Live
}

// look is how dialogs look and what keys they have.
type look struct {
	styles themes.Styles
	styled int // how often they changed
	keys   KeyMap
}

// Stack holds the dialogs that are open. The last one pushed has the keys. It
// must not be shared between goroutines.
type Stack struct {
	look    look
	room    room
	dialogs []opened
	ready   time.Time // from when on the top dialog takes answers
	early   int       // keys that came before

	settle func(line string) string // for what is drawn; nil: it is drawn as it is
}

// opened is a dialog, and how many cells its lines have.
type opened struct {
	Dialog
	cells int
}

// New returns an empty stack.
func New(keys KeyMap, styles themes.Styles) *Stack {
	return &Stack{look: look{styles: styles, keys: keys}, room: room{width: 80, height: 24}}
}

// SetSize gives the size of the screen.
func (s *Stack) SetSize(width, height int) {
	s.room = room{width: max(width, 4), height: max(height, 3)}
	s.layAll()
}

// SetStyles changes the looks.
func (s *Stack) SetStyles(styles themes.Styles) {
	s.look.styles = styles
	s.look.styled++
	s.layAll()
}

// Settle gives what every line of a dialog passes before it is shown, for
// terminals that measure otherwise; nil for those that do not.
func (s *Stack) Settle(line func(string) string) { s.settle = line }

// Push opens a dialog over the others. now is the time its Grace begins.
func (s *Stack) Push(d Dialog, now time.Time) {
	s.dialogs = append(s.dialogs, opened{Dialog: d})
	s.lay(len(s.dialogs) - 1)
	s.shown(now)
}

// shown notes that the top dialog has only now come into sight.
func (s *Stack) shown(now time.Time) { s.ready, s.early = now.Add(Grace), 0 }

// tooEarly reports whether a key came before it can be an answer. Keys with
// Ctrl that answer nothing are let through: they scroll, and Ctrl+C interrupts.
func (s *Stack) tooEarly(k tea.KeyPressMsg, now time.Time) bool {
	a := s.look.keys.Answers
	harmless := k.Mod&tea.ModCtrl != 0 && !key.Matches(k, a.Accept, a.Close, a.Once, a.Run, a.Always, a.No, a.Yes)
	if harmless || !now.Before(s.ready) {
		return false
	}
	s.early++
	wait := Grace
	if s.early > impatient {
		wait = Calm
	}
	if ready := now.Add(wait); ready.After(s.ready) {
		s.ready = ready
	}
	return true
}

// Dismiss closes the top dialog without an answer, and returns what comes of that.
func (s *Stack) Dismiss(now time.Time) pane.Action {
	top := s.Top()
	if top == nil {
		return nil
	}
	s.Remove(top, now)
	return top.dismiss()
}

// Remove closes a dialog wherever it is: what it asked no longer matters.
func (s *Stack) Remove(d Dialog, now time.Time) {
	i := s.index(d)
	if i < 0 {
		return
	}
	s.dialogs = slices.Delete(s.dialogs, i, i+1)
	if i == len(s.dialogs) {
		s.shown(now)
	}
}

// Top is the dialog that has the keys, nil if none is open.
func (s *Stack) Top() Dialog {
	if len(s.dialogs) == 0 {
		return nil
	}
	return s.dialogs[len(s.dialogs)-1].Dialog
}

// Has reports whether a dialog is open.
func (s *Stack) Has(d Dialog) bool { return s.index(d) >= 0 }

func (s *Stack) index(d Dialog) int {
	return slices.IndexFunc(s.dialogs, func(o opened) bool { return o.Dialog == d })
}

// Len is the number of open dialogs.
func (s *Stack) Len() int { return len(s.dialogs) }

// Update gives a message to the top dialog. now is when it arrived.
func (s *Stack) Update(msg tea.Msg, now time.Time) pane.Action {
	top := s.Top()
	if top == nil {
		return pane.Ignored{}
	}
	early := false
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		early = top.asks() && s.tooEarly(msg, now)
	case tea.PasteMsg:
		early = top.asks() && now.Before(s.ready)
	}
	if early {
		if a, is := top.(*Approve); is && a.again != "" { // it was seen before: the key is meant for it
			return nil
		}
		return Early{}
	}
	action, done := top.update(msg)
	if action == (endShown{}) { // a key that is held, or pressed twice, must not allow it as well
		s.shown(now)
		return nil
	}
	if done {
		s.Remove(top, now)
	}
	return action
}

// Over lays the top dialog onto a screen of the size the stack has, and tells where one
// types in it, nil where one does not.
func (s *Stack) Over(screen string) (string, *tea.Cursor) {
	box, at, cursor := s.draw()
	if box == nil {
		return screen, nil
	}
	lines := strings.Split(screen, "\n")
	if ink := pane.NewInk(s.look.styles.Overlay.Behind); !ink.Plain() && !aside(s.Top()) {
		for i, l := range lines {
			lines[i] = ink.Render(ansi.Strip(l))
		}
	}
	for len(lines) < s.room.height {
		lines = append(lines, "")
	}
	r := clusters
	if s.settle != nil {
		r = codePoints
		for i, l := range lines { // what had no padding to give ends beyond the screen
			lines[i] = r.truncate(l, s.room.width, "")
		}
	}
	r.over(lines, box, at.x, at.y)
	if cursor == nil {
		return strings.Join(lines, "\n"), nil
	}
	return strings.Join(lines, "\n"), tea.NewCursor(cursor.x, cursor.y)
}

func (s *Stack) layAll() {
	for i := range s.dialogs {
		s.lay(i)
	}
}

// roomOf is the room that a dialog has. The help goes without air: its pages are long.
func (s *Stack) roomOf(d Dialog) room {
	r := s.room
	t, is := d.(*Text)
	r.tight = is && len(t.tabs) > 1
	return r
}

// lay gives a dialog its size.
func (s *Stack) lay(i int) {
	d := &s.dialogs[i]
	r := s.roomOf(d.Dialog)
	widest, most := r.widest(), r.most()
	if aside(d.Dialog) {
		const below = 5 // composer, gauge and hints stay in sight
		most = max(most-below, min(most, 4))
	}
	wanted := d.lay(s.look, widest, most)
	p := d.page()
	d.cells = min(max(wanted, ansi.StringWidth(p.title), r.foot(p), leastCells), widest)
	if d.cells < widest {
		d.lay(s.look, d.cells, most)
	}
}

// draw is the top dialog's box, its upper left corner and where one types; nil if none is
// open.
func (s *Stack) draw() (box []string, at point, cursor *point) {
	if s.Len() == 0 {
		return nil, at, nil
	}
	top := s.dialogs[s.Len()-1]
	r, cells, p := s.roomOf(top.Dialog), top.cells, top.page()
	p.lines = p.lines[:min(len(p.lines), r.most())]
	box = draw(s.look.styles, p, cells, r)
	at = point{(r.width - cells - r.around()) / 2, max(0, (r.height-len(box))/2)}
	if aside(top.Dialog) {
		at = point{max(r.width-cells-r.around()-pane.Gutter(r.width), 0), min(1, at.y)}
	}
	if p.cursor != nil {
		cursor = &point{at.x + 1 + r.padding() + p.cursor.x, at.y + r.above() + p.cursor.y}
	}
	if s.settle == nil {
		return box, at, cursor
	}
	for i, l := range box {
		box[i] = s.settle(l)
	}
	if cursor != nil && cursor.y-at.y < len(box) {
		before := ansi.Truncate(box[cursor.y-at.y], cursor.x-at.x, "")
		cursor.x = at.x + codePoints.width(before)
	}
	return box, at, cursor
}
