package tui

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent"
	"plimsoll/agent/llm"
	"plimsoll/compact/edit"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/tui/overlay"
)

// typist is a screen and who types at it.
type typist struct {
	*Model
	now time.Time
}

func newTypist(t *testing.T) *typist {
	t.Helper()
	y := &typist{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	y.Model = New(t.Context(), Options{Backend: deaf{},
		Edit: func(context.Context, string) (tea.ExecCommand, func() (string, error), error) {
			return nil, nil, errDeaf
		},
		Keys: DefaultKeyMap(), Now: func() time.Time { return y.now }})
	y.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	y.Update(openedMsg{conversation: deafTalk("first")})
	y.Update(updatesMsg{from: y.session.Session, list: []agent.Update{agent.Appended{Events: deafEvents()}}})
	return y
}

// keys presses a key for each character, as a fast typist does.
func (y *typist) keys(text string) {
	for _, c := range text {
		y.now = y.now.Add(60 * time.Millisecond)
		k := tea.KeyPressMsg{Code: c, Text: string(c)}
		if c == '\n' {
			k = tea.KeyPressMsg{Code: tea.KeyEnter}
		}
		y.Update(k)
	}
}

var errDeaf = errors.New("not today")

// arrivals are the messages that can come without a key: of every type there is,
// and of agent's updates likewise.
func arrivals(y *typist) map[string]tea.Msg {
	view := &searchView{}
	msgs := map[string]tea.Msg{
		"openedMsg":        openedMsg{conversation: deafTalk("other")},
		"openedMsg failed": openedMsg{err: errDeaf},
		"updatesMsg":       updatesMsg{from: y.session.Session, ended: true},
		"tickMsg":          tickMsg(y.now),
		"snackbarOverMsg":  snackbarOverMsg{},
		"pausedMsg":        pausedMsg{},
		"coldMsg":          coldMsg{},
		"filesMsg":         filesMsg{files: []File{{Path: "a.go"}}},
		"promptsMsg":       promptsMsg{texts: []string{"one"}},
		"modelsMsg":        modelsMsg{asked: unasked, choices: []ModelChoice{{Name: "a/b"}}},
		"modelsMsg failed": modelsMsg{err: errDeaf},

		"conversationsMsg":        conversationsMsg{asked: unasked, list: []Stored{{ID: "x"}}},
		"conversationsMsg failed": conversationsMsg{err: errDeaf},
		"pageMsg":                 pageMsg{asked: unasked, title: "Doctor", text: "line\nline"},
		"pageMsg failed":          pageMsg{err: errDeaf},
		"shellMsg":                shellMsg{run: &shellRun{command: "ls", stop: func() {}}, output: "a\nb"},
		"shellMsg stopped":        shellMsg{run: &shellRun{command: "ls", stop: func() {}, stopped: true}},
		"shellMsg added":          shellMsg{run: &shellRun{command: "ls", add: true, stop: func() {}}, output: "a"},
		"shellMsg failed":         shellMsg{run: &shellRun{command: "ls", stop: func() {}}, err: errDeaf},
		"editorMsg":               editorMsg{err: errDeaf},
		"attachedMsg":             attachedMsg{to: &outgoing{}},
		"doneMsg":                 doneMsg{err: errDeaf},
		"switchedMsg":             switchedMsg{err: errDeaf},
		"failedMsg":               failedMsg{line: typedLine{text: "/doctor"}, of: pageMsg{err: errDeaf}},
		"requestMsg":              requestMsg{},
		"fullMsg":                 fullMsg{},
		"copyMsg":                 copyMsg{fullMsg: fullMsg{text: "all of it"}},
		"copyMsg failed":          copyMsg{fullMsg: fullMsg{err: errDeaf}, cut: "a part of it"},
		"searchMsg":               searchMsg{view: view, seq: 1},
		"foundMsg":                foundMsg{view: view, seq: 1},
		"summaryEditedMsg":        summaryEditedMsg{err: errDeaf},
		"rulesMsg":                rulesMsg{asked: unasked, rules: []conversation.Rule{{Text: "edit(a)"}}},
		"rulesMsg failed":         rulesMsg{asked: unasked, err: errDeaf},
		"revokedMsg":              revokedMsg{rule: conversation.Rule{Text: "edit(a)"}},
		"revokedMsg failed":       revokedMsg{err: errDeaf},
		"judgedMsg":               judgedMsg{dialog: overlay.NewApprove("x", conversation.Review{}), err: errDeaf},
	}
	why := &llm.Error{Class: llm.BadRequest, Message: "not today"}
	for name, u := range map[string]agent.Update{
		"Appended": agent.Appended{Events: deafEvents()}, "Delta": agent.Delta{Text: "text"}, "CallStreaming": agent.CallStreaming{Name: "x"},
		"Discarded": agent.Discarded{}, "ToolStarted": agent.ToolStarted{CallID: "c"}, "ToolOutput": agent.ToolOutput{CallID: "c"},
		"AskApproval": agent.AskApproval{Call: conversation.ToolCall{ID: "c", Name: "run_command"}, Review: conversation.Review{Need: conversation.NeedApproval}},
		"AskApproval question": agent.AskApproval{Call: conversation.ToolCall{ID: "d", Name: "ask_user"},
			Review: conversation.Review{Need: conversation.NeedAnswer, Question: "which?", Options: []string{"this", "that"}}},
		"ApprovalClosed": agent.ApprovalClosed{CallID: "c"}, "Queued": agent.Queued{Texts: []string{"later"}}, "Returned": agent.Returned{},
		"Status": agent.Status{Phase: agent.Asking}, "Metered": agent.Metered{}, "CacheCold": agent.CacheCold{At: time.Unix(1, 0)}, "ModelSwitched": agent.ModelSwitched{Model: llm.Model{ID: "z"}},
		"Elsewhere": agent.Elsewhere{Why: "no longer open elsewhere"}, "Failed": agent.Failed{Err: why}, "Compacting": agent.Compacting{Summary: true}, "Prepared": agent.Prepared{}, "Compacted": agent.Compacted{},
		"CompactionFailed": agent.CompactionFailed{Err: why}, "Previewed": agent.Previewed{Err: why}, "Summaries": agent.Summaries{Paused: true},
		"Inspected": agent.Inspected{}, "Steered": agent.Steered{What: agent.SteerPin, Err: why},
		"Reviewing": agent.Reviewing{Text: "a summary", Covers: 1000}, "Reviewed": agent.Reviewed{},
	} {
		msgs["update "+name] = updatesMsg{from: y.session.Session, list: []agent.Update{u}}
	}
	return msgs
}

// Whatever comes while one types, every key is in the composer.
func TestNothingThatComesTakesTheKeyboard(t *testing.T) {
	t.Parallel()
	const before, after = "this is what I am ", "writing, y or n? q e x 1 /review"
	for name := range arrivals(newTypist(t)) {
		y := newTypist(t)
		y.session.review.accepted = "a summary that was edited"
		y.keys(before)
		y.Update(arrivals(y)[name])
		y.keys(after)
		if got := y.chat.composer.Draft(); got != before+after {
			t.Errorf("%s came while a sentence was typed: the draft is %q", name, got)
		}
	}
}

// The same where the first letter was not typed yet: what asks for an answer opens,
// and takes no key that cannot have been meant for it.
func TestNothingThatComesTakesTheNextKey(t *testing.T) {
	t.Parallel()
	const text = "yes, and q"
	for name := range arrivals(newTypist(t)) {
		y := newTypist(t)
		y.Update(arrivals(y)[name])
		y.keys(text)
		if got := y.chat.composer.Draft(); !strings.HasSuffix(got, text) {
			t.Errorf("%s came and a sentence was typed: the draft is %q", name, got)
		}
	}
}

// The list of what can come is whole.
func TestEverythingThatComesIsTried(t *testing.T) {
	t.Parallel()
	tried := arrivals(newTypist(t))
	known := func(name string) bool {
		for key := range tried {
			if key == name || strings.HasPrefix(key, name+" ") {
				return true
			}
		}
		return false
	}
	answered := []string{"editedMsg"} // comes back from the editor, which had the keys
	for _, name := range typesIn(t, ".") {
		if strings.HasSuffix(name, "Msg") && !known(name) && !slices.Contains(answered, name) {
			t.Errorf("nobody types while a %s comes", name)
		}
	}
	updates := 0
	for _, name := range typesIn(t, "../agent") {
		if isUpdate(t, name) {
			updates++
			if !known("update " + name) {
				t.Errorf("nobody types while an agent.%s comes", name)
			}
		}
	}
	if updates < 20 {
		t.Errorf("only %d updates were found", updates)
	}
}

// typesIn lists the types that a package declares.
func typesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, f := range parsed(t, dir) {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, s := range g.Specs {
					names = append(names, s.(*ast.TypeSpec).Name.Name)
				}
			}
		}
	}
	return names
}

// isUpdate reports whether a type of package agent is an Update.
func isUpdate(t *testing.T, name string) bool {
	t.Helper()
	for _, f := range parsed(t, "../agent") {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Name.Name != "update" {
				continue
			}
			if id, ok := fn.Recv.List[0].Type.(*ast.Ident); ok && id.Name == name {
				return true
			}
		}
	}
	return false
}

func parsed(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

func deafEvents() []conversation.Event {
	var l conversation.Log
	return l.Prepare(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), conversation.UserMessage{Text: "hello"},
		conversation.AssistantMessage{Text: "hi", Stop: conversation.StopEnd})
}

// deafTalk is a conversation that answers nothing.
func deafTalk(id string) Conversation {
	return Conversation{ID: id, Session: deafSession{Mailbox: agent.NewMailbox()},
		Meter: meter.New(meter.Options{}), Mode: conversation.ModeAsk}
}

// deafSession is an agent that does nothing.
type deafSession struct {
	deaf
	*agent.Mailbox
}

// deaf is everything around the screen, and does nothing.
type deaf struct{}

func (deaf) Open(context.Context) (Conversation, error)           { return Conversation{}, errDeaf }
func (deaf) Conversations(context.Context) ([]Stored, error)      { return nil, errDeaf }
func (deaf) Resume(context.Context, string) (Conversation, error) { return Conversation{}, errDeaf }
func (deaf) New(context.Context) (Conversation, error)            { return Conversation{}, errDeaf }
func (deaf) Fork(context.Context, string) (Conversation, error)   { return Conversation{}, errDeaf }
func (deaf) ForkAt(context.Context, uint64) (Conversation, error) { return Conversation{}, errDeaf }
func (deaf) Delete(context.Context) (Conversation, error)         { return Conversation{}, errDeaf }
func (deaf) Models(context.Context) ([]ModelChoice, error)        { return nil, errDeaf }
func (deaf) SwitchModel(context.Context, string) error            { return errDeaf }
func (deaf) Files(context.Context) ([]File, error)                { return nil, errDeaf }
func (deaf) Shell(context.Context, string) (string, error)        { return "", errDeaf }
func (deaf) Attach(context.Context, []string) (string, error)     { return "", errDeaf }
func (deaf) Page(context.Context, string, string) (string, error) { return "", errDeaf }
func (deaf) Prompts(context.Context) ([]string, error)            { return nil, errDeaf }
func (deaf) Remember(context.Context, string) error               { return errDeaf }
func (deaf) Search(context.Context, string) (Found, error)        { return Found{}, errDeaf }
func (deaf) Full(context.Context, uint64) (string, error)         { return "", errDeaf }
func (deaf) Request(context.Context, uint64) (inspect.Rebuilt, error) {
	return inspect.Rebuilt{}, errDeaf
}
func (deaf) Send(string)                        {}
func (deaf) Add(string)                         {}
func (deaf) Cancel()                            {}
func (deaf) TakeBack()                          {}
func (deaf) Rewind(int)                         {}
func (deaf) RestoreTurns()                      {}
func (deaf) Answer(string, conversation.Answer) {}
func (deaf) SetMode(conversation.Mode)          {}
func (deaf) Rename(string)                      {}
func (deaf) SetProfile(string)                  {}
func (deaf) Compact(edit.Request)               {}
func (deaf) Preview(edit.Request)               {}
func (deaf) UndoCompaction(uint64)              {}
func (deaf) RedoCompaction()                    {}
func (deaf) Pin([]uint64, bool)                 {}
func (deaf) Mask([]uint64)                      {}
func (deaf) Inspect()                           {}
func (deaf) Review(string, bool)                {}
func (deaf) Judge(string, []string) (conversation.Offer, error) {
	return conversation.Offer{}, errDeaf
}
func (deaf) Rules(context.Context) ([]conversation.Rule, error) { return nil, errDeaf }
func (deaf) Revoke(context.Context, conversation.Rule) error    { return errDeaf }

// A key right after an answer was meant for the next question, and is not written.
func TestAKeyRightAfterAnAnswerIsNotWritten(t *testing.T) {
	t.Parallel()
	y := newTypist(t)
	for _, id := range []string{"c1", "c2"} {
		y.Update(updatesMsg{from: y.session.Session, list: []agent.Update{agent.AskApproval{Call: conversation.ToolCall{ID: id, Name: "run_command"},
			Review: conversation.Review{Need: conversation.NeedApproval}}}})
	}
	y.now = y.now.Add(time.Second)
	y.keys("yy")
	if got := y.chat.composer.Draft(); got != "" || len(y.dialogs.questions) != 1 {
		t.Errorf("the draft is %q, %d questions are open", got, len(y.dialogs.questions))
	}
}
