package tui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/tui/gauge"
	"plimsoll/tui/pane"
	"plimsoll/tui/welcome"
)

// The main screen shows, from top to bottom: header, rule, transcript, status line, checklist,
// waiting messages, a question, composer, gauge, hints. On a low terminal the rule is left out first,
// then the hints and the empty status line, then the header, then the box
// around the composer; the gauge is always shown. The screen has exactly the size of the terminal.

// minHintsHeight is the minimum height at which the hints are shown.
const minHintsHeight = 10

// minBody is the number of lines of the transcript that waiting messages, the checklist and the line about a summary leave.
const minBody = 3

// minRuleHeight is the least height of a screen with a rule below the header.
const minRuleHeight = 16

// minAskedDraft and minAskedEmpty are the least heights of a screen that shows a draft, and an empty composer, below a question.
// Below a question of up to shortText lines an empty composer stands from minAskedDraft on, too.
const minAskedDraft, minAskedEmpty, shortText = 20, 30, 3

// layout computes the layout of the chat. It runs after every message.
func (c *chat) layout(around surroundings) {
	width, height := c.area.width, c.area.height
	if width == 0 || height == 0 {
		return
	}
	c.gauge.SetNext(c.nextForms(c.meterReading()))
	if !c.session.activity.summary.running {
		c.gauge.SetGoing(gauge.Tokens{})
	}
	asks := c.dialogs.WantsFlow() && !around.viewOpen
	c.updateGuide(asks)
	p := layoutPlan{header: height >= 8, rule: height >= minRuleHeight, status: height >= 10, hints: height >= minHintsHeight,
		legend: c.legendOpen()}
	p.composerLines = min(c.composer.Height(), height-1)
	below := pane.CountTrue(height >= minAskedDraft) // an empty row
	if asks {
		if !c.dialogs.InFlow() { // its lines are counted at the width that it will have
			c.dialogs.SetFlow(height)
		}
		// Where there is room, the composer is only seen until the question is answered, and status line and legend with it.
		seen := height >= minAskedEmpty || below > 0 && (!c.composer.Empty() || c.dialogs.TextLines() <= shortText)
		p.composerLines, p.status, p.legend = min(p.composerLines, 3*pane.CountTrue(seen)), seen, seen && p.legend
	}
	free := height - 1 - p.composerLines - pane.CountTrue(p.header, p.rule, p.status, p.hints, p.legend)
	body := max(minBody-1, free/3)
	if height < minRuleHeight { // the last line of the reason is enough
		body = 2
	}
	c.dialogs.SetFlow((free - below - body) * pane.CountTrue(asks))
	asked := ""
	if c.dialogs.InFlow() {
		asked = around.askedCall
		p.question = c.dialogs.Flow()
		p.question.Lines = append(p.question.Lines, make([]string, below)...)
		free -= len(p.question.Lines)
	}
	c.transcript.SetAsked(asked)
	if !p.status && free >= 2 && !c.status(around).isEmpty() {
		p.status = true
		free--
	}
	if lines := min(maxQueued, max(free-minBody, min(1, free-1))); lines > 0 {
		p.queued = queuedLines(c.outbox.waitingMessages(), c.unqueueHint(), c.styles.subtle, lines, width)
	}
	p.bodyLines = max(0, c.placeTodos(&p, free-len(p.queued)))
	c.transcript.SetSize(c.bodyWidth(), p.bodyLines)
	if !c.transcript.HasMessages() {
		p.intro = c.welcomeLines(p.bodyLines)
		p.bodyLines -= len(p.intro)
		c.transcript.SetSize(c.bodyWidth(), p.bodyLines)
	}
	c.placeSummaryLine(&p)
	c.area.plan = p
}

// welcomeLines returns the lines of the welcome that fit above the notices of the transcript.
func (c *chat) welcomeLines(free int) []string {
	const around = 8 // lines of everything else, while no list is open
	lines := c.welcome(false)
	if len(lines) > c.area.height-around {
		lines = c.welcome(true)
	}
	if c.area.height >= minHullHeight { // above the middle: a list that opens below does not move it
		lines = append(make([]string, max(0, c.area.height-around-len(lines))/3), lines...)
	}
	for i, line := range lines {
		lines[i] = pane.TextMargin(c.bodyWidth()) + line
	}
	return lines[:max(0, min(len(lines), free-c.transcript.CountLines(free)))]
}

// offersConnect reports whether the visible welcome offers to connect a model: only the demo
// model can be used so far. provider is set if only its key is missing.
func (c *chat) offersConnect() (provider string, yes bool) {
	s := c.session
	provider = missingKeyProvider(s)
	unusable := s.isOpen && (s.Model.Badge != "" || provider != "") || !s.isOpen && s.openError != ""
	return provider, len(c.area.plan.intro) > 0 && unusable
}

// sendsAgain reports whether the key that sends an empty draft sends the failed turn again.
func (c *chat) sendsAgain() bool {
	return c.transcript.Failed() && !c.session.readOnly() && !c.session.activity.busy()
}

// minHullHeight is the minimum height of a screen whose welcome has the mark on its hull.
const minHullHeight = 28

// welcome returns the lines of the welcome that an empty conversation shows.
func (c *chat) welcome(brief bool) []string {
	s := c.session
	r := c.meterReading()
	return welcome.Card(welcome.Content{
		Hull: c.area.height >= minHullHeight && r.Window.IsKnown(), Percent: r.Percent(r.AfterSend), Open: s.isOpen,
		Failed: s.openError, Model: s.Model.Name(), Badge: s.Model.Badge, Keyless: missingKeyProvider(s), Found: s.Found,
		Keys: c.stepKeys(), Connect: keyOr(c.env.Keys.Composer.Writing.Send, "/connect"),
	}, c.styles.welcome, pane.TextWidth(c.bodyWidth()), brief)
}

// stepKeys returns the keys that the steps of the first-minute guide mention.
func (c *chat) stepKeys() welcome.Keys {
	screen := c.env.Keys.Screen
	return welcome.Keys{Complete: keyOr(c.env.Keys.Composer.Writing.Complete, ""),
		Undo: keyOr(screen.UndoCompaction, "/undo-compact"), History: keyOr(screen.History, "/history")}
}

// placeholder is the text of an empty composer.
const placeholder = "Ask something. / for commands, @ for files, ? for help"

// askedPlaceholder is its text while a question waits for an answer.
const askedPlaceholder = "Answer the question above; then you can write here."

// readOnlyPlaceholder is its text if no message can be sent.
const readOnlyPlaceholder = "A draft stays here. / for commands, ? for help"

// guideState is the state from which the next suggestion of the composer follows.
type guideState struct {
	isDemo, hasMessages bool
	placeholder         string // that of a question that waits, or of a read-only conversation, instead of a suggestion
	conversationID      string
	events              int // number of events of the conversation
}

// updateGuide sets the placeholder and the suggestions of the composer. With the demo model they
// are the next step of the first-minute guide.
func (c *chat) updateGuide(asks bool) {
	s := c.session
	now := guideState{isDemo: s.isOpen && s.Model.Badge != "", hasMessages: c.transcript.HasMessages(),
		conversationID: s.ID, events: len(s.log)}
	switch {
	case asks:
		now.placeholder = askedPlaceholder
	case s.ReadOnly == "":
	case c.area.height < minHintsHeight: // there is no bottom line that would say it
		now.placeholder = readOnlyTexts(s, c.env.Keys)[0]
	case !s.Elsewhere.Closed:
		now.placeholder = readOnlyPlaceholder
	default:
		now.placeholder = placeholder
	}
	if now == c.guideState {
		return
	}
	c.guideState = now
	c.composer.SetAside(asks)
	switch {
	case now.placeholder != "":
		c.composer.Suggest(now.placeholder, nil)
	case !now.isDemo:
		c.composer.Suggest(placeholder, nil)
	case !now.hasMessages:
		c.composer.Suggest(placeholder, welcome.Suggestions())
	default:
		step := welcome.Next(s.log, c.stepKeys())
		c.composer.Suggest(step.Words, []string{step.Text})
	}
}

func (c *chat) status(around surroundings) *statusLine { return &statusLine{around, c} }

// moreBelow says that the transcript continues below the visible part; "" if it does not, or a view covers it.
func (c *chat) moreBelow(around surroundings) string {
	if around.viewOpen || c.transcript.Following() {
		return ""
	}
	if n := c.transcript.Unseen(); n > 0 {
		return fmt.Sprintf("↓ %d new", n)
	}
	return "↓ more"
}

// unqueueHint names the keys that return queued messages to the composer, if the screen is
// wide enough. Cancel is not one while it would only stop a summary.
func (c *chat) unqueueHint() string {
	if c.area.width < 60 || len(c.outbox.queued) == 0 {
		return ""
	}
	screen := c.env.Keys.Screen
	keys := helpKeys(screen.Cancel, screen.TakeBack)
	if !c.session.activity.turnRuns() {
		keys = helpKeys(screen.TakeBack)
	}
	if keys == "" {
		return ""
	}
	return "  (" + keys + " to edit)"
}

// gaugeLine is the gauge, or a placeholder until the first conversation is open.
func (c *chat) gaugeLine(width int) string {
	r := c.meterReading()
	if !c.session.isOpen && r.AfterSend == 0 {
		return ansi.Truncate(c.styles.subtle.Render("measuring…"), width, "")
	}
	return c.gauge.View(r, width)
}

func (c *chat) content(around surroundings) (string, *tea.Cursor) {
	p, width := c.area.plan, c.area.width
	lines := make([]string, 0, 16+len(p.intro))
	if p.header {
		lines = append(lines, c.header())
	}
	if p.rule {
		lines = append(lines, pane.Margin(width)+c.styles.rule.Render(strings.Repeat("─", pane.Within(width))))
	}
	upper := p.intro
	if p.bodyLines > 0 {
		upper = append(slices.Clip(upper), c.addSummaryLine(around, c.transcript.View()))
	}
	if len(upper) > 0 {
		lines = append(lines, c.besidePanel(strings.Join(upper, "\n")))
	}
	if p.status {
		lines = append(lines, c.status(around).draw())
	}
	lines = append(lines, p.todos...)
	lines = append(lines, p.queued...)
	lines = append(lines, p.question.Lines...)
	box, cursor := c.composerBox()
	if p.composerLines > 0 {
		lines = append(lines, box)
	}
	first := pane.Indent(width) / 2 // the edge of the gauge is before its first cell
	lines = append(lines, strings.Repeat(" ", pane.Gutter(width)+first)+c.gaugeLine(pane.Within(width)-first))
	if p.legend {
		lines = append(lines, pane.TextMargin(width)+c.gauge.Legend(c.meterReading(), pane.TextWidth(width)))
	}
	if p.hints {
		lines = append(lines, c.hints())
	}
	if asked := p.question; len(asked.Lines) > 0 {
		if cursor = asked.Cursor; cursor != nil {
			cursor.Y += p.composerTop() - len(asked.Lines)
		}
	}
	return strings.Join(lines, "\n"), cursor
}

func (c *chat) firstComposerLine() int {
	tall, free := c.composer.Height(), c.area.plan.composerLines
	if cursor := c.composer.Cursor(); free < tall && cursor != nil {
		return min(cursor.Y, tall-free)
	}
	return 0
}

// composerBox draws the composer, or only the lines around its cursor if the screen is too low.
func (c *chat) composerBox() (string, *tea.Cursor) {
	p, lines, cursor := c.area.plan, strings.Split(c.composer.View(), "\n"), c.composer.Cursor()
	first := c.firstComposerLine()
	if p.composerLines < c.composer.Height() && cursor != nil {
		lines = lines[first : first+p.composerLines]
	}
	view := strings.Join(pane.Inset(lines, c.area.width), "\n")
	if cursor == nil || p.composerLines == 0 {
		return view, nil
	}
	cursor.X += pane.Gutter(c.area.width)
	cursor.Y += p.composerTop() - first
	return view, cursor
}

// hints is the bottom line: the most useful keys, whether automatic summaries are
// paused, and the permission mode.
func (c *chat) hints() string {
	st, keys, width := c.styles, c.env.Keys.Composer.Writing, pane.TextWidth(c.area.width)
	if c.session.ReadOnly != "" {
		return pane.TextMargin(c.area.width) + readOnlyLine(c.session, c.env.Keys, c.styles, width)
	}
	mode := ansi.Truncate(string(c.session.Mode), width, "")
	hint := func(b key.Binding, what string) string {
		if !b.Enabled() {
			return ""
		}
		return b.Help().Key + " " + what
	}
	expand := ""
	if c.transcript.HasMessages() {
		expand = hint(c.env.Keys.Screen.Expand, "details")
	}
	newline, _, _ := strings.Cut(hint(keys.Newline, "newline"), " (")
	send := hint(keys.Send, "send")
	if c.session.activity.busy() {
		send = hint(keys.Send, "queue")
	}
	if c.composer.Empty() {
		switch _, connects := c.offersConnect(); {
		case len(c.session.runningTasks) > 0:
			send = hint(keys.Send, "open a task")
		case c.sendsAgain():
			send = hint(keys.Send, "send again")
		case connects:
			send = hint(keys.Send, "connect a model")
		}
	}
	free := width - ansi.StringWidth(mode) - 1
	right := st.accent.Render(mode)
	if c.session.Mode == conversation.ModeYolo {
		right = st.failure.Render(mode)
	}
	if note := "summaries paused"; c.session.summariesPaused && len(note)+2 <= free {
		right, free = st.warning.Render(note)+"  "+right, free-len(note)-2
	}
	hints := []string{send, newline, "/ commands", "@ files", hint(keys.Help, "help"), expand}
	if own := c.ownStatus.text; own != "" {
		hints = []string{own}
	}
	if asked := c.area.plan.question; len(asked.Lines) > 0 {
		hints = asked.Hints
	}
	text := pane.Clip(pane.Joined(hints, free), free)
	gap := max(1, width-ansi.StringWidth(text)-ansi.StringWidth(right))
	return pane.TextMargin(c.area.width) + ansi.Truncate(st.subtle.Render(text)+strings.Repeat(" ", gap)+right, width, "")
}

// placeSummaryLine puts the line about a summary below the newest reply: on the second
// empty row of the transcript, or else on a row of its own below it.
func (c *chat) placeSummaryLine(p *layoutPlan) {
	if !c.session.activity.summary.running || p.bodyLines < minBody {
		return
	}
	used := c.transcript.CountLines(p.bodyLines)
	p.summaryLine = summaryLinePlace{visible: true, row: used + 1}
	if used+2 > p.bodyLines {
		p.bodyLines--
		c.transcript.SetSize(c.bodyWidth(), p.bodyLines)
		p.summaryLine.row = p.bodyLines
	}
}

func (c *chat) addSummaryLine(around surroundings, view string) string {
	p := c.area.plan
	if !p.summaryLine.visible {
		return view
	}
	line := pane.TextMargin(c.area.width) + c.styles.subtle.Render(c.status(around).summaryText(pane.TextWidth(c.bodyWidth())))
	if p.summaryLine.hasOwnRow(p.bodyLines) {
		return view + "\n" + line
	}
	rows := strings.Split(view, "\n")
	rows[min(p.summaryLine.row, len(rows)-1)] = line
	return strings.Join(rows, "\n")
}

// handleMouse handles a mouse message: it scrolls, selects and unfolds.
func (c *chat) handleMouse(msg tea.MouseMsg) pane.Action {
	at, p := msg.Mouse(), c.area.plan
	y := at.Y - p.bodyTop()
	if c.composer.Mouse(msg, at.X-pane.Gutter(c.area.width), at.Y-p.composerTop()+c.firstComposerLine(), c.env.Now()) {
		c.transcript.ClearSelection()
		return nil
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		if by := pane.Wheel(msg); by != 0 {
			c.transcript.ScrollBy(by)
		}
	case tea.MouseClickMsg:
		if at.Y == p.composerTop()+p.composerLines { // the gauge
			c.toggleLegend()
		}
		if at.Button == tea.MouseLeft && y >= 0 && y < c.transcript.Height() && at.X < c.bodyWidth() {
			c.composer.Deselect()
			c.transcript.Press(at.X, y)
		}
	case tea.MouseMotionMsg:
		if at.Button == tea.MouseLeft {
			c.transcript.Drag(at.X, y)
		}
	case tea.MouseReleaseMsg:
		switch r := c.transcript.Release(); {
		case r.Text != "":
			return copyText(r.Text, "the selection")
		case r.Undo != 0:
			return pane.Undo{Epoch: r.Undo}
		case r.View != 0:
			return pane.Jump{Event: r.View}
		case r.Task != "":
			return c.session.openTaskOf(r.Task)
		}
	}
	return nil
}
