package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent/llm"
	"plimsoll/conversation/plain"
	"plimsoll/themes"
	"plimsoll/tui/choices"
	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript/markdown"
)

// The lists of models and of stored conversations. Both stay open while items are
// marked, sorted, renamed and removed. The list shows a change at once, or after it was
// made, and it shows failures.

// lists holds the content of the newest lists.
type lists struct {
	env     *env
	session *session

	stack              *dialog.Stack
	conversationPicker *dialog.Picker // the newest list of conversations, which may be closed; nil before the first
	modelPicker        *dialog.Picker // the newest list of models, likewise
	models             []ModelChoice
	stored             []Stored
	jobPicker          *dialog.Picker // the newest list of commands in the background, likewise
	jobs               []Job
	order              choices.Order
	previewID          string          // the conversation whose last exchange is being read
	previewed          map[string]bool // conversations whose last exchange was read
}

// previewLines is the maximum number of shown lines about the selected conversation or skill.
const previewLines = 6

// chooseModel lets the user choose a model, and how much it reasons.
func (l *lists) chooseModel() pane.Action {
	return newReadAction(l.env.Backend.Models, "the models are listed: /model shows them", func(models []ModelChoice) pane.Action {
		l.models = models
		choices.SortModels(l.models)
		efforts := append([]string{autoEffort}, llm.Efforts()...)
		l.modelPicker = dialog.NewPicker(dialog.PickerOptions{Title: "Model", Items: l.modelItems(), Choose: l.pickedModel,
			Empty: "no model can be reached; /connect says how", Heads: choices.ModelHeads(),
			Acts:    []dialog.Act{{Key: l.env.Keys.Dialogs.Lists.Favorite, Word: "favorite", Do: l.toggleFavorite}},
			Setting: &dialog.Setting{Name: "effort", Values: efforts, At: max(slices.Index(efforts, l.session.Model.Effort), 0)}})
		return openDialog{l.modelPicker}
	})
}

func (l *lists) modelItems() []dialog.Item {
	items := make([]dialog.Item, len(l.models))
	for i, m := range l.models {
		items[i] = modelItem(m, l.session)
		if m.Favorite {
			items[i].Mark = "★"
		} else if m.Recent > 0 {
			items[i].Mark = "· recent"
		}
	}
	return items
}

func modelItem(m ModelChoice, s *session) dialog.Item {
	item := dialog.Item{ID: m.Name, Title: m.Name, Columns: m.Columns(), Current: m.Name == s.Model.Name(), Fixed: m.Plain}
	if item.Columns == nil {
		item.Note = m.Note
	}
	return item
}

// pickedModel switches to a model of the list, or connects its provider if that has no key.
func (l *lists) pickedModel(name, effort string) pane.Action {
	i := slices.IndexFunc(l.models, func(m ModelChoice) bool { return m.Name == name })
	switch {
	case i >= 0 && l.models[i].NoKey:
		provider, _, _ := strings.Cut(name, "/")
		return connect{provider}
	case effort != "" && name == l.session.Model.Name():
		return l.env.switchModel(effort)
	}
	return l.env.switchModel(strings.TrimSpace(name + " " + effort))
}

// toggleFavorite marks a model as a favorite, or removes the mark.
func (l *lists) toggleFavorite(name string) pane.Action {
	i := slices.IndexFunc(l.models, func(m ModelChoice) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	on := !l.models[i].Favorite
	l.models[i].Favorite = on
	l.modelPicker.SetItems(l.modelItems()) // not sorted again, so that the marked row does not move away
	b := l.env.Backend
	return l.env.tryAsync(func(ctx context.Context) error { return b.SetFavorite(ctx, name, on) }, failureSnackbar)
}

// conversations lets the user choose the conversation to continue.
func (l *lists) conversations() pane.Action {
	return newReadAction(l.env.Backend.Conversations, "the conversations are listed: /resume shows them", func(stored []Stored) pane.Action {
		l.stored, l.previewID, l.previewed = stored, "", map[string]bool{}
		choices.SortConversations(l.stored, l.order)
		keys := l.env.Keys.Dialogs.Lists
		l.conversationPicker = dialog.NewPicker(dialog.PickerOptions{Title: l.pickerTitle(), Items: l.storedItems(),
			Empty: "no conversation is stored yet", Preview: previewLines,
			Choose: func(id, _ string) pane.Action { return resume{id} },
			Focus:  func(string) pane.Action { return l.loadPreview() },
			Acts: []dialog.Act{{Key: keys.Rename, Word: "rename", Do: l.askTitle},
				{Key: keys.Remove, Word: "delete", Do: l.confirmRemove},
				{Key: keys.Fork, Word: "fork", Do: l.forkStored}, {Key: keys.Sort, Word: "sort", Do: l.sortByNext}}})
		return actionList{openDialog{l.conversationPicker}, l.loadPreview()}
	})
}

func (l *lists) pickerTitle() string { return fmt.Sprintf("Continue · %s", l.order) }

func (l *lists) storedItems() []dialog.Item {
	items := make([]dialog.Item, len(l.stored))
	for i, c := range l.stored {
		items[i] = dialog.Item{ID: c.ID, Title: c.Title, Columns: c.Columns(), Current: c.ID == l.session.ID}
	}
	return items
}

// loadPreview reads the last exchange of the selected conversation, one at a time.
func (l *lists) loadPreview() pane.Action {
	id := l.conversationPicker.Selected()
	if id == "" || l.previewID != "" || l.previewed[id] {
		return nil
	}
	l.previewID = id
	ctx, b, picker := l.env.ctx, l.env.Backend, l.conversationPicker
	return doAsync(func() (string, error) {
		question, reply, err := b.LastExchange(ctx, id)
		return exchangeText(question, reply), err
	}, func(text string, err error) pane.Action {
		if picker != l.conversationPicker {
			return nil
		}
		l.previewID, l.previewed[id] = "", true
		if err != nil {
			text = err.Error()
		}
		picker.SetPreview(id, text)
		return l.loadPreview()
	})
}

// exchangeText returns a message and its reply as a list shows them: a line each, without Markdown.
func exchangeText(question, reply string) string {
	var said []string
	for _, l := range markdown.New(themes.MarkdownStyle{}, markdown.MaxProseWidth).Render(plain.Text(reply)) {
		l = strings.TrimSpace(ansi.Strip(l))
		if n := len(said); l == "" && n > 0 && strings.TrimRight(said[n-1], ".:?!·…)。！？") == said[n-1] {
			l = "·" // between blocks without a full stop
		}
		said = append(said, strings.Fields(l)...)
	}
	shown := strings.Join(said, " ")
	var lines []string
	for _, part := range []struct{ name, text string }{{"You:   ", question}, {"Reply: ", shown}} {
		if words := strings.Join(strings.Fields(part.text), " "); words != "" {
			lines = append(lines, part.name+words)
		}
	}
	return strings.Join(lines, "\n")
}

func (l *lists) sortByNext(string) pane.Action {
	l.order = l.order.Next()
	choices.SortConversations(l.stored, l.order)
	l.conversationPicker.SetTitle(l.pickerTitle())
	l.conversationPicker.SetItems(l.storedItems())
	return l.loadPreview()
}

func (l *lists) askTitle(id string) pane.Action {
	b := l.env.Backend
	return openDialog{dialog.NewLine("Rename", "Title:", l.stored[l.rowOf(id)].Title, func(title string) pane.Action {
		retitle := func(i int) { l.stored[i].Title = title }
		if id == l.session.ID && !l.session.readOnly() {
			return actionList{l.session.rename(title), l.changeStored(id, func(context.Context) error { return nil }, retitle)}
		}
		return l.changeStored(id, func(ctx context.Context) error { return b.RenameStored(ctx, id, title) }, retitle)
	})}
}

// confirmRemove deletes a conversation after a confirmation.
func (l *lists) confirmRemove(id string) pane.Action {
	b := l.env.Backend
	return confirm("Delete", "Delete "+l.stored[l.rowOf(id)].Title+" permanently? This cannot be undone.", "delete it", "keep it", func() pane.Action {
		if id == l.session.ID && !l.session.readOnly() {
			return actionList{closeDialog{l.conversationPicker}, openConversation{b.Delete, openRequest{keepsDraft: true}}}
		}
		return l.changeStored(id, func(ctx context.Context) error { return b.RemoveStored(ctx, id) },
			func(i int) { l.stored = slices.Delete(l.stored, i, i+1) })
	})
}

// changeStored changes a stored conversation, and then the newest list, which may have been opened meanwhile.
func (l *lists) changeStored(id string, work func(context.Context) error, then func(row int)) pane.Action {
	picker := l.conversationPicker
	return l.env.tryAsync(work, func(err error) pane.Action {
		if i := l.rowOf(id); err == nil && i >= 0 {
			then(i)
			l.conversationPicker.SetItems(l.storedItems())
			return l.loadPreview()
		}
		if err == nil || !l.stack.Has(picker) {
			return requestFailed{err}
		}
		picker.Failed(err.Error())
		return nil
	})
}

func (l *lists) rowOf(id string) int {
	return slices.IndexFunc(l.stored, func(c Stored) bool { return c.ID == id })
}

func (l *lists) forkStored(id string) pane.Action {
	b := l.env.Backend
	open := func(ctx context.Context) (Conversation, error) { return b.ForkStored(ctx, id) }
	if id == l.session.ID {
		open = b.Fork
	}
	return actionList{closeDialog{l.conversationPicker}, openConversation{open: open}}
}
