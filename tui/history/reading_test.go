package history_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/tui/edit"
	"plimsoll/tui/history"
	"plimsoll/tui/pane"
)

// wantTexts fails unless the screen, or the row with the cursor, contains the texts.
func wantTexts(t *testing.T, screen string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			t.Errorf("%q is not on the screen:\n%s", text, screen)
		}
	}
}

func TestSidesKeepTheCursorOnItsEvent(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	at := r.addSample()
	r.showLog()
	r.moveTo(at["failed"])
	for range 3 {
		r.press("tab")
		wantTexts(t, cursorRow(r), "go test ./upload -count=10 · failed")
	}
	r.moveTo(at["found"])
	r.press("tab", "tab")
	wantTexts(t, cursorRow(r), "summary", "e3–e8")
}

func TestEnterGoesToTheOriginal(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	r.addSample()
	r.showLog()
	r.press("tab", "tab", "home", "enter", "enter")
	wantTexts(t, r.screen(), "[both]")
	wantTexts(t, cursorRow(r), "why does TestUpload fail")
}

func TestAResultThatWasCutNamesTheKeyThatShowsIt(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	r.keys.Open = key.NewBinding(key.WithKeys("o"), key.WithHelp("o", "open"))
	at := r.add(conversation.ToolResult{CallID: "c", Tool: "read_file", Status: conversation.ResultOK, Text: "begins", Total: 4000})
	r.showLog()
	r.moveTo(at)
	r.press("o")
	wantTexts(t, r.screen(), "o shows all 4,000 characters.", "o all of it")
}

func TestASearchWrapsAroundAndShowsTheMatch(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	at := r.addSample()
	r.showLog()
	r.press("/")
	if r.Cursor() == nil {
		t.Error("there is no cursor in the search line")
	}
	r.typeText("bind")
	r.press("enter")
	if r.Cursor() != nil {
		t.Error("there is a cursor outside the search line")
	}
	wantTexts(t, r.screen(), "match 1 of 1")
	wantTexts(t, cursorRow(r), "tcp :8080: bind")
	r.Refresh(r.content())
	wantTexts(t, r.screen(), "match 1 of 1")
	says := []pane.Action{r.press("n"), r.press("N")}
	if d := cmp.Diff([]pane.Action{pane.Snackbar{Text: "continued from the top"}, pane.Snackbar{Text: "continued from the bottom"}}, says); d != "" {
		t.Error(d)
	}
	r.press("esc")
	if a := r.press("n"); !cmp.Equal(a, pane.Action(pane.Snackbar{Text: "no search yet", Failure: true})) {
		t.Errorf("n without a search gives %#v", a)
	}
	r.moveTo(at["question"])
	r.press("/")
	r.Update(tea.PasteMsg{Content: "nowhere\nat all"})
	wantTexts(t, r.screen(), "/ nowhere at all", "no match")
	r.Update(tea.PasteMsg{Content: strings.Repeat("nowhere", 1<<20)})
	r.press("enter")
	if note, ok := r.press("n").(pane.Snackbar); !ok || len(note.Text) < edit.MaxInLine || len(note.Text) > edit.MaxInLine+100 {
		t.Errorf("%d bytes are searched for", len(note.Text))
	}
	r.press("/", "esc")
	wantTexts(t, cursorRow(r), "why does TestUpload fail")
}

func TestRequestsAreSteppedThrough(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	at := r.addSample()
	r.showLog()
	r.moveTo(at["fixed"])
	wanted, ok := r.press("[").(history.RebuildRequest)
	if !ok {
		t.Fatal("[ requests nothing from the archive")
	}
	wantTexts(t, r.screen(), "request 2 of 3", "building…")
	r.Request(inspect.RebuiltRequest{SentRequest: inspect.SentRequest{Event: wanted.Event + 1}, System: "another one"}, nil)
	wantTexts(t, r.screen(), "building…")
	made := r.rebuilt(wanted.Event)
	r.Request(made, nil)
	wantTexts(t, r.screen(), "byte for byte as sent ✓ sha256 1a2b3c1a2b3c", "15 bytes", "4,100 tokens, 3,900 of them cached")
	r.press("home")
	wantTexts(t, r.screen(), "You are a careful engineer")
	r.press("end")
	if diff := cmp.Diff(pane.Action(pane.Copy{Text: "so fix it, in @upload/server.go too", What: "the message as it is sent"}), r.press("y")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	r.press("]")
	r.Request(inspect.RebuiltRequest{}, errors.New("the texts of its tools are gone"))
	wantTexts(t, r.screen(), "request 3 of 3", "it cannot be rebuilt", "the texts of its tools are gone")
	if a := r.press("]"); !cmp.Equal(a, pane.Action(pane.Snackbar{Text: "this is the newest request"})) {
		t.Errorf("] at the newest request gives %#v", a)
	}
	if a := r.press("esc"); a != nil {
		t.Errorf("esc gives %#v", a)
	}
	wantTexts(t, r.screen(), "[both]")
	if _, ok := r.press("esc").(pane.Closed); !ok {
		t.Error("esc does not close")
	}
}

func TestAReplyLeadsToItsRequest(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	var asked, replied, sent [2]uint64
	for i := range sent {
		asked[i] = r.add(conversation.UserMessage{Text: "and now?"})
		replied[i] = r.add(conversation.AssistantMessage{Text: "Still here.", Stop: conversation.StopEnd})
		sent[i] = r.add(conversation.Usage{Model: "openai/gpt", Prompt: 4100})
	}
	for _, c := range []struct {
		at   uint64
		key  string
		want uint64
	}{{replied[1], "[", sent[1]}, {asked[1], "[", sent[0]}, {asked[1], "]", sent[1]}, {replied[0], "[", sent[0]}, {replied[0], "]", sent[1]}, {asked[0], "]", sent[0]}} {
		r.showLog()
		r.moveTo(c.at)
		if diff := cmp.Diff(pane.Action(history.RebuildRequest{Event: c.want}), r.press(c.key)); diff != "" {
			t.Errorf("%s at e%d (-want +got)\n%s", c.key, c.at, diff)
		}
		r.press("esc")
	}
}

func TestJPsQuestionAndAnswerAreOneSummary(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	first := r.add(conversation.UserMessage{Text: "how many ports are there?"})
	last := r.add(conversation.AssistantMessage{Text: "65,535 of each kind.", Stop: conversation.StopEnd})
	r.add(conversation.UserMessage{Text: "thanks"})
	r.compact("", conversation.Summary{Style: conversation.StyleJP, Version: 1, Spans: []conversation.Span{{First: first, Last: last}}, Text: "Ports were counted."})
	r.showLog()
	r.press("home")
	wantTexts(t, cursorRow(r), "Ports were counted.")
}

// The sent messages, the prompt and the tools add up to the gauge's number. The sent and the hidden tokens add up to the
// original ones.
func TestTheHeaderAddsUpToTheGauge(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 20)
	r.add(conversation.UserMessage{Text: "why does it fail?"})
	r.call("read_file", `{"path":"a.go"}`, "package a", conversation.ResultOK)
	first := r.add(conversation.AssistantMessage{Text: "The port is taken.", Stop: conversation.StopEnd})
	c := r.content()
	c.Used, c.Prompt = 900, 300
	r.Show(c)
	wantTexts(t, r.screen(), "~600 of conversation, sent as ~600 (+~300 prompt and tools)")
	r.SetUsed(950, 300) // the provider reports
	wantTexts(t, r.screen(), "~650 of conversation, sent as ~650 (+~300 prompt and tools)")

	r.compact("turn 0 summarised", conversation.Summary{Style: conversation.StylePlimsoll, Version: projection.BlockVersion,
		Spans: []conversation.Span{{First: 1, Last: first}}, Text: strings.Repeat("a long summary ", 20)})
	v := projection.Project(r.log.Events())
	m := meter.New(meter.Options{}).WithView(v)
	before := meter.New(meter.Options{}).WithView(projection.Project(r.log.Events()[:first])).EstimatedTokens()
	c = r.content()
	c.Used, c.Prompt = m.EstimatedTokens()+300, 300
	r.Show(c)
	wantTexts(t, r.screen(), fmt.Sprintf("~%d of conversation, sent as ~%d (+~300 prompt and tools)", before, m.EstimatedTokens()))
}

func TestACallIsOneRowInTheWordsOfTheChat(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	r.add(conversation.UserMessage{Text: "look"})
	r.call("read_file", `{"path":"go.mod"}`, "module x", conversation.ResultOK)
	r.add(conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: "open", Name: "grep_files", Arguments: `{"pattern":"wind"}`}}})
	r.showLog()
	wantTexts(t, r.screen(), "assistant · 1 call", "▸ read go.mod", "→ search wind")
	if view := r.screen(); strings.Count(view, "go.mod") != 1 || strings.Contains(view, "{") {
		t.Errorf("a call is told twice, or as it was sent:\n%s", view)
	}
}
