package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent"
	"plimsoll/conversation"
	"plimsoll/themes"
	"plimsoll/tui/composer"
	"plimsoll/tui/overlay"
)

// IDs of dialogs. Those about a call begin with aboutCall: what a server calls
// its calls must not be taken for another dialog.
const (
	aboutCall = "call/"

	dialogModels   = "pick/model"
	dialogThemes   = "pick/theme"
	dialogTalks    = "pick/conversation"
	dialogProfiles = "pick/profile"
	dialogRules    = "pick/rule"
	dialogDelete   = "confirm/delete"
	dialogRevoke   = "confirm/revoke/" // and the number of the rule in the list
	dialogPage     = "page/text"
	dialogHelp     = "page/help"
)

// dialogOf is the dialog that a call needs.
func dialogOf(u agent.AskApproval) overlay.Dialog {
	if u.Review.Need == conversation.NeedAnswer {
		return overlay.NewAsk(aboutCall+u.Call.ID, u.Review.Question, u.Review.Options)
	}
	return overlay.NewApprove(aboutCall+u.Call.ID, u.Review)
}

// push opens a dialog. The release of a mouse button that is down would go to
// it.
func (m *Model) push(d overlay.Dialog) {
	m.transcript.ClearSelection()
	m.overlays.Push(d, m.options.Now())
}

// reply gives the answer to the question of a call, whose dialog is gone.
func (m *Model) reply(id string, answer conversation.Answer) {
	callID, ok := strings.CutPrefix(id, aboutCall)
	if !ok {
		return
	}
	m.questions = slices.DeleteFunc(m.questions, func(q question) bool { return q.callID == callID })
	m.talk.Session.Answer(callID, answer)
}

// closeQuestion closes the dialog of a call that needs no answer any more.
func (m *Model) closeQuestion(callID string) {
	m.questions = slices.DeleteFunc(m.questions, func(q question) bool {
		if q.callID != callID {
			return false
		}
		m.overlays.Remove(q.dialog, m.options.Now())
		return true
	})
}

// closeTop closes the dialog that has the keys without an answer: to a call
// that means no.
func (m *Model) closeTop() tea.Cmd {
	top := m.overlays.Top()
	if m.door.consent != nil && slices.ContainsFunc(m.questions, func(q question) bool { return q.dialog == top && q.callID == dialogConsent }) {
		return m.consented(false)
	}
	for _, q := range m.questions {
		if q.dialog == top {
			m.reply(aboutCall+q.callID, conversation.Answer{Grant: conversation.GrantNo})
			break
		}
	}
	m.overlays.Pop(m.options.Now())
	return nil
}

// picked carries out a choice.
func (m *Model) picked(p overlay.Picked) tea.Cmd {
	switch p.ID {
	case dialogModels:
		return m.switchModel(p.Item)
	case dialogThemes:
		return m.setTheme(p.Item)
	case dialogTalks:
		return m.resume(p.Item)
	case dialogProfiles:
		return m.setProfile(p.Item)
	case dialogRules:
		return m.rulePicked(p.Item)
	case dialogPalette:
		return m.fromPalette(p.Item)
	case dialogRewind:
		return m.pickBack(p.Item)
	case dialogBack:
		way, event, _ := strings.Cut(p.Item, " ")
		seq, _ := strconv.ParseUint(event, 10, 64) // as pickBack wrote it
		return m.goBackTo(way, seq)
	}
	return nil
}

// confirmed carries out the answer to a question with two answers.
func (m *Model) confirmed(c overlay.Confirmed) tea.Cmd {
	switch {
	case c.ID == dialogConsent:
		return m.consented(c.Yes)
	case c.ID == dialogDelete && c.Yes:
		return m.enter(m.options.Backend.Delete)
	}
	if rule, ok := strings.CutPrefix(c.ID, dialogRevoke); ok && c.Yes {
		return m.revoke(itemRule + rule)
	}
	return nil
}

func (m *Model) pickModel(msg modelsMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		return m.miss(msg.err)
	case !m.still(msg.asked):
		return m.say("the models are listed: /model shows them", false)
	}
	items := make([]overlay.Item, len(msg.choices))
	for i, c := range msg.choices {
		items[i] = overlay.Item{ID: c.Name, Title: c.Name, Detail: c.Note, Current: c.Name == m.talk.Model.Name()}
	}
	m.pick(overlay.PickerOptions{ID: dialogModels, Title: "Model", Items: items, Empty: "no model can be reached; /connect says how"})
	return nil
}

func (m *Model) pickTheme() {
	items := []overlay.Item{{ID: "auto", Title: "auto", Detail: "asks the terminal", Current: m.options.Theme == "auto"}}
	for _, name := range themes.Names() {
		items = append(items, overlay.Item{ID: name, Title: name, Current: m.options.Theme == name})
	}
	m.pick(overlay.PickerOptions{ID: dialogThemes, Title: "Theme", Items: items})
}

func (m *Model) pickConversation(msg conversationsMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		return m.miss(msg.err)
	case !m.still(msg.asked):
		return m.say("the conversations are listed: /resume shows them", false)
	}
	items := make([]overlay.Item, len(msg.list))
	for i, s := range msg.list {
		items[i] = overlay.Item{ID: s.ID, Title: s.Title, Detail: s.Note, Current: s.ID == m.talk.ID}
	}
	m.pick(overlay.PickerOptions{ID: dialogTalks, Title: "Continue", Items: items, Empty: "no conversation is stored yet"})
	return nil
}

func (m *Model) pick(o overlay.PickerOptions) {
	m.push(overlay.NewPicker(o))
}

func (m *Model) confirmDelete() {
	m.push(overlay.NewConfirm(overlay.ConfirmOptions{ID: dialogDelete, Title: "Delete",
		Question: "Remove this conversation for good? Nothing of it can be brought back.",
		Yes:      "delete it", No: "keep it", Danger: true}))
}

func (m *Model) showPage(msg pageMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		return m.miss(msg.err)
	case !m.still(msg.asked):
		return m.kept(msg.title, msg.text)
	}
	m.show(msg.title, msg.text)
	return nil
}

// show opens a page of text.
func (m *Model) show(title, text string) {
	m.push(overlay.NewText(dialogPage, title, text))
}

// showHelp opens the help, made from the keymaps and the commands.
func (m *Model) showHelp() {
	writing := m.composer.Keys()
	groups := []overlay.Group{
		overlay.KeyGroup("Writing", writing...),
		overlay.KeyGroup("Screen", m.options.Keys.Screen.Bindings()...),
		commandGroup(),
		{Title: "At the start of a line", Entries: []overlay.Entry{
			{Name: "@FILE", What: "add a file's text to the message; @FILE:3-9 some lines of it"},
			{Name: "@FOLDER/", What: "add the names of what is in a folder"},
			{Name: "!COMMAND", What: "run a command; the model reads its output with your next message"},
			{Name: "!!COMMAND", What: "run a command; only you see its output"},
		}},
	}
	groups = append(groups, overlay.KeyGroup("Moving in full-screen views", bindingsIn(m.options.Keys.History.Moves)...))
	for _, v := range m.options.Keys.views() {
		groups = append(groups, overlay.KeyGroup(v.title, bindingsIn(v.keys)...))
	}
	dialogs := m.options.Keys.Dialogs
	groups = append(groups, overlay.KeyGroup("Dialogs", append(bindingsIn(dialogs.Moves), bindingsIn(dialogs.Answers)...)...),
		overlay.KeyGroup("Lines to type in, and texts", bindingsIn(m.options.Keys.Review.Edit)...))
	m.push(overlay.NewHelp(dialogHelp, groups))
}

// commandGroup is the slash commands as the help shows them.
func commandGroup() overlay.Group {
	g := overlay.Group{Title: "Commands"}
	for _, c := range slashCommands() {
		g.Entries = append(g.Entries, overlay.Entry{Name: commandName(c.CommandSpec), What: c.Help})
	}
	return g
}

func commandName(c composer.CommandSpec) string {
	name := "/" + c.Name
	if c.Args != "" {
		name += " " + c.Args
	}
	return name
}
