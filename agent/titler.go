package agent

import (
	"context"
	"strings"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// A conversation gets the first line of its first message as its title, and then one by the model, if
// Options.Titles allows it. Rules:
//
//   - The model is asked once, after the first turn ended well and while the conversation is idle; nothing waits for
//     the answer. After a failure or a useless answer the first line stays.
//   - A title of the user stays.
//   - The request is small, without tools and with a bounded reply; its usage is in the log like that of every
//     request.

const (
	titleTimeout = 20 * time.Second // time limit of the request
	titleTokens  = 300              // of the reply; a model that reasons needs more than its title
	messageChars = 1500             // characters of a message in the request
	titleSystem  = "You name conversations. Answer with a title of three to seven words for the conversation you are shown, in its language: no quotes, no period, nothing else."
)

// titler asks the model for a title. It belongs to the owner of the conversation.
type titler struct {
	*Agent
	asksModel func(llm.Model) bool // whether a model is asked for titles; nil: no model is
	isDone    bool                 // the model was asked, or need not be
}

// idle asks the model for a title after the first turn. It is called while the conversation is idle.
func (t *titler) idle(ctx context.Context) {
	if t.isDone || t.asksModel == nil || !t.journal.Interactive || !t.asksModel(t.journal.Model()) {
		return
	}
	question, reply, ended := firstTurn(t.journal.Events())
	if !ended {
		return
	}
	t.isDone = true
	if reply == "" || !t.hasFirstLineTitle() {
		return
	}
	model := t.journal.Model().Name()
	t.running.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, titleTimeout)
		defer cancel()
		rep, err := t.AskModel(ctx, model, conversation.PurposeTitle, titleRequest(question, reply))
		t.inbox.Put(func(ctx context.Context) { t.storeTitle(ctx, rep, err) })
	})
}

// firstTurn is the first message and its reply; ended reports whether there is a reply. The reply is "" if it did
// not end well, or if another turn began.
func firstTurn(events []conversation.Event) (question, reply string, ended bool) {
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			if question != "" {
				return "", "", true
			}
			question = b.Text
		case conversation.AssistantMessage:
			ended, reply = true, ""
			if b.Stop == conversation.StopEnd {
				reply = b.Text
			}
		}
	}
	return question, reply, ended
}

// hasFirstLineTitle reports whether the title is still the first line of the first message.
func (t *titler) hasFirstLineTitle() bool {
	events := t.journal.Events()
	b, ok := conversation.Newest[conversation.Renamed](events)
	return ok && b.By == "auto" && b.Title == DefaultTitle(events)
}

func titleRequest(question, reply string) llm.Request {
	text := "The user wrote:\n" + shorten(llm.OneLine(question), messageChars) + "\n\nThe reply began:\n" + shorten(llm.OneLine(reply), messageChars) + "\n\nWrite the title."
	return llm.Request{System: titleSystem, Messages: []projection.Message{{Role: projection.RoleUser, Text: text}}, MaxTokens: titleTokens}
}

// storeTitle stores the title if it is valid and still needed.
func (t *titler) storeTitle(ctx context.Context, rep *llm.Reply, err error) {
	if err != nil {
		t.journal.Logger.Info("the model wrote no title", "error", err)
	} else if title := parseTitle(rep.Text.String()); title != "" && rep.Stop == conversation.StopEnd && t.hasFirstLineTitle() {
		t.journal.AppendWhenIdle(ctx, conversation.Renamed{Title: title, By: "auto"})
	}
}

// parseTitle is the title in an answer, "" if the model wrote something else.
func parseTitle(text string) string {
	const trimmed = "#*\"'`“”«». "
	title := strings.Trim(llm.OneLine(text), trimmed)
	title = strings.Trim(strings.TrimPrefix(title, "Title:"), trimmed)
	if len([]rune(title)) > 2*titleChars {
		return ""
	}
	return shorten(title, titleChars)
}
