package overlay

import (
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

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

// Dialog is one of this package's dialogs.
type Dialog interface {
	// update handles a message; see [pane.Action].
	update(msg tea.Msg) pane.Action
	// lay gives the looks, the keys and how many cells and lines there are at
	// most. It is called before anything else, and after every change. It says how
	// many of the cells what the dialog shows takes; with those it is called again.
	lay(l look, width, height int) (cells int)
	// page is what is shown.
	page() page
	// asks reports whether keys typed before it was read must not answer it.
	asks() bool
}

// aside reports whether a dialog stands beside what the screen shows, where it can.
func aside(d Dialog) bool {
	p, is := d.(*Picker)
	return is && p.o.Live
}

// look is how dialogs look and what keys they have.
type look struct {
	styles Styles
	styled int // how often they changed
	keys   KeyMap
}

// Stack holds the dialogs that are open. The last one pushed has the keys. It
// must not be shared between goroutines.
type Stack struct {
	look          look
	width, height int
	dialogs       []opened
	ready         time.Time // from when on the top dialog takes answers
	early         int       // keys that came before

	settle func(line string) string // for what is drawn; nil: it is drawn as it is

	drawn  []string // the top dialog; nil after a change
	at     point    // its upper left corner
	cursor *point   // its cursor, on the screen
	behind behind
}

// opened is a dialog, how many cells its lines have, and whether it goes without air.
type opened struct {
	Dialog
	cells int
	tight bool
}

// behind is the screen behind the dialogs, dimmed when it changed.
type behind struct {
	screen string
	lines  []string
}

// dimmed is the lines of a screen, with nothing but a quiet ink. They are the
// caller's.
func (b *behind) dimmed(screen string, ink pane.Ink) []string {
	if b.lines == nil || b.screen != screen {
		b.screen, b.lines = screen, strings.Split(ansi.Strip(screen), "\n")
		for i, l := range b.lines {
			b.lines[i] = ink.Render(oneTone(l))
		}
	}
	return slices.Clone(b.lines)
}

// oneTone joins bars whose parts differ in nothing but their color: where two meet, a block that fills a part of its cell
// shows the color of the next one behind it, and without that a gap.
func oneTone(line string) string {
	if !strings.ContainsAny(line, partBlocks) {
		return line
	}
	runes := []rune(line)
	for i := len(runes) - 2; i >= 0; i-- {
		if strings.ContainsRune(partBlocks, runes[i]) && runes[i+1] == fullBlock {
			runes[i] = fullBlock
		}
	}
	return string(runes)
}

const (
	partBlocks = "▎▍▌▋▊▉"
	fullBlock  = '█'
)

// New returns an empty stack.
func New(keys KeyMap, styles Styles) *Stack {
	return &Stack{look: look{styles: styles, keys: keys}, width: 80, height: 24}
}

// SetSize gives the size of the screen.
func (s *Stack) SetSize(width, height int) {
	s.width, s.height = max(width, 4), max(height, 3)
	s.layAll()
}

// SetStyles changes the looks.
func (s *Stack) SetStyles(styles Styles) {
	s.look.styles = styles
	s.look.styled++
	s.layAll()
}

// Settle gives what every line of a dialog passes before it is shown, for
// terminals that measure otherwise; nil for those that do not.
func (s *Stack) Settle(line func(string) string) {
	s.settle = line
	s.drawn = nil
}

// Push opens a dialog over the others. now is the time its Grace begins.
func (s *Stack) Push(d Dialog, now time.Time) {
	s.dialogs = append(s.dialogs, opened{Dialog: d})
	s.layAll()
	s.Opened(now)
}

// Opened says that the top dialog has only now come into sight.
func (s *Stack) Opened(now time.Time) { s.ready, s.early = now.Add(Grace), 0 }

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

// Pop closes the top dialog, if there is one.
func (s *Stack) Pop(now time.Time) {
	if len(s.dialogs) == 0 {
		return
	}
	s.dialogs = s.dialogs[:len(s.dialogs)-1]
	s.drawn = nil
	s.Opened(now)
}

// Remove closes a dialog wherever it is: what it asked no longer matters.
func (s *Stack) Remove(d Dialog, now time.Time) {
	for i, other := range s.dialogs {
		if other.Dialog != d {
			continue
		}
		if i == len(s.dialogs)-1 {
			s.Pop(now)
			return
		}
		s.dialogs = append(s.dialogs[:i], s.dialogs[i+1:]...)
		return
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
func (s *Stack) Has(d Dialog) bool {
	return slices.ContainsFunc(s.dialogs, func(o opened) bool { return o.Dialog == d })
}

// Len is the number of open dialogs.
func (s *Stack) Len() int { return len(s.dialogs) }

// Update gives a message to the top dialog. now is when it arrived. The
// command is always nil and there for the form all components share.
func (s *Stack) Update(msg tea.Msg, now time.Time) (pane.Action, tea.Cmd) {
	top := s.Top()
	if top == nil {
		return pane.Ignored{}, nil
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if top.asks() && s.tooEarly(msg, now) {
			if a, is := top.(*Approve); is && a.again != "" { // it was seen before: the key is meant for it
				return nil, nil
			}
			return Early{}, nil
		}
	case tea.PasteMsg:
		if top.asks() && now.Before(s.ready) {
			return Early{}, nil
		}
	}
	action := top.update(msg)
	s.drawn = nil
	if action == (endShown{}) { // a key that is held, or pressed twice, must not allow it as well
		s.Opened(now)
		return nil, nil
	}
	if ends(action) {
		s.Remove(top, now)
	}
	return action, nil
}

// Redraw says that the top dialog changed without a message.
func (s *Stack) Redraw() { s.drawn = nil }

// View is the top dialog's box, "" if none is open.
func (s *Stack) View() string {
	s.draw()
	return strings.Join(s.drawn, "\n")
}

// Position is the cell of the screen where the upper left corner of View
// belongs.
func (s *Stack) Position() (x, y int) {
	s.draw()
	return s.at.x, s.at.y
}

// Cursor is where the terminal's cursor belongs on the screen, nil if the top
// dialog has no line to type in.
func (s *Stack) Cursor() *tea.Cursor {
	s.draw()
	if s.cursor == nil {
		return nil
	}
	return tea.NewCursor(s.cursor.x, s.cursor.y)
}

// Over lays the top dialog onto a screen of the size the stack has.
func (s *Stack) Over(screen string) string {
	s.draw()
	if s.drawn == nil {
		return screen
	}
	var lines []string
	if ink := pane.NewInk(s.look.styles.Behind); ink.Plain() || aside(s.Top()) {
		lines = strings.Split(screen, "\n")
	} else {
		lines = s.behind.dimmed(screen, ink)
	}
	for len(lines) < s.height {
		lines = append(lines, "")
	}
	r := clusters
	if s.settle != nil {
		r = codePoints
		for i, l := range lines { // what had no padding to give ends beyond the screen
			lines[i] = r.truncate(l, s.width, "")
		}
	}
	r.over(lines, s.drawn, s.at.x, s.at.y)
	return strings.Join(lines, "\n")
}

func (s *Stack) room(d opened) room { return room{s.width, s.height, d.tight} }

func (s *Stack) layAll() {
	for i := range s.dialogs {
		s.lay(&s.dialogs[i], false)
	}
	s.drawn, s.behind = nil, behind{}
}

// lay gives a dialog its size, without air where it needs that.
func (s *Stack) lay(d *opened, tight bool) {
	d.tight = tight
	r := s.room(*d)
	most := r.most()
	if aside(d.Dialog) {
		most = r.mostBeside()
	}
	wanted := d.Dialog.lay(s.look, r.widest(), most)
	if d.cells = r.fitting(wanted, d.page()); d.cells < r.widest() {
		d.Dialog.lay(s.look, d.cells, most)
	}
	if p := d.page(); p.grows && r.airy() {
		s.lay(d, true)
	}
}

// draw draws the top dialog if anything has changed.
func (s *Stack) draw() {
	top := s.Top()
	if top == nil {
		s.drawn, s.cursor = nil, nil
		return
	}
	if s.drawn != nil {
		return
	}
	in := s.dialogs[len(s.dialogs)-1]
	r, cells := s.room(in), in.cells
	p := top.page()
	p.lines = p.lines[:min(len(p.lines), r.most())]
	s.drawn = s.look.styles.box(p, cells, r)
	s.at = point{(s.width - cells - r.around()) / 2, max(0, (s.height-len(s.drawn))/2)}
	if aside(top) {
		s.at = point{max(s.width-cells-r.around()-pane.Gutter(s.width), 0), min(1, s.at.y)}
	}
	s.cursor = nil
	if p.cursor != nil {
		s.cursor = &point{s.at.x + 1 + r.padding() + p.cursor.x, s.at.y + r.above() + p.cursor.y}
	}
	s.settleDrawn()
}

// settleDrawn fits the top dialog and its cursor to the terminal's measure.
func (s *Stack) settleDrawn() {
	if s.settle == nil {
		return
	}
	for i, l := range s.drawn {
		s.drawn[i] = s.settle(l)
	}
	if s.cursor != nil && s.cursor.y-s.at.y < len(s.drawn) {
		before := ansi.Truncate(s.drawn[s.cursor.y-s.at.y], s.cursor.x-s.at.x, "")
		s.cursor.x = s.at.x + codePoints.width(before)
	}
}
