package dialog_test

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/themes"
	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
	"plimsoll/tui/tuitest"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// later is after every grace period.
var later = start.Add(time.Hour)

func openDialog(width, height int, d dialog.Dialog) *dialog.Stack {
	s := dialog.NewStack(dialog.DefaultKeyMap(), themes.Styles{})
	s.SetSize(width, height)
	s.Push(d, start)
	return s
}

// press sends keys, long after the dialog opened, and returns the last action.
func press(s *dialog.Stack, keys ...string) pane.Action {
	var action pane.Action
	for _, name := range keys {
		action = s.Update(tuitest.Key(name), later)
	}
	return action
}

// Actions that the parent receives.
type (
	approved  = conversation.Answer
	answered  struct{ text string }
	confirmed struct{ yes bool }
	picked    struct{ item, value string }
	focused   struct{ item string }
)

// newApprove returns a question about a call. checkRules returns the offer for edited rules.
func newApprove(r conversation.Review, checkRules ...func([]string) (conversation.Offer, error)) *dialog.Approve {
	checkRules = append(checkRules, func([]string) (conversation.Offer, error) { return conversation.Offer{Meaning: "what it says"}, nil })
	return dialog.NewApprove(r, checkRules[0], func(a conversation.Answer) pane.Action { return a })
}

func newAsk(question string, options []string) *dialog.Ask {
	return dialog.NewAsk(question, options, func(text string, ok bool) pane.Action {
		if !ok {
			return nil
		}
		return answered{text}
	})
}

func newConfirm(title, question, yes, no string) *dialog.Ask {
	return dialog.NewConfirm(title, question, yes, no, func(yes bool) pane.Action { return confirmed{yes} })
}

func newPicker(o dialog.PickerOptions) *dialog.Picker {
	o.Choose = func(item, value string) pane.Action { return picked{item, value} }
	return dialog.NewPicker(o)
}

func letters(text string) []string { return strings.Split(text, "") }

func wantAction(t *testing.T, got, want pane.Action) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(answered{}, confirmed{}, picked{}, focused{})); diff != "" {
		t.Errorf("action (-want +got):\n%s", diff)
	}
}

func plainView(s *dialog.Stack) string { return ansi.Strip(s.View()) }

const someDiff = `--- a/upload.go
+++ b/upload.go
@@ -10,4 +10,4 @@ func Upload() {
 	ctx := context.Background()
-	port := 8080
+	port := 0 // any free one: 漢字 👨‍👩‍👧‍👦
 	return serve(ctx, port)
`

func editReview() conversation.Review {
	return conversation.Review{Title: "modify_file upload.go", Diff: someDiff,
		Offer: conversation.Offer{Rules: []string{"edit(./upload.go)"}, Meaning: "edits of upload.go"}}
}

func commandReview() conversation.Review {
	return conversation.Review{Title: "run_command", Command: "go test ./a && go vet ./a",
		Changeable: true, Offer: conversation.Offer{Rules: []string{"run_command(go test ./a && go vet ./a)"}, Meaning: "exactly this command", Warning: "runs this project's own code"}}
}

func TestApproveAnswers(t *testing.T) {
	t.Parallel()
	no := approved{Grant: conversation.GrantNo}
	because := no
	because.Text = "use 漢 0"
	granted := func(g conversation.Grant, rule string) approved {
		return approved{Grant: g, Rules: []string{rule}}
	}
	for _, c := range []struct {
		keys []string
		want pane.Action
	}{
		{[]string{"y"}, approved{Grant: conversation.GrantOnce}},
		{[]string{"1"}, approved{Grant: conversation.GrantOnce}},
		{[]string{"enter"}, approved{Grant: conversation.GrantOnce}},
		{[]string{"c"}, granted(conversation.GrantRun, "edit(./upload.go)")},
		{[]string{"a"}, granted(conversation.GrantAlways, "edit(./upload.go)")},
		{[]string{"right", "tab", "down", "enter"}, granted(conversation.GrantAlways, "edit(./upload.go)")},
		{[]string{"right", "right", "left", "enter"}, granted(conversation.GrantRun, "edit(./upload.go)")},
		{[]string{"tab", "tab", "tab", "down", "enter", "enter"}, no},
		{[]string{"up", "shift+tab", "enter"}, approved{Grant: conversation.GrantOnce}},
		{[]string{"esc"}, no},
		{[]string{"n", "enter"}, no},
		{[]string{"4", "u", "s", "e", "space", "漢", "space", "0", "enter"}, because},
		{[]string{"n", "y", "esc", "y"}, approved{Grant: conversation.GrantOnce}},
		{[]string{"x"}, nil},
		{[]string{"ctrl+c"}, pane.Ignored{}},
		{[]string{"f5"}, pane.Ignored{}},
	} {
		s := openDialog(80, 24, newApprove(editReview()))
		t.Run(strings.Join(c.keys, " "), func(t *testing.T) {
			got := press(s, c.keys...)
			wantAction(t, got, c.want)
			if _, done := got.(approved); done != (s.Len() == 0) {
				t.Errorf("%d dialogs open after %v", s.Len(), got)
			}
		})
	}
}

func TestApproveWithoutARuleAllowsOnlyOnce(t *testing.T) {
	t.Parallel()
	review := editReview()
	review.Offer = conversation.Offer{}
	s := openDialog(80, 24, newApprove(review))
	press(s, "right", "left")
	for _, key := range []string{"a", "r", "e"} {
		wantAction(t, press(s, key), nil)
	}
	if strings.Contains(plainView(s), "always") {
		t.Error("always is offered")
	}
	wantAction(t, press(s, "tab", "left", "shift+tab", "enter"), approved{Grant: conversation.GrantOnce})
}

// A long text is scrolled to its end before any key allows it.
func TestUnreadTextIsNotAllowed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("echo x\n", 90) + "END"
	for _, size := range [][2]int{{80, 24}, {40, 12}} {
		for _, review := range []conversation.Review{{Command: long}, {Diff: someDiff + strings.Repeat("+x\n", 90) + "+END\n"}, {Title: strings.Repeat("x", 3000) + "END"}} {
			review.Offer = editReview().Offer
			for _, key := range []string{"y", "r", "a", "enter", "1", "2", "3"} {
				s := openDialog(size[0], size[1], newApprove(review))
				at := later
				for !strings.Contains(plainView(s), "END") { // each press shows the next lines
					at = at.Add(2 * dialog.ReadingTime)
					wantAction(t, s.Update(tuitest.Key(key), at), nil)
				}
				if view := plainView(s); !strings.Contains(view, " again allows it.") {
					t.Errorf("%v, %s:\n%s", size, key, view)
				}
				held := s.Update(tuitest.Key(key), at.Add(dialog.ReadingTime/2))
				wantAction(t, held, nil)
				last := s.Update(tuitest.Key(key), at.Add(2*dialog.ReadingTime))
				if _, ok := last.(approved); !ok {
					t.Errorf("%v: the last %s does not allow it", size, key)
				}
				s = openDialog(size[0], size[1], newApprove(review))
				if _, ok := press(s, "end", key).(approved); !ok {
					t.Errorf("%v: %s does not allow the text that was read", size, key)
				}
				wantAction(t, press(openDialog(size[0], size[1], newApprove(review)), "esc"), approved{Grant: conversation.GrantNo})
			}
		}
	}
}

func TestKeysTypedWhenAQuestionOpensDoNotAnswerIt(t *testing.T) {
	t.Parallel()
	dialogs := map[string]func() dialog.Dialog{
		"approve": func() dialog.Dialog { return newApprove(editReview()) },
		"ask":     func() dialog.Dialog { return newAsk("Which?", []string{"a", "b"}) },
		"confirm": func() dialog.Dialog { return newConfirm("", "Really?", "yes", "no") },
	}
	for name, make := range dialogs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openDialog(80, 24, make())
			at := start
			send := func(after time.Duration, key string) pane.Action {
				at = at.Add(after)
				return s.Update(tuitest.Key(key), at)
			}
			wantAction(t, send(0, "enter"), dialog.Early{})
			wantAction(t, send(dialog.ReadingTime-1, "enter"), dialog.Early{})
			// A user who continues typing does not answer.
			wantAction(t, send(dialog.ReadingTime-1, "enter"), dialog.Early{})
			wantAction(t, send(0, "ctrl+c"), pane.Ignored{})
			if s.Len() != 1 {
				t.Fatal("the dialog was closed")
			}
			if action := send(dialog.TypingPause, "enter"); action == nil {
				t.Error("no answer after a pause without keys")
			}
		})
	}
}

func TestAskTakesAnOptionOrTheUsersOwnAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys []string
		want pane.Action
	}{
		{[]string{"enter"}, answered{"red"}},
		{[]string{"2"}, answered{"green\tor so"}},
		{[]string{"down", "enter"}, answered{"green\tor so"}},
		{[]string{"down", "down", "enter"}, nil},
		{letters("blue3"), nil},
		{append(letters("blue3"), "enter"), answered{"blue3"}},
		{append(letters("blue"), "up", "up", "enter"), answered{"red"}},
		{[]string{"9", "9", "enter"}, answered{"99"}},
		{[]string{"esc"}, nil},
		{[]string{"ctrl+c"}, pane.Ignored{}},
	} {
		s := openDialog(80, 24, newAsk("Which colour?", []string{"red", "green\tor so"}))
		t.Run(strings.Join(c.keys, " "), func(t *testing.T) { wantAction(t, press(s, c.keys...), c.want) })
	}
	s := openDialog(80, 24, newAsk("Name?", nil))
	s.Update(tea.PasteMsg{Content: "Ada\nLovelace\n"}, later)
	wantAction(t, press(s, "enter"), answered{"Ada Lovelace"})
}

func modelOptions() dialog.PickerOptions {
	return dialog.PickerOptions{Title: "Model", Items: []dialog.Item{
		{ID: "1", Title: "openai/gpt-5.6-luna", Columns: []string{"400k"}}, {ID: "2", Title: "demo/extract", Columns: []string{"8k · free"}, Current: true},
		{ID: "3", Title: "ollama/qwen3", Columns: []string{"32k"}},
	}}
}

func TestPicker(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys []string
		want pane.Action
	}{
		{[]string{"enter"}, picked{"2", ""}},
		{[]string{"down", "enter"}, picked{"3", ""}},
		{[]string{"home", "enter"}, picked{"1", ""}},
		{[]string{"end", "down", "enter"}, picked{"3", ""}},
		{[]string{"pgup", "up", "enter"}, picked{"1", ""}},
		{append(letters("qwn"), "enter"), picked{"3", ""}},
		{append(letters("400"), "enter"), picked{"1", ""}},
		{append(letters("zzz"), "enter"), nil},
		{append(letters("zzz"), "ctrl+u", "enter"), picked{"1", ""}},
		{[]string{"q"}, nil},
		{[]string{"esc"}, nil},
	} {
		s := openDialog(80, 24, newPicker(modelOptions()))
		t.Run(strings.Join(c.keys, " "), func(t *testing.T) { wantAction(t, press(s, c.keys...), c.want) })
	}
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]bool{"enter": false, "y": true, "n": false, "esc": false, "tab enter": true} {
		s := openDialog(80, 24, newConfirm("Delete", "Delete it?", "delete it", "keep it"))
		t.Run(keys, func(t *testing.T) {
			wantAction(t, press(s, strings.Fields(keys)...), confirmed{want})
		})
	}
}

func TestInvisibleCharactersAreMarkedInCommands(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"./run.sh\ufeff":      "./run.sh«U+FEFF»",
		"./run.sh\u200d":      "./run.sh«U+200D»",
		"./run.sh\ufe0f":      "./run.sh«U+FE0F»",
		"./run.sh\U000e0101":  "./run.sh«U+E0101»",
		"true #\rrm -r x":     "true #␍rm -r x",
		"true #\u2028rm -r x": "true #«U+2028»rm -r x",
		"rm -r x\u00a0y":      "rm -r x«U+00A0»y",
		"rm x\u3000\u0085":    "rm x«U+3000»«U+0085»",
		"rm x\v\f":            "rm x«U+000B»«U+000C»",
		"say 👨‍👩‍👧 ❤️":        "say 👨‍👩‍👧 ❤️",
	} {
		s := openDialog(80, 24, newApprove(conversation.Review{Title: "run_command", Command: text}))
		if got := plainView(s); !strings.Contains(got, want) {
			t.Errorf("%q is shown without %q:\n%s", text, want, got)
		}
	}
}

func TestTheKeysOfAnUnreadCommandShowMoreOfIt(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("echo x\n", 90) + "END"
	s := openDialog(80, 24, newApprove(conversation.Review{Command: long, Changeable: true, Offer: editReview().Offer}))
	want := func(what string, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if view := plainView(s); !strings.Contains(view, text) {
				t.Errorf("%s: %q is missing in\n%s", what, text, view)
			}
		}
	}
	wantAction(t, press(s, "e"), nil)
	want("a change that was asked for early", "Read on; e again shows more.", "❯ y once")
	s.SetSize(120, 24)
	want("another width", "1–")
	wantAction(t, press(s, "end"), nil)
	wantAction(t, press(s, "pgup"), nil)
	want("the text was read, and scrolled back", "Read the end; e again changes it.")
	wantAction(t, press(s, "e"), nil)
	want("the change", "Run instead")
}
