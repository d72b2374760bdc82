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

// Model is the root, and the only tea.Model.
type Model struct {
	ctx     context.Context // ends with the program; commands take it
	options Options
	parts
	look   look
	dark   bool
	screen screen

	door      door
	talk      talk
	outbox    []*outgoing // said, but not handed over yet, oldest first
	status    status
	questions []question // of calls that wait, oldest first
	views     views
	shell     *shellRun // the user's own command that runs, nil without one

	hands   hands
	ticking bool // a tick is under way
}

// parts are the components.
type parts struct {
	transcript *transcript.Model
	composer   *composer.Model
	gauge      *meter.Model
	overlays   *overlay.Stack
}

// talk is the open conversation as the screen knows it.
type talk struct {
	Conversation
	open     bool
	failed   string               // why there is none, "" while one is opening
	faults   []string             // what failed before it was open
	meter    compact.Meter        // without the draft and the reply
	reply    conversation.Size    // of the reply that is arriving
	logged   bool                 // it is in the log, and so in the next meter
	log      []conversation.Event // as far as the screen was told
	sent     map[string]string    // as it was typed, by what was sent with files and is not in the log yet
	account  compact.Account      // as the agent last worked it out
	taken    string               // the summary that the user took in last, until it is in force
	waits    *agent.Reviewing     // a summary that waits for the user, nil if none does
	previews []*previewView       // that asked for numbers which have not come, by question, oldest first
	review   *reviewView          // of what waits, with what was changed in it; nil until it is opened
	rules    []conversation.Rule  // that the dialog of permissions lists
	paused   bool                 // compaction does not ask a model by itself any more
	coldAt   time.Time            // from when on the provider's cache is cold, zero where it holds nothing
	wakesAt  time.Time            // when the screen looks whether it is, zero if it does not
	line     typedLine            // the newest command that the agent answers, the zero line without one
}

// New returns the screen. It draws at once; the conversation opens beside it.
func New(ctx context.Context, o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	theme, ok := chooseTheme(o.Theme, true, o.Colourless)
	if !ok {
		theme, _ = chooseTheme("auto", true, o.Colourless)
	}
	m := &Model{ctx: ctx, options: o, dark: true, look: newLook(theme), screen: screen{stale: true}}
	m.talk.meter = compact.NewMeter(compact.MeterOptions{})
	styles := m.look.composer()
	m.composer = composer.New(composer.Options{
		Placeholder: "Ask something. / for commands, @ for files, ? for help",
		Styles:      &styles,
		Keys:        &o.Keys.Composer,
		Commands:    commandSpecs(),
		Estimate:    m.estimate,
	})
	m.transcript = transcript.New(m.look.transcript(), m.look.markdown())
	if expand := o.Keys.Screen.Expand; expand.Enabled() {
		m.transcript.SetExpandKey(expand.Help().Key)
	}
	if undo := o.Keys.Screen.UndoCompaction; undo.Enabled() {
		m.transcript.SetUndoKey(undo.Help().Key)
	}
	if view := o.Keys.Screen.History; view.Enabled() {
		m.transcript.SetViewKey(view.Help().Key)
	}
	m.transcript.SetZone(m.zone())
	m.gauge = meter.New(m.look.gauge())
	m.overlays = overlay.New(o.Keys.Dialogs, m.look.overlay())
	m.overlays.Settle(settle)
	return m
}

// Init opens the conversation and asks what is needed to draw it well.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.enter(m.options.Backend.Open), tea.RequestBackgroundColor, m.loadPrompts(), m.loadFiles()}
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
	add := func(s conversation.Size, files []File) {
		size, messages = size.Plus(s), messages+1
		for _, f := range files {
			size.ASCII += f.Tokens * compact.CharsPerToken
		}
	}
	if m.composer.Message() {
		add(m.composer.DraftSize(), m.composer.Mentions())
	}
	for _, w := range m.status.queued {
		add(w.size, nil)
	}
	for _, o := range m.outbox {
		add(o.size, o.named)
	}
	meter := m.talk.meter
	if m.talk.reply.Chars() > 0 {
		meter = meter.WithReply(m.talk.reply)
	}
	return meter.WithDraft(size, messages).Reading()
}

// setLook draws everything in a theme.
func (m *Model) setLook(l look) {
	m.look = l
	m.composer.SetStyles(l.composer())
	m.transcript.SetStyles(l.transcript(), l.markdown())
	m.gauge.SetStyles(l.gauge())
	m.overlays.SetStyles(l.overlay())
	for _, v := range m.views.stack {
		v.restyle(l)
	}
}

// say shows a passing word above the composer.
func (m *Model) say(text string, bad bool) tea.Cmd {
	m.status.snack = snack{text: text, bad: bad, seq: m.status.snack.seq + 1, fresh: true}
	return snackOver(m.status.snack.seq)
}

// miss says that something the user asked for with a key or a command is not there
// or cannot be done. It is no part of the conversation.
func (m *Model) miss(err error) tea.Cmd {
	if err == nil || m.ctx.Err() != nil || !m.talk.open {
		return m.fail(err)
	}
	return m.say(err.Error(), true)
}

// aside says that something beside the conversation failed, behind what was said of
// another such thing just now.
func (m *Model) aside(err error) tea.Cmd {
	if err == nil || m.ctx.Err() != nil {
		return nil
	}
	text := err.Error()
	if said := m.snackText(); said != "" && m.status.snack.bad {
		text = said + " · " + text
	}
	return m.say(text, true)
}

// fail shows that something the user or the program wanted did not work, where
// it can be read in peace. What fails because the program ends is not news.
func (m *Model) fail(err error) tea.Cmd {
	if err == nil || m.ctx.Err() != nil {
		return nil
	}
	if !m.talk.open {
		m.talk.faults = append(m.talk.faults, err.Error())
	}
	away := m.away()
	m.transcript.Fault(err.Error(), "")
	if away {
		return m.say(err.Error(), true)
	}
	return nil
}

// keepTicking starts the tick if something moves and none is under way.
func (m *Model) keepTicking() tea.Cmd {
	if m.ticking || !m.status.moves() && m.shell == nil {
		return nil
	}
	m.ticking = true
	return tick()
}

// away reports whether the end of the transcript is out of sight.
func (m *Model) away() bool { return !m.transcript.Following() || m.views.top() != nil }

// zone is the user's time zone.
func (m *Model) zone() *time.Location { return m.options.Now().Location() }

// busy reports whether a turn runs.
func (m *Model) busy() bool { return m.status.busy() }

// setStatus takes over what the conversation is doing.
func (m *Model) setStatus(s agent.Status) {
	if s.Phase != agent.Streaming {
		m.status.calls = ""
	}
	m.status.now, m.status.clock = s, m.options.Now()
	m.composer.SetBusy(m.busy())
}
