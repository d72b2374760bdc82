package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Options is what the screen is made of.
type Options struct {
	Backend Backend
	Edit    Edit

	Keys       KeyMap
	Theme      string // auto, light, dark or a theme's name
	Colourless bool   // no colours at all
	Mouse      bool
	Place      string           // the workspace, for the header
	Pick       bool             // begin by choosing the conversation to continue
	Now        func() time.Time // nil: time.Now
}

// env is what every part is handed. It never changes.
type env struct {
	Options
	ctx context.Context // ends with the program; commands take it
}

// zone is the user's time zone.
func (e *env) zone() *time.Location { return e.Now().Location() }

// Model is the root, and the only tea.Model. It routes messages to its parts, and does
// what they ask for (actions.go).
type Model struct {
	env      *env
	session  *session // the open conversation
	chat     *chat    // transcript, composer, and the lines around them
	views    *views   // full-screen views
	dialogs  *dialogs
	notices  notices
	keyboard *keyboard
	terminal terminal
	theme    theme
}

// keyboard counts keys, so that what was asked for with one can tell whether another
// followed.
type keyboard struct {
	pressed int    // keys with text so far, pastes among them
	quits   repeat // of the key to interrupt
	rewinds repeat // of the key to cancel
}

// repeat is a key that does something when it is pressed again while a notice says so.
type repeat struct{ notice int }

// again reports whether the notice is still in sight, and forgets it.
func (r *repeat) again(n *notices, at sight) bool {
	again := r.notice != 0 && r.notice == n.seq && n.textAt(at) != ""
	r.notice = 0
	return again
}

// New returns the screen. It draws at once; the conversation opens meanwhile.
func New(ctx context.Context, o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	e := &env{Options: o, ctx: ctx}
	t := newTheme(o)
	keys := &keyboard{}
	m := &Model{env: e, theme: t, keyboard: keys, terminal: terminal{stale: true}}
	m.session = newSession(e)
	m.chat = newChat(e, m.session, keys, t.look)
	m.session.outline = m.chat.transcript
	m.views = &views{env: e, session: m.session, look: t.look, reading: m.chat.reading, gauges: m.chat.gauge.Pair}
	m.views.room = m.room
	m.dialogs = newDialogs(e, m.session, t.look)
	return m
}

// Init opens the conversation and asks what is needed to draw it well.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.enter(m.env.Backend.Open, opening{}), tea.RequestBackgroundColor, m.env.loadPrompts(), m.chat.loadFiles()}
	if m.env.Pick {
		cmds = append(cmds, m.env.loadConversations(m.keyboard.pressed))
	}
	return tea.Batch(cmds...)
}

// setLook draws everything in the theme in force.
func (m *Model) setLook() {
	l := m.theme.look
	m.chat.setLook(l)
	m.dialogs.setLook(l)
	m.views.setLook(l)
}

// Farewell is the last exchange as plain text, for the scrollback.
func (m *Model) Farewell() string { return m.chat.transcript.LastExchange() }
