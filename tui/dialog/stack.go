package dialog

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

// ReadingTime is the time without a key press after a question opens before a key can answer it: a user who was
// typing has not read it. TypingPause is that time after more than maxEarlyKeys early keys: a user who keeps typing
// pauses between words.
const (
	ReadingTime = 400 * time.Millisecond
	TypingPause = 1500 * time.Millisecond
)

// maxEarlyKeys is how many early keys may still be attempts to answer.
const maxEarlyKeys = 2

// Early says that a key came before the user can have read the question, so it
// was meant for what the question covers.
type Early struct{}

// moreShown says that a key showed the next lines of a text instead of allowing it.
type moreShown struct{ end bool }

// Dialog is one of this package's dialogs.
type Dialog interface {
	// update handles a message. It reports whether that ends the dialog.
	update(msg tea.Msg) (action pane.Action, done bool)
	// dismiss returns the action for closing it without an answer.
	dismiss() pane.Action
	// layout sets the styles, the keys and the maximum size. It is called before any
	// other method, and after every change. It returns the width of the content,
	// and is called again with that width.
	layout(l config, width, height int) (cells int)
	// page returns the content.
	page() page
	// asks reports whether keys typed before it can have been read must not answer it.
	asks() bool
}

// isBeside reports whether a dialog is placed at the side, with the screen visible.
func isBeside(d Dialog) bool {
	p, is := d.(*Picker)
	return is && p.o.Live
}

// config holds the styles and keys of dialogs.
type config struct {
	styles themes.Styles
	styled int // number of changes of styles
	keys   KeyMap
	flow   bool // for a question in the flow
}

// Stack holds the dialogs that are open. The last one pushed has the keys. It
// must not be shared between goroutines.
type Stack struct {
	config  config
	room    room
	dialogs []opened
	ready   time.Time // when the top dialog begins to accept answers
	early   int       // number of keys that came before

	flowLines int // for the question in the flow; 0: it is a dialog

	lineFilter func(line string) string // rewrites each drawn line; may be nil
}

// opened is an open dialog with the width of its lines.
type opened struct {
	Dialog
	cells      int
	isQuestion bool // it opened by itself: it stands in the flow
	isFull     bool // but the user wants it over the whole screen
}

// NewStack returns an empty stack.
func NewStack(keys KeyMap, styles themes.Styles) *Stack {
	return &Stack{config: config{styles: styles, keys: keys}, room: room{width: 80, height: 24}}
}

// SetSize gives the size of the screen.
func (s *Stack) SetSize(width, height int) {
	s.room = room{width: max(width, 4), height: max(height, 3)}
	s.layoutAll()
}

// SetStyles changes the styles.
func (s *Stack) SetStyles(styles themes.Styles) {
	s.config.styles = styles
	s.config.styled++
	s.layoutAll()
}

// SetLineFilter sets a function that rewrites every line of a dialog before it is shown,
// for terminals that measure by code point; nil for other terminals.
func (s *Stack) SetLineFilter(line func(string) string) { s.lineFilter = line }

// Push opens a dialog over the others. now is when its ReadingTime begins.
func (s *Stack) Push(d Dialog, now time.Time) { s.push(opened{Dialog: d}, now) }

func (s *Stack) push(d opened, now time.Time) {
	s.dialogs = append(s.dialogs, d)
	s.layout(len(s.dialogs) - 1)
	s.shown(now)
}

// shown records that the top dialog became visible now.
func (s *Stack) shown(now time.Time) { s.ready, s.early = now.Add(ReadingTime), 0 }

// tooEarly reports whether a key came too early to be an answer. Keys with Ctrl
// that do not answer are never too early: they scroll, and Ctrl+C interrupts.
func (s *Stack) tooEarly(k tea.KeyPressMsg, now time.Time) bool {
	a := s.config.keys.Answers
	harmless := k.Mod&tea.ModCtrl != 0 && !key.Matches(k, a.Accept, a.Close, a.Once, a.Run, a.Always, a.No, a.Yes)
	if harmless || !now.Before(s.ready) {
		return false
	}
	s.early++
	wait := ReadingTime
	if s.early > maxEarlyKeys {
		wait = TypingPause
	}
	if ready := now.Add(wait); ready.After(s.ready) {
		s.ready = ready
	}
	return true
}

// Dismiss closes the top dialog without an answer, and returns the action for that.
func (s *Stack) Dismiss(now time.Time) pane.Action {
	top := s.Top()
	if top == nil {
		return nil
	}
	s.Remove(top, now)
	return top.dismiss()
}

// Remove closes a dialog of the stack without an answer.
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

// Top returns the dialog that has the keys, or nil.
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

// Update passes a message to the top dialog. now is when it arrived.
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
	if k, is := msg.(tea.KeyPressMsg); is && s.toggleFull(k) {
		return nil
	}
	if early {
		if a, is := top.(*Approve); is && a.again != "" { // the user has read it before: the key was meant for it
			return nil
		}
		return Early{}
	}
	action, done := top.update(msg)
	if more, is := action.(moreShown); is {
		if more.end { // a held key or a second press must not also allow the call
			s.shown(now)
		}
		return nil
	}
	if done {
		s.Remove(top, now)
	}
	return action
}

// Over draws the top dialog over a screen of the stack's size, and returns the text cursor,
// or nil.
func (s *Stack) Over(screen string) (string, *tea.Cursor) {
	box, at, cursor := s.draw()
	if box == nil {
		return screen, nil
	}
	lines := strings.Split(screen, "\n")
	if dimmed := pane.NewInlineStyle(s.config.styles.Dimmed); !dimmed.Plain() && !isBeside(s.Top()) {
		for i, l := range lines {
			lines[i] = dimmed.Render(ansi.Strip(l))
		}
	}
	for len(lines) < s.room.height {
		lines = append(lines, "")
	}
	r := clusters
	if s.lineFilter != nil {
		r = codePoints
		for i, l := range lines { // a line without padding can be too wide by code point
			lines[i] = r.truncate(l, s.room.width, "")
		}
	}
	r.over(lines, box, at.x, at.y)
	if cursor == nil {
		return strings.Join(lines, "\n"), nil
	}
	return strings.Join(lines, "\n"), tea.NewCursor(cursor.x, cursor.y)
}

func (s *Stack) layoutAll() {
	for i := range s.dialogs {
		s.layout(i)
	}
}

// roomOf returns the space for a dialog. The help is not airy, because its pages are long.
func (s *Stack) roomOf(d Dialog) room {
	r := s.room
	t, is := d.(*Text)
	r.tight = is && len(t.tabs) > 1
	return r
}

func (s *Stack) layout(i int) {
	d := &s.dialogs[i]
	if d.isQuestion && !d.isFull && s.flowLines > 0 {
		l := s.config
		l.flow = true
		d.cells = s.flowCells()
		d.layout(l, d.cells, s.flowLines-1)
		return
	}
	r := s.roomOf(d.Dialog)
	widest, most := r.widest(), r.maxLines()
	if isBeside(d.Dialog) {
		const below = 5 // composer, gauge and hints stay visible
		most = max(most-below, min(most, 4))
	}
	wanted := d.layout(s.config, widest, most)
	p := d.page()
	d.cells = min(max(wanted, ansi.StringWidth(p.title), r.foot(p), minCells), widest)
	if d.cells < widest {
		d.layout(s.config, d.cells, most)
	}
}

// draw returns the top dialog's box, its upper left corner and the text cursor; nil if none
// is open.
func (s *Stack) draw() (box []string, at point, cursor *point) {
	if s.Len() == 0 {
		return nil, at, nil
	}
	top := s.dialogs[s.Len()-1]
	r, cells, p := s.roomOf(top.Dialog), top.cells, top.page()
	p.lines = p.lines[:min(len(p.lines), r.maxLines())]
	box = draw(s.config.styles, p, cells, r)
	at = point{(r.width - cells - r.frameCells()) / 2, max(0, (r.height-len(box))/2)}
	if isBeside(top.Dialog) {
		at = point{max(r.width-cells-r.frameCells()-pane.Gutter(r.width), 0), min(1, at.y)}
	}
	if p.cursor != nil {
		cursor = &point{at.x + 1 + r.padding() + p.cursor.x, at.y + r.linesAbove() + p.cursor.y}
	}
	if s.lineFilter == nil {
		return box, at, cursor
	}
	for i, l := range box {
		box[i] = s.lineFilter(l)
	}
	if cursor != nil && cursor.y-at.y < len(box) {
		before := ansi.Truncate(box[cursor.y-at.y], cursor.x-at.x, "")
		cursor.x = at.x + codePoints.width(before)
	}
	return box, at, cursor
}
