package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent/llm"
	"plimsoll/conversation/plain"
	"plimsoll/themes"
	"plimsoll/tui/choices"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript/markdown"
)

// The lists of models and of stored conversations. Both stay open while items are
// marked, sorted, renamed and removed; what is changed is changed in the list at once,
// or once it was done, and what fails is said in it.

// lists is what the newest list shows.
type lists struct {
	env     *env
	session *session

	picker *overlay.Picker // nil before the first one; it may be closed
	models []ModelChoice
	stored []Stored
	order  choices.Order
	asked  string // the conversation whose last exchange is being read
}

// previewLines is how many lines of the last exchange are shown at most.
const previewLines = 6

// openModels lets the user choose a model, and how much it reasons.
func (l *lists) openModels(models []ModelChoice) pane.Action {
	l.models = models
	choices.SortModels(l.models)
	efforts := append([]string{autoEffort}, llm.Efforts()...)
	l.picker = overlay.NewPicker(overlay.PickerOptions{ID: dialogModels, Title: "Model", Items: l.modelItems(),
		Empty: "no model can be reached; /connect says how", Heads: choices.ModelDetails(l.models).Heads, Acts: []overlay.Act{overlay.ActFavorite},
		Dial: &overlay.Dial{Name: "effort", Values: efforts, At: max(slices.Index(efforts, l.session.Model.Effort), 0)}})
	return openDialog{l.picker}
}

func (l *lists) modelItems() []overlay.Item {
	details, items := choices.ModelDetails(l.models), make([]overlay.Item, len(l.models))
	for i, m := range l.models {
		items[i] = overlay.Item{ID: m.Name, Title: m.Name, Details: details.Of(i), Current: m.Name == l.session.Model.Name(), Fixed: m.Plain}
		if m.Favorite {
			items[i].Mark = "★"
		} else if m.Recent > 0 {
			items[i].Mark = "· recent"
		}
	}
	return items
}

// pickedModel talks to a model of the list; one whose provider has no key is connected
// first.
func (l *lists) pickedModel(p overlay.Picked, asked int) tea.Cmd {
	i := slices.IndexFunc(l.models, func(m ModelChoice) bool { return m.Name == p.Item })
	switch {
	case i >= 0 && l.models[i].NoKey:
		provider, _, _ := strings.Cut(p.Item, "/")
		return l.env.loadProviders(provider, asked)
	case p.Value != "" && p.Item == l.session.Model.Name():
		return l.env.switchModel(p.Value)
	case p.Value != "":
		return l.env.switchModel(p.Item + " " + p.Value)
	}
	return l.env.switchModel(p.Item)
}

// openConversations lets the user choose the conversation to continue.
func (l *lists) openConversations(stored []Stored) pane.Action {
	l.stored, l.asked = stored, ""
	choices.SortConversations(l.stored, l.order)
	l.picker = overlay.NewPicker(overlay.PickerOptions{ID: dialogConversations, Title: l.title(), Items: l.storedItems(),
		Empty: "no conversation is stored yet", Preview: previewLines,
		Acts: []overlay.Act{overlay.ActRename, overlay.ActRemove, overlay.ActFork, overlay.ActSort}})
	return several{openDialog{l.picker}, l.preview()}
}

func (l *lists) title() string { return fmt.Sprintf("Continue · %s", l.order) }

func (l *lists) storedItems() []overlay.Item {
	details, items := choices.ConversationDetails(l.stored), make([]overlay.Item, len(l.stored))
	for i, c := range l.stored {
		items[i] = overlay.Item{ID: c.ID, Title: c.Title, Details: details.Of(i), Current: c.ID == l.session.ID}
	}
	return items
}

// preview reads the last exchange of the selected conversation, one at a time.
func (l *lists) preview() pane.Action {
	id := l.picker.Wanted()
	if id == "" || l.asked != "" {
		return nil
	}
	l.asked = id
	ctx, b := l.env.ctx, l.env.Backend
	return tea.Cmd(func() tea.Msg {
		question, reply, err := b.LastExchange(ctx, id)
		return exchangeMsg{id, exchange(question, reply), err}
	})
}

// exchange is a message and its reply as a list shows them: a line each, without the marks
// of Markdown.
func exchange(question, reply string) string {
	shown := ansi.Strip(strings.Join(markdown.New(themes.MarkdownStyle{}, markdown.Measure).Render(plain.Text(reply)), " "))
	var lines []string
	for _, said := range []struct{ who, text string }{{"You:   ", question}, {"Reply: ", shown}} {
		if words := strings.Join(strings.Fields(said.text), " "); words != "" {
			lines = append(lines, said.who+words)
		}
	}
	return strings.Join(lines, "\n")
}

// previewed shows it, and reads the next one if another is selected by now.
func (l *lists) previewed(msg exchangeMsg) pane.Action {
	if l.asked != msg.id {
		return nil
	}
	l.asked = ""
	if msg.err != nil {
		msg.text = msg.err.Error()
	}
	l.picker.SetPreview(msg.id, msg.text)
	return l.preview()
}

// acted does what a key of a list asks for.
func (l *lists) acted(a overlay.Acted) pane.Action {
	switch a.Act {
	case overlay.ActFavorite:
		return l.favor(a.Item)
	case overlay.ActSort:
		l.order = l.order.Next()
		choices.SortConversations(l.stored, l.order)
		l.picker.SetTitle(l.title())
		l.picker.SetItems(l.storedItems())
		return l.preview()
	case overlay.ActRename:
		return l.rename(a.Item, a.Text)
	case overlay.ActRemove:
		return l.remove(a.Item)
	}
	return l.fork(a.Item)
}

// favor marks a model as a favorite, or no longer.
func (l *lists) favor(name string) pane.Action {
	i := slices.IndexFunc(l.models, func(m ModelChoice) bool { return m.Name == name })
	on := !l.models[i].Favorite
	l.models[i].Favorite = on
	l.picker.SetItems(l.modelItems()) // the order stays: what one just marked does not run away
	ctx, b := l.env.ctx, l.env.Backend
	return tea.Cmd(func() tea.Msg { return doneMsg{b.Favor(ctx, name, on)} })
}

func (l *lists) rename(id, title string) pane.Action {
	if id == l.session.ID && !l.session.readOnly() {
		l.renamed(id, title)
		return l.session.rename(title)
	}
	ctx, b := l.env.ctx, l.env.Backend
	return tea.Cmd(func() tea.Msg { return shelfMsg{id, title, b.RenameStored(ctx, id, title)} })
}

func (l *lists) remove(id string) pane.Action {
	ctx, b := l.env.ctx, l.env.Backend
	if id == l.session.ID && !l.session.readOnly() {
		return several{closeDialog{l.picker}, enter{open: b.Delete}}
	}
	return tea.Cmd(func() tea.Msg { return shelfMsg{id, "", b.RemoveStored(ctx, id)} })
}

func (l *lists) fork(id string) pane.Action {
	b := l.env.Backend
	open := func(ctx context.Context) (Conversation, error) { return b.ForkStored(ctx, id) }
	if id == l.session.ID {
		open = b.Fork
	}
	return several{closeDialog{l.picker}, enter{open: open}}
}

// changed shows that a stored conversation was renamed or removed, or why not.
func (l *lists) changed(msg shelfMsg) pane.Action {
	switch {
	case l.picker == nil:
		return nil
	case msg.err != nil:
		l.picker.Failed(msg.err.Error())
	case msg.title != "":
		l.renamed(msg.id, msg.title)
	default:
		l.stored = slices.DeleteFunc(l.stored, func(c Stored) bool { return c.ID == msg.id })
		l.picker.SetItems(l.storedItems())
	}
	return l.preview()
}

func (l *lists) renamed(id, title string) {
	for i := range l.stored {
		if l.stored[i].ID == id {
			l.stored[i].Title = title
		}
	}
	l.picker.SetItems(l.storedItems())
}

// exchangeMsg brings the last exchange of a stored conversation.
type exchangeMsg struct {
	id, text string
	err      error
}

// shelfMsg says that a stored conversation was renamed, or without a title removed, or
// why not.
type shelfMsg struct {
	id, title string
	err       error
}
