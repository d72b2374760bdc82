package tui

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// typist types into a screen, without running its commands.
type typist struct {
	*Model
	now time.Time
}

func newTypist(t *testing.T) *typist {
	t.Helper()
	y := &typist{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	y.Model = New(t.Context(), Options{Backend: unusedBackend{},
		Edit: func(context.Context, string) (Editor, func() (string, error), error) { return nil, nil, errRefused },
		Keys: DefaultKeyMap(), Now: func() time.Time { return y.now }})
	y.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	y.conversationOpened(idleConversation("first"), nil)
	y.Update(updatesMsg{from: y.session.Session, list: []updates.Update{updates.Appended{Events: helloEvents()}}})
	return y
}

// typeText presses a key for each character, as a fast typist does.
func (y *typist) typeText(text string) {
	for _, c := range text {
		y.now = y.now.Add(60 * time.Millisecond)
		k := tea.KeyPressMsg{Code: c, Text: string(c)}
		if c == '\n' {
			k = tea.KeyPressMsg{Code: tea.KeyEnter}
		}
		y.Update(k)
	}
}

var errRefused = errors.New("not today")

// incomingMessages returns the messages that can arrive while the user types: results of commands, and every type of update.
func incomingMessages(y *typist) map[string]tea.Msg {
	readResult := func(err error) tea.Msg {
		readText := func(context.Context) (string, error) { return "line\nline", err }
		msg := y.runRead(newReadAction(readText, "the text is shown", func(text string) pane.Action { return openDialog{dialog.NewText("Doctor", text)} }).(readAction))()
		y.keyboard.allKeys++ // a key that was pressed meanwhile
		return msg
	}
	run := &shellRun{command: "ls", addsOutput: true, cancel: func() {}}
	resultOf := func(action func() pane.Action) tea.Msg { return commandResult{then: action} }
	msgs := map[string]tea.Msg{
		"tick":            tickMsg{y.chat, y.now},
		"end of updates":  updatesMsg{from: y.session.Session, ended: true},
		"text read":       readResult(nil),
		"text not read":   readResult(errRefused),
		"conversation":    resultOf(func() pane.Action { return y.conversationOpened(idleConversation("other"), nil) }),
		"no conversation": resultOf(func() pane.Action { return y.conversationOpened(Conversation{}, errRefused) }),
		"open questions":  resultOf(y.dialogs.openQuestions),
		"draft":           resultOf(func() pane.Action { return y.drafts.storeChanged() }),
		"model":           resultOf(func() pane.Action { return modelChangeDone{errRefused} }),
		"consent":         resultOf(func() pane.Action { return modelChangeDone{&Consent{Title: "Sent elsewhere", Question: "Go on?"}} }),
		"command done":    resultOf(func() pane.Action { return y.chat.shellDone(run, "a", nil) }),
		"failed command":  resultOf(func() pane.Action { return y.chat.shellDone(run, "", errRefused) }),
		"line restored":   resultOf(func() pane.Action { return restoreLine{typedLine{text: "/doctor"}} }),
		"files attached":  resultOf(func() pane.Action { return y.chat.outbox.filesRead(&outgoing{}, "", nil) }),
	}
	why := &llm.Error{Class: llm.BadRequest, Message: "not today"}
	for name, u := range map[string]updates.Update{
		"Appended": updates.Appended{Events: helloEvents()}, "Delta": updates.Delta{Text: "text"}, "CallStreaming": updates.CallStreaming{Name: "x"},
		"Discarded": updates.Discarded{}, "ToolStarted": updates.ToolStarted{CallID: "c"}, "ToolOutput": updates.ToolOutput{CallID: "c"},
		"AskApproval": updates.AskApproval{Call: conversation.ToolCall{ID: "c", Name: "run_command"}, Review: conversation.Review{Need: conversation.NeedApproval}},
		"AskApproval question": updates.AskApproval{Call: conversation.ToolCall{ID: "d", Name: "ask_user"},
			Review: conversation.Review{Need: conversation.NeedAnswer, Question: "which?", Options: []string{"this", "that"}}},
		"ApprovalClosed": updates.ApprovalClosed{CallID: "c"}, "Queued": updates.Queued{Texts: []string{"later"}}, "Returned": updates.Returned{},
		"Status": updates.Status{Phase: updates.Asking}, "Metered": updates.Metered{}, "CacheCold": updates.CacheCold{At: time.Unix(1, 0)}, "ModelSwitched": updates.ModelSwitched{Model: llm.Model{ID: "z"}},
		"OpenElsewhere": updates.OpenElsewhere{Why: "no longer open elsewhere"}, "Failed": updates.Failed{Err: why}, "Unreachable": updates.Unreachable{Why: "no answer"}, "Jobs": updates.Jobs{Running: 2}, "Compacting": updates.Compacting{Summary: true}, "Prepared": updates.Prepared{}, "Compacted": updates.Compacted{},
		"CompactionFailed": updates.CompactionFailed{Err: why}, "Previewed": updates.Previewed{Err: why}, "SummariesPaused": updates.SummariesPaused{Paused: true},
		"Inspected": updates.Inspected{}, "Edited": updates.Edited{What: updates.EditPin, Err: why},
		"Reviewing": updates.Reviewing{Text: "a summary", Covers: 1000}, "Reviewed": updates.Reviewed{},
	} {
		msgs["update "+name] = updatesMsg{from: y.session.Session, list: []updates.Update{u}}
	}
	return msgs
}

// Whatever message arrives while the user types, every key reaches the composer.
func TestIncomingMessagesDoNotStealKeys(t *testing.T) {
	t.Parallel()
	const before, after = "this is what I am ", "writing, y or n? q e x 1 /review"
	for name := range incomingMessages(newTypist(t)) {
		y := newTypist(t)
		y.session.review.acceptedText = "a summary that was edited"
		y.typeText(before)
		y.Update(incomingMessages(y)[name])
		y.typeText(after)
		if got := y.chat.composer.Draft(); got != before+after {
			t.Errorf("%s arrived while a sentence was typed: the draft is %q", name, got)
		}
	}
}

// A question that a message opens before the first letter ignores the keys that were meant for the composer.
func TestIncomingMessagesDoNotStealTheNextKey(t *testing.T) {
	t.Parallel()
	const text = "yes, and q"
	for name := range incomingMessages(newTypist(t)) {
		y := newTypist(t)
		y.Update(incomingMessages(y)[name])
		y.typeText(text)
		if got := y.chat.composer.Draft(); !strings.HasSuffix(got, text) {
			t.Errorf("%s arrived before a sentence was typed: the draft is %q", name, got)
		}
	}
}

func TestEveryIncomingMessageIsTested(t *testing.T) {
	t.Parallel()
	messages := incomingMessages(newTypist(t))
	known := func(name string) bool {
		for key := range messages {
			if key == name || strings.HasPrefix(key, name+" ") {
				return true
			}
		}
		return false
	}
	found := 0
	for _, name := range typesWithMethod(t, "update", "../agent/updates") {
		found++
		if !known("update " + name) {
			t.Errorf("incomingMessages has no updates.%s", name)
		}
	}
	if found < 20 {
		t.Errorf("only %d updates were found: this test cannot read the source", found)
	}
}

// typesWithMethod returns the types of a package, read from its source, that have a method of this name.
func typesWithMethod(t *testing.T, method, dir string) (types []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Name.Name != method {
				continue
			}
			if id, ok := fn.Recv.List[0].Type.(*ast.Ident); ok {
				types = append(types, id.Name)
			}
		}
	}
	return types
}

func helloEvents() []conversation.Event {
	var l conversation.Log
	return l.Prepare(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), conversation.UserMessage{Text: "hello"},
		conversation.AssistantMessage{Text: "hi", Stop: conversation.StopEnd})
}

// idleConversation returns a conversation whose session does nothing.
func idleConversation(id string) Conversation {
	return Conversation{ID: id, Session: &idleSession{}, Meter: meter.New(meter.Options{}), Mode: conversation.ModeAsk}
}

// idleSession does nothing. Methods that the typist never causes are missing.
type idleSession struct{ Session }

func (*idleSession) Answer(string, conversation.Answer) {}
func (*idleSession) Add(string)                         {}
func (*idleSession) Inspect()                           {}

// unusedBackend has no methods: the typist runs no commands, so the screen never calls it.
type unusedBackend struct{ Backend }

// A key directly after an answer was meant for the question, and does not reach the composer.
func TestAKeyDirectlyAfterAnAnswerIsIgnored(t *testing.T) {
	t.Parallel()
	y := newTypist(t)
	for _, id := range []string{"c1", "c2"} {
		y.Update(updatesMsg{from: y.session.Session, list: []updates.Update{updates.AskApproval{Call: conversation.ToolCall{ID: id, Name: "run_command"},
			Review: conversation.Review{Need: conversation.NeedApproval}}}})
	}
	y.now = y.now.Add(time.Second)
	y.typeText("yy")
	if got := y.chat.composer.Draft(); got != "" || len(y.dialogs.questions) != 1 {
		t.Errorf("the draft is %q, %d questions are open", got, len(y.dialogs.questions))
	}
}
