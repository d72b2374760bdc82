package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/composer"
	"plimsoll/tui/dialog"
	"plimsoll/tui/gauge"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript"
)

// chat is the main screen: the transcript, the composer, the waiting messages, and the lines around them.
type chat struct {
	env      *env
	session  *session
	keyboard *keyboard
	dialogs  *dialog.Stack // a question of it stands in the flow

	transcript *transcript.Model
	composer   *composer.Model
	gauge      *gauge.Model

	outbox         *outbox
	guideState     guideState
	shell          *shellRun // the running command of the user, or nil
	pendingLine    typedLine // the newest command that still waits for the agent's answer, or zero
	imagesLookedAt string    // mentioned images that the list describes, one a line
	filesListedAt  time.Time // when the files that can be mentioned were last listed

	own         []OwnCommand // commands of the user's own
	ownListedAt time.Time    // when they were last listed

	metering     meter.Reading // as last metered, without draft and reply
	legendWanted bool          // the user opened or closed the line that names the gauge's segments:
	legendChosen bool          // legendWanted counts
	legendDue    bool          // the window of the conversation came near its load line

	panel     panel
	ownStatus ownStatus
	animation animation
	styles    statusStyles
	area      chatArea
}

func newChat(e *env, s *session, keys *keyboard, commands []composer.CommandSpec, ts themeStyles) *chat {
	c := &chat{env: e, session: s, keyboard: keys, styles: ts.status()}
	c.composer = composer.New(composer.Options{
		Placeholder: placeholder,
		Styles:      ts.styles,
		Keys:        &e.Keys.Composer,
		Commands:    commands,
		Estimate:    s.load.estimate,
	})
	c.composer.SetVim(e.Vim)
	c.outbox = &outbox{env: e, session: s, composer: c.composer, keyboard: keys, afterSend: func() { c.transcript.ToEnd() }}
	c.transcript = transcript.New(ts.transcript(), ts.markdown())
	c.transcript.SetZone(e.Now().Location())
	c.gauge = gauge.New(ts.gauge())
	return c
}

func (c *chat) setTheme(ts themeStyles) {
	c.styles, c.panel.shown = ts.status(), panelShown{}
	c.composer.SetStyles(ts.styles)
	c.transcript.SetStyles(ts.transcript(), ts.markdown())
	c.gauge.SetStyles(ts.gauge())
}

// showConversation shows the opened conversation, then the failures since its opening began, and puts a draft into
// the composer. The transcript already shows the first shown events.
func (c *chat) showConversation(faults []string, draft string, shown int) {
	s, screen := c.session, c.env.Keys.Screen
	keys := transcript.Keys{Undo: keyOr(screen.UndoCompaction, ""), View: keyOr(screen.History, "")}
	if s.ReadOnly == "" {
		keys.Retry = keyOr(c.env.Keys.Composer.Writing.Send, "/retry")
	}
	c.transcript.SetKeys(keys)
	c.outbox.returnToDraft(c.outbox.takeQueued()) // they were queued in the conversation that is left
	c.outbox.typedAs = nil
	c.animation.streamingCall, c.pendingLine = "", typedLine{}
	if c.shell != nil && c.shell.conversationID == "" {
		c.shell.conversationID = s.ID
	}
	c.composer.SetBusy(false)
	c.transcript.SetBusy(false)
	c.metering, c.legendDue = s.load.meter.Reading(), false
	c.panel = panel{wanted: c.panel.wanted, chosen: c.panel.chosen}
	if s.outline.HasMessages() || len(s.Events) > 0 {
		s.Session.Inspect() // for what comes next
	}
	c.transcript.SetFactor(s.load.calibration())
	c.transcript.SetPrice(s.resendPrice())
	if shown > 0 { // keep the scroll position
		c.transcript.Discard()
		c.transcript.Append(s.Events[shown:])
	} else {
		c.transcript.Reset(s.Events)
	}
	for _, note := range s.Notes {
		c.transcript.ShowNotice(note)
	}
	c.outbox.returnToDraft(s.Waiting)
	if len(s.Waiting) > 0 {
		c.transcript.ShowNotice("your unsent message is back in the composer")
	}
	for _, fault := range faults {
		c.transcript.ShowError(fault, "")
	}
	if draft != "" {
		c.composer.Prepend(draft)
	}
	c.composer.RestoreDrafts(s.Draft.Text, s.Draft.Stashed)
}

// meterReading is the meter's reading with the draft and the waiting messages.
func (c *chat) meterReading() meter.Reading {
	size, messages := conversation.Size{}, 0
	add := func(s conversation.Size, files []File) {
		size, messages = size.Plus(s), messages+1
		for _, f := range files {
			size.ASCII += f.Tokens * meter.CharsPerToken
			size.Images = size.Images.Plus(f.Images)
		}
	}
	if c.composer.Message() {
		files, _ := c.composer.Mentions()
		add(c.composer.DraftSize(), files)
	}
	for _, waiting := range c.outbox.queued {
		add(waiting.size, nil)
	}
	for _, msg := range c.outbox.unsent {
		add(msg.size, msg.mentions)
	}
	return c.session.load.readingWith(size, messages)
}

// composeKey passes a key to the composer. The action is Ignored if the composer does not use
// the key; wrote reports whether there is a draft now.
func (c *chat) composeKey(k tea.KeyPressMsg) (action pane.Action, wrote bool) {
	named, unknown := c.composer.Mentions() // sending empties the composer
	action = c.composer.Update(k)
	if ignored, is := action.(pane.Ignored); is {
		return ignored, false
	}
	wrote = !c.composer.Empty() // not if the key sent the draft
	if wrote && c.transcript.Selecting() {
		c.transcript.ClearSelection()
	}
	return actionList{c.doComposerAction(action, named, unknown), c.refreshFiles(), c.refreshOwnCommands()}, wrote
}

// doComposerAction sends messages and runs shell commands; slash commands are returned to the caller.
func (c *chat) doComposerAction(action pane.Action, named []File, unknown []string) pane.Action {
	switch a := action.(type) {
	case composer.Submit:
		return c.outbox.send(c.outbox.newMessage(a.Text, named, unknown))
	case composer.UnknownCommand:
		text := "unknown command /" + a.Name
		if a.Nearest != "" {
			text += "; did you mean /" + a.Nearest + "?"
		} else {
			text += "; /help lists the commands"
		}
		return refusal(text)
	case composer.Shell:
		return c.startShell(a.Command, a.Add)
	case composer.Copied:
		return copyText(a.Text, "the selection")
	case composer.Editor:
		return c.editDraft(a.Text)
	}
	return action
}

// maxFilesAge is the age at which the list of files is read again for a mention.
const maxFilesAge = 10 * time.Second

// refreshFiles lists the files again if one is being mentioned and the list is stale.
func (c *chat) refreshFiles() tea.Cmd {
	images := strings.Join(c.composer.Images(), "\n")
	isNew := images != "" && images != c.imagesLookedAt
	if !isNew && (!c.composer.Mentioning() || c.env.Now().Sub(c.filesListedAt) < maxFilesAge) {
		return nil
	}
	return c.loadFiles()
}

func (c *chat) loadFiles() tea.Cmd {
	c.filesListedAt = c.env.Now()
	images := c.composer.Images()
	c.imagesLookedAt = strings.Join(images, "\n")
	list := func(ctx context.Context) ([]File, error) { return c.env.Backend.Files(ctx, images) }
	return loadInto(c.env, "listing files for @", list, c.composer.SetFiles)
}

// loadInto reads a list that the composer offers and sets it.
func loadInto[T any](e *env, doing string, what func(context.Context) (T, error), set func(T)) tea.Cmd {
	ctx := e.ctx
	return doAsync(func() (T, error) { return what(ctx) }, func(got T, err error) pane.Action {
		if err != nil {
			return failureSnackbar(fmt.Errorf("%s: %w", doing, err))
		}
		set(got)
		return nil
	})
}

func (c *chat) editDraft(draft string) pane.Action {
	return c.env.openEditor(draft, c.replaceDraft(draft))
}

// replaceDraft returns a function that replaces the draft by the edited text, unless the composer has another draft
// by then, such as that of another conversation.
func (c *chat) replaceDraft(draft string) func(text string) {
	return func(text string) {
		if c.composer.Draft() == draft {
			c.composer.SetText(text)
			return
		}
		c.composer.RestoreDrafts(text, "")
	}
}

// cancel stops the user's command, or else the turn, or else the summary that is being written; queued messages
// then return to the composer. It reports whether there was something to stop.
func (c *chat) cancel() bool {
	switch {
	case c.shell.running():
		c.shell.stopped = true
		c.shell.cancel() // its output so far is shown
	case c.outbox.runningOwnCommand() != nil:
		c.outbox.runningOwnCommand().stop()
	case c.session.activity.busy() || c.session.activity.summary.running || len(c.outbox.queued) > 0:
		if summary := &c.session.activity.summary; summary.running && !c.session.activity.turnRuns() { // else the turn is stopped first
			summary.stoppedByUser = true
		}
		c.session.Session.Cancel()
	default:
		return false
	}
	return true
}

// keepTicking starts the tick that moves the spinner, if something runs, the terminal has the focus, and no tick is pending.
func (c *chat) keepTicking() pane.Action {
	if c.animation.tickPending || c.animation.unfocused || !c.session.activity.isRunning() && c.shell == nil {
		return nil
	}
	c.animation.tickPending = true
	const every = 200 * time.Millisecond
	return tea.Tick(every, func(t time.Time) tea.Msg { return tickMsg{c, t} })
}

// copyText copies a text to the clipboard and shows a snackbar.
func copyText(text, what string) pane.Action {
	return actionList{tea.SetClipboard(text), textSnackbar("copied " + what)}
}

// copyReply copies the last reply, or a code block of it, sanitised because it may be pasted into a shell.
func (c *chat) copyReply(args string) pane.Action {
	text := plain.Text(c.transcript.LastReply())
	switch {
	case text == "":
		return refusal("there is no reply to copy yet")
	case args == "":
		return copyText(text, "the last reply")
	case args != "code":
		return refusal("usage: /copy [code]")
	}
	blocks := c.transcript.LastCode()
	switch len(blocks) {
	case 0:
		return refusal("the last reply has no code block")
	case 1:
		return copyText(blocks[0].Text(), "the code block")
	}
	items := make([]dialog.Item, len(blocks))
	for i, b := range blocks {
		items[i] = dialog.Item{ID: b.Text(), Title: strings.TrimSpace(b.Lines[0]),
			Columns: []string{numbers.Count(len(b.Lines), "line"), b.Language}}
	}
	return open(dialog.PickerOptions{Title: "Copy a code block", Items: items,
		Choose: func(code, _ string) pane.Action { return copyText(code, "the code block") }})
}

// chatArea is the size of the chat and its layout.
type chatArea struct {
	width, height int
	plan          layoutPlan
}

// layoutPlan is the layout of the chat: which lines it has and how many.
type layoutPlan struct {
	header, rule, status, hints bool
	intro                       []string         // the welcome of an empty conversation
	bodyLines                   int              // lines of the transcript
	summaryLine                 summaryLinePlace // the line of the summary that is being written
	todos                       []string         // the model's checklist
	queued                      []string         // the waiting messages
	question                    dialog.Flow      // in the flow; no lines without one
	composerLines               int              // lines of the composer
	legend                      bool             // a line below the gauge names its segments
}

// bodyTop is the first line of the transcript.
func (p layoutPlan) bodyTop() int { return pane.CountTrue(p.header, p.rule) + len(p.intro) }

func (p layoutPlan) composerTop() int {
	return p.bodyTop() + p.bodyLines + pane.CountTrue(p.summaryLine.hasOwnRow(p.bodyLines), p.status) + len(p.todos) + len(p.queued) + len(p.question.Lines)
}

// summaryLinePlace is the position of the line about a summary.
type summaryLinePlace struct {
	visible bool
	row     int // below the top of the transcript; its height if the line is below it
}

// hasOwnRow reports whether the line has a row of its own below the transcript.
func (p summaryLinePlace) hasOwnRow(body int) bool { return p.visible && p.row == body }
