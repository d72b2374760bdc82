package tui

import (
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/tui/composer"
	"plimsoll/tui/meter"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript"
)

// chat is the main screen: the transcript, the composer, the messages that wait, and
// the lines around them.
type chat struct {
	env      *env
	session  *session
	keyboard *keyboard

	transcript *transcript.Model
	composer   *composer.Model
	gauge      *meter.Model

	outbox outbox
	shell  *shellRun // the user's own command that runs, nil without one
	line   typedLine // the newest command that the agent answers, the zero line without one
	listed time.Time // when the files that can be mentioned were last asked for

	pulse  pulse
	styles statusStyles
	place  place
}

func newChat(e *env, s *session, keys *keyboard, l look) *chat {
	c := &chat{env: e, session: s, keyboard: keys, styles: l.status()}
	styles := l.composer()
	c.composer = composer.New(composer.Options{
		Placeholder: "Ask something. / for commands, @ for files, ? for help",
		Styles:      &styles,
		Keys:        &e.Keys.Composer,
		Commands:    commandSpecs(),
		Estimate:    s.estimate,
	})
	c.transcript = transcript.New(l.transcript(), l.markdown())
	screen := e.Keys.Screen
	if screen.Expand.Enabled() {
		c.transcript.SetExpandKey(screen.Expand.Help().Key)
	}
	if screen.UndoCompaction.Enabled() {
		c.transcript.SetUndoKey(screen.UndoCompaction.Help().Key)
	}
	if screen.History.Enabled() {
		c.transcript.SetViewKey(screen.History.Help().Key)
	}
	c.transcript.SetZone(e.zone())
	c.gauge = meter.New(l.gauge())
	return c
}

func (c *chat) setLook(l look) {
	c.styles = l.status()
	c.composer.SetStyles(l.composer())
	c.transcript.SetStyles(l.transcript(), l.markdown())
	c.gauge.SetStyles(l.gauge())
}

// begin shows a conversation that is open now, behind what failed before, with a draft.
func (c *chat) begin(faults []string, draft string) {
	s := c.session
	c.returned(c.outbox.takeQueued())
	c.outbox.typedAs, c.pulse.call, c.line = nil, "", typedLine{}
	c.composer.SetBusy(false)
	c.transcript.SetFactor(s.factor())
	c.transcript.Reset(s.Events)
	for _, note := range s.Notes {
		c.transcript.Note(note)
	}
	if s.ReadOnly != "" {
		c.transcript.Note(s.ReadOnly)
	}
	c.recovered(s.Waiting)
	for _, fault := range faults {
		c.transcript.Fault(fault, "")
	}
	if draft != "" {
		c.composer.Prepend(draft)
	}
}

// reading is the meter with what is typed and what waits.
func (c *chat) reading() compact.Reading {
	size, messages := conversation.Size{}, 0
	add := func(s conversation.Size, files []File) {
		size, messages = size.Plus(s), messages+1
		for _, f := range files {
			size.ASCII += f.Tokens * compact.CharsPerToken
		}
	}
	if c.composer.Message() {
		add(c.composer.DraftSize(), c.composer.Mentions())
	}
	c.outbox.sizes(add)
	load := &c.session.load
	meter := load.meter
	if load.reply.Chars() > 0 {
		meter = meter.WithReply(load.reply)
	}
	return meter.WithDraft(size, messages).Reading()
}

// compose gives a key to the composer. Ignored says that it has no use for it, wrote
// that there is a draft now.
func (c *chat) compose(k tea.KeyPressMsg) (action pane.Action, wrote bool) {
	named, unknown := c.composer.Mentions(), c.composer.Unknown() // sending empties the composer
	action, cmd := c.composer.Update(k)
	if ignored, is := action.(pane.Ignored); is {
		return ignored, false
	}
	wrote = !c.composer.Empty() // what was sent is written to its end
	return several{cmd, c.act(action, named, unknown), c.freshFiles()}, wrote
}

// paste gives a paste to the composer.
func (c *chat) paste(msg tea.PasteMsg) pane.Action {
	action, cmd := c.composer.Update(msg)
	return several{cmd, c.act(action, nil, nil)}
}

// act sends and runs what the composer decided on; commands are returned.
func (c *chat) act(action pane.Action, named []File, unknown []string) pane.Action {
	switch a := action.(type) {
	case composer.Submit:
		return c.send(c.outbox.message(a.Text, named, unknown))
	case composer.Queue:
		return c.send(c.outbox.message(a.Text, named, unknown))
	case composer.UnknownCommand:
		text := "there is no command /" + a.Name
		if a.Nearest != "" {
			text += "; did you mean /" + a.Nearest + "?"
		}
		return refuse(text)
	case composer.Shell:
		return c.startShell(a.Command, a.Add)
	case composer.Editor:
		return c.env.openEditor(a.Text, nil)
	}
	return action
}

// staleFiles is how old the list of files gets until it is made anew for a mention.
const staleFiles = 10 * time.Second

// freshFiles lists the files anew where one is being mentioned and some may be new.
func (c *chat) freshFiles() tea.Cmd {
	if !c.composer.Mentioning() || c.env.Now().Sub(c.listed) < staleFiles {
		return nil
	}
	return c.loadFiles()
}

func (c *chat) loadFiles() tea.Cmd {
	c.listed = c.env.Now()
	return c.env.loadFiles()
}

// send hands something over when its turn comes.
func (c *chat) send(o *outgoing) pane.Action {
	if why := c.session.refusal(); why != "" {
		c.comesBack(o)
		return refuse(why)
	}
	c.outbox.sending = append(c.outbox.sending, o)
	if o.ran != "" {
		return c.flush()
	}
	return several{c.env.remember(o.text), c.flush()} // a kill before it is handed over must not lose it
}

// flush hands over what is ready.
func (c *chat) flush() pane.Action {
	s := c.session
	if !s.open || s.opening.busy {
		return nil
	}
	if why := s.refusal(); why != "" && len(c.outbox.sending) > 0 {
		c.giveBack()
		return refuse(why)
	}
	var reads several
	for _, o := range c.outbox.unread() {
		reads = append(reads, c.env.attach(o))
	}
	for o := c.outbox.next(); o != nil; o = c.outbox.next() {
		if o.ran != "" {
			s.Session.Add(o.ran)
		} else {
			s.Session.Send(o.text + o.files)
		}
		c.transcript.ToEnd()
	}
	return reads
}

// attached has the files of a message, if it still waits for them.
func (c *chat) attached(msg attachedMsg) pane.Action {
	if !slices.Contains(c.outbox.sending, msg.to) {
		return nil // it was given back
	}
	if msg.err != nil {
		c.outbox.drop(msg.to)
		c.composer.Prepend(msg.to.text)
		return several{c.unattached(msg.to.text, msg.err), c.flush()}
	}
	msg.to.files, msg.to.ready = msg.files, true
	return c.flush()
}

// unattached says why a message came back.
func (c *chat) unattached(text string, err error) pane.Action {
	var which *MentionError
	if !errors.As(err, &which) || c.env.ctx.Err() != nil {
		return missing{err}
	}
	c.outbox.unreadable(text, which.Path)
	again := c.env.Keys.Composer.Writing.Send.Help().Key
	return missing{fmt.Errorf("%w · %s again sends it as plain text", err, again)}
}

// giveBack returns what was not handed over to the composer.
func (c *chat) giveBack() {
	for _, o := range slices.Backward(c.outbox.dropAll()) {
		c.comesBack(o)
	}
}

// comesBack puts what was not handed over before the draft. A command never becomes
// part of a message.
func (c *chat) comesBack(o *outgoing) {
	if o.ran != "" {
		c.leaveLine(o.line)
		return
	}
	c.composer.Prepend(o.text)
}

// recovered puts messages that waited when the program last ended before the
// draft, as they were typed.
func (c *chat) recovered(texts []string) {
	c.returned(texts)
	if len(texts) > 0 {
		c.transcript.Note("what waited to be sent when Plimsoll ended is back in the composer")
	}
}

// returned puts messages that come back before the draft. A command whose output was
// to be added comes where nothing else is written.
func (c *chat) returned(texts []string) {
	var lines []string
	for _, text := range slices.Backward(texts) {
		if _, _, ran := conversation.RanIn(text); ran {
			lines = append(lines, c.outbox.typed(text))
			continue
		}
		c.composer.Prepend(c.outbox.typed(text))
	}
	for _, line := range lines {
		c.leaveLine(typedLine{line, c.keyboard.pressed})
	}
}

// arrived takes what commands of the chat bring back.
func (c *chat) arrived(msg tea.Msg) pane.Action {
	switch msg := msg.(type) {
	case filesMsg:
		c.composer.SetFiles(msg.files)
	case promptsMsg:
		c.composer.SetHistory(msg.texts)
	case shellMsg:
		return c.shellDone(msg)
	case attachedMsg:
		return c.attached(msg)
	case editorMsg:
		if msg.err != nil {
			return missing{msg.err}
		}
		return openEditor(msg)
	case editedMsg:
		if msg.err != nil {
			return missing{msg.err}
		}
		c.composer.SetText(msg.text)
	}
	return nil
}

// typedLine is a command as it was typed.
type typedLine struct {
	text  string
	asked int // the key before it was sent, by keyboard.pressed
}

// leaveLine leaves a line in the composer. Where something was typed since, the next
// letter would become part of it: then the prompt history has it.
func (c *chat) leaveLine(line typedLine) {
	if c.composer.Empty() && line.asked == c.keyboard.pressed {
		c.composer.SetText(line.text)
		return
	}
	c.composer.Keep(line.text)
}

// awaits notes which command the agent answers next.
func (c *chat) awaits(line typedLine) { c.line = line }

// cancel stops the user's own command, or else the turn, or else the summary that
// is being written; queued messages then return. It reports whether there was
// something to stop.
func (c *chat) cancel() bool {
	switch {
	case c.shellRuns():
		c.stopShell()
	case c.session.busy() || c.session.job.on || len(c.outbox.queued) > 0:
		c.session.cancel()
	default:
		return false
	}
	return true
}

// stoppable reports whether something runs that was not told to stop.
func (c *chat) stoppable() bool { return c.shellRuns() || c.session.stoppable() }

// copyReply copies the last reply.
func (c *chat) copyReply() pane.Action {
	text := c.transcript.LastReply()
	if text == "" {
		return refuse("there is no reply to copy yet")
	}
	return several{tea.SetClipboard(text), say("copied the last reply")}
}

// takeBack asks for the queued messages.
func (c *chat) takeBack() {
	if len(c.outbox.queued) > 0 {
		c.session.Session.TakeBack()
	}
}
