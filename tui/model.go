package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent"
	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/tui/composer"
	"plimsoll/tui/meter"
	"plimsoll/tui/overlay"
	"plimsoll/tui/transcript"
)

// Options is what the screen is made of.
type Options struct {
	Host    Host
	Models  Models
	Desk    Desk
	Prompts Prompts
	Edit    Edit

	Keys       KeyMap
	Theme      string // auto, light, dark or a theme's name
	Colourless bool   // no colours at all
	Mouse      bool
	Place      string           // the workspace, for the header
	Pick       bool             // begin by choosing the conversation to continue
	Now        func() time.Time // nil: time.Now
}

// Model is the root, and the only tea.Model.
type Model struct {
	ctx     context.Context // ends with the program; commands take it
	options Options

	width, height int
	dark          bool
	look          look

	talk       talk
	status     status
	transcript *transcript.Model
	composer   *composer.Model
	gauge      *meter.Model
	overlays   *overlay.Stack
	questions  []question // of calls that wait, oldest first

	ticking  bool // a tick is under way
	quitting bool // a second ctrl+c quits
}

// talk is the open conversation as the screen knows it.
type talk struct {
	Conversation
	open  bool
	early []string          // sent before it was open
	meter compact.Meter     // without the draft
	reply conversation.Size // of the reply that is arriving
}

// New returns the screen. It draws at once; the conversation opens beside it.
func New(ctx context.Context, o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	theme, _ := chooseTheme("auto", true, o.Colourless)
	m := &Model{ctx: ctx, options: o, dark: true, look: newLook(theme), overlays: overlay.New(o.Keys.Dialogs, newLook(theme).overlay())}
	styles := m.look.composer()
	m.composer = composer.New(composer.Options{
		Placeholder: "Ask something. / for commands, @ for files, ? for help",
		Styles:      &styles,
		Keys:        &o.Keys.Composer,
		Commands:    commandSpecs(),
		Estimate:    m.estimate,
	})
	m.transcript = transcript.New(m.look.transcript(), m.look.markdown())
	m.transcript.SetExpandKey(o.Keys.Screen.Expand.Help().Key)
	m.gauge = meter.New(m.look.gauge())
	m.talk.meter = compact.NewMeter(compact.MeterOptions{})
	return m
}

// Init opens the conversation and asks what is needed to draw it well.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{conversationFrom(m.ctx, m.options.Host.Open), tea.RequestBackgroundColor, m.loadPrompts(), m.loadFiles()}
	if m.options.Pick {
		cmds = append(cmds, m.loadConversations())
	}
	return tea.Batch(cmds...)
}

// estimate is the tokens of a text by the model's calibration.
func (m *Model) estimate(size conversation.Size) int {
	return int(compact.Estimate(size)*m.factor() + 0.5)
}

// factor is how many tokens of the model an estimated token is.
func (m *Model) factor() float64 {
	if f := m.talk.meter.Calibration().Factor; f > 0 {
		return f
	}
	return 1
}

// reading is the meter with what is typed and what waits.
func (m *Model) reading() compact.Reading {
	size, messages := conversation.Size{}, 0
	if !m.composer.Empty() {
		size, messages = m.composer.DraftSize(), 1
		for _, f := range m.composer.Mentions() {
			size.ASCII += f.Tokens * compact.CharsPerToken
		}
	}
	for _, q := range m.status.queued {
		size, messages = size.Plus(conversation.Measure(q)), messages+1
	}
	return m.talk.meter.WithDraft(size, messages).Reading()
}

// setLook draws everything in a theme.
func (m *Model) setLook(l look) {
	m.look = l
	m.composer.SetStyles(l.composer())
	m.transcript.SetStyles(l.transcript(), l.markdown())
	m.gauge.SetStyles(l.gauge())
	m.overlays.SetStyles(l.overlay())
}

// say shows a passing word above the composer.
func (m *Model) say(text string, bad bool) tea.Cmd {
	m.status.snack, m.status.snackBad = text, bad
	m.status.snackSeq++
	m.layout()
	seq := m.status.snackSeq
	return tea.Tick(snackFor, func(time.Time) tea.Msg { return snackOverMsg{seq} })
}

// keepTicking starts the tick if something moves and none is under way.
func (m *Model) keepTicking() tea.Cmd {
	if m.ticking || !m.status.busy() {
		return nil
	}
	m.ticking = true
	return tick()
}

// busy reports whether a turn runs.
func (m *Model) busy() bool { return m.status.busy() }

// setStatus takes over what the conversation is doing.
func (m *Model) setStatus(s agent.Status) {
	if s.Phase != agent.Streaming {
		m.status.calls = ""
	}
	m.status.now = s
	m.composer.SetBusy(m.busy())
}
