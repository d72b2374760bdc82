package dialog_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
	"plimsoll/tui/tuitest"
)

// hostile is text that a model may put into a title.
const hostile = "run\x1b]52;c;aGk=\x07 \u202egpj.exe\u202c 漢字"

func helpGroups() []dialog.Group {
	bind := func(k, what string) key.Binding { return key.NewBinding(key.WithKeys(k), key.WithHelp(k, what)) }
	return []dialog.Group{
		dialog.KeyGroup("Writing", bind("enter", "send"), bind("ctrl+j", "newline (also shift+enter, alt+enter)"), bind("ctrl+r", "search the prompts")),
		dialog.KeyGroup("Reading", bind("pgup", "page up"), bind("pgdn", "page down"), bind("ctrl+o", "expand or fold")),
		{Title: "Commands", Entries: []dialog.Entry{
			{Name: "/compact [focus]", What: "make room in the context window"}, {Name: "/context", What: "show what fills the context window"},
			{Name: "/model", What: "choose a model"}, {Name: "/quit", What: "leave"},
		}},
	}
}

func TestViews(t *testing.T) {
	t.Parallel()
	command := conversation.Review{Title: hostile, Command: "go test ./upload -count=10 && echo 'done, at last' | tee /tmp/result.txt", Offer: commandReview().Offer}
	scenes := []struct {
		name string
		make func() dialog.Dialog
		keys []string
	}{
		{"approve an edit", func() dialog.Dialog { return newApprove(editReview()) }, nil},
		{"approve a command", func() dialog.Dialog { return newApprove(command) }, []string{"down"}},
		{"edit a rule", func() dialog.Dialog { return newApprove(editReview()) }, []string{"w", "backspace"}},
		{"say why not", func() dialog.Dialog { return newApprove(command) }, append([]string{"n"}, letters("use a free port 漢字")...)},
		{"ask", func() dialog.Dialog {
			return newAsk("Which port should the test use? The server takes what it is given.", []string{"8080", "any free one"})
		}, []string{"down"}},
		{"choose", func() dialog.Dialog {
			return dialog.NewChoice("Carry out this plan?", "1. "+hostile+"\n2. Mend it.", []string{"yes · ask", "yes · edits"}, "no", func(int) pane.Action { return nil })
		}, []string{"down"}},
		{"fill in a form", func() dialog.Dialog { return newForm() }, append(letters("Ada"), "tab", "down", "right", "enter")},
		{"pick", func() dialog.Dialog { return newPicker(modelOptions()) }, nil},
		{"pick filtered", func() dialog.Dialog { return newPicker(modelOptions()) }, letters("qw")},
		{"pick nothing", func() dialog.Dialog {
			return newPicker(dialog.PickerOptions{Title: "Sessions", Empty: "no conversations yet"})
		}, nil},
		{"a secret", func() dialog.Dialog { return dialog.NewSecretLine(secretOptions()) }, nil},
		{"a secret that was typed", func() dialog.Dialog { return dialog.NewSecretLine(secretOptions()) }, letters("sk-0123456789-abcdefgh")},
		{"a secret that is tried", func() dialog.Dialog { return dialog.NewSecretLine(secretOptions()) }, append(letters("sk-0123456789-abcdefgh"), "enter")},
		{"help", func() dialog.Dialog {
			return dialog.NewHelp(dialog.Tab{Title: "chat", Groups: helpGroups()[:2]}, dialog.Tab{Title: "commands", Groups: helpGroups()[2:]})
		}, nil},
		{"text", func() dialog.Dialog {
			return dialog.NewText("Cost", "model              tokens   cost\nopenai/gpt-5.6     78.1k    $0.42\ndemo                1.2k    $0.00\n\n"+strings.Repeat("words that wrap ", 12))
		}, nil},
		{"confirm", func() dialog.Dialog {
			return newConfirm("Delete", "Delete \"Fix flaky upload test\" and its 41 events?", "delete it", "keep it")
		}, nil},
	}
	tuitest.Golden(t, [][2]int{{40, 12}, {80, 24}}, func(t *testing.T, b *strings.Builder, width, height int) {
		for _, scene := range scenes {
			s := openDialog(width, height, scene.make())
			press(s, scene.keys...)
			x, y := s.Position()
			fmt.Fprintf(b, "%s (at %d,%d", scene.name, x, y)
			if c := s.Cursor(); c != nil {
				fmt.Fprintf(b, ", cursor %d,%d", c.X, c.Y)
			}
			fmt.Fprintf(b, ")\n%s\n", plainView(s))
		}
	})
}

func secretOptions() dialog.SecretOptions {
	return dialog.SecretOptions{Title: "Connect openai", Text: "A key for OpenAI, to be tried first.\nKeys are made at https://openai.example/keys",
		Doing: "trying the key…", Enter: "try and store",
		Try: func(s dialog.Secret) pane.Action { return s }, Leave: func() {}}
}

var alphabet = []string{
	"a", "word ", " ", "\n", "\t", "漢", "かな", "한글", "👨‍👩‍👧‍👦", "👍🏽", "🇩🇪", "❤️", "e\u0301", "\u0301", "\u200d", "क्षि", "हिन्दी", "ตัวอย่าง",
	"العربية", "\u202e", "\x1b[31m", "\x1b]0;title\x07", "\x9b1m", "ﷺ", "+", "-", "@@", "—", "\xff", "\u200b", "\r\n",
	"\n\ufe0f", "\n\U0001f3fb", "\n\u0903", "\u0600", // characters that join their neighbours
}

func randomText(rng *rand.Rand, n int) string {
	var b strings.Builder
	for range rng.IntN(n) {
		b.WriteString(strings.Repeat(alphabet[rng.IntN(len(alphabet))], 1+rng.IntN(3)))
	}
	return b.String()
}

func randomOffer(rng *rand.Rand) conversation.Offer {
	o := conversation.Offer{Meaning: randomText(rng, 40), Warning: randomText(rng, 20)}
	for range rng.IntN(4) {
		o.Rules = append(o.Rules, randomText(rng, 60))
	}
	return o
}

func randomDialog(rng *rand.Rand) dialog.Dialog {
	switch rng.IntN(7) {
	case 0:
		return newApprove(conversation.Review{Title: randomText(rng, 40), Diff: "+" + randomText(rng, 300), Offer: randomOffer(rng)})
	case 1:
		return newApprove(conversation.Review{Title: randomText(rng, 40), Command: randomText(rng, 100), Offer: randomOffer(rng)})
	case 2:
		var options []string
		for range rng.IntN(14) {
			options = append(options, randomText(rng, 20))
		}
		return newAsk(randomText(rng, 100), options)
	case 3:
		var items []dialog.Item
		for i := range rng.IntN(60) {
			items = append(items, dialog.Item{ID: fmt.Sprint(i), Title: randomText(rng, 12), Columns: []string{randomText(rng, 12)}})
		}
		return newPicker(dialog.PickerOptions{Title: randomText(rng, 10), Items: items, Empty: randomText(rng, 10)})
	case 4:
		group := dialog.Group{Title: plain.Line(randomText(rng, 10))}
		for range rng.IntN(30) {
			group.Entries = append(group.Entries, dialog.Entry{Name: plain.Line(randomText(rng, 6)), What: plain.Line(randomText(rng, 20))})
		}
		return dialog.NewHelp(dialog.Tab{Title: plain.Line(randomText(rng, 10)), Groups: []dialog.Group{group, group}}, dialog.Tab{Title: plain.Line(randomText(rng, 10)), Groups: []dialog.Group{group}})
	case 5:
		return newConfirm(randomText(rng, 10), randomText(rng, 60), randomText(rng, 5), randomText(rng, 5))
	}
	return dialog.NewText(randomText(rng, 10), randomText(rng, 400))
}

func TestDialogsFitTheScreen(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	keys := []string{"down", "up", "tab", "pgdown", "end", "home", "漢", "👍🏽", "left", "right", "backspace", "delete", "ctrl+w", "space", "n", "f5"}
	for range 120 {
		width, height := 20+rng.IntN(180), 8+rng.IntN(52)
		s := openDialog(width, height, randomDialog(rng))
		wantOnlyItsPlaceCovered(t, s, width, height)
		for range 10 {
			if s.Len() == 0 {
				break
			}
			wantFits(t, s, width, height)
			press(s, keys[rng.IntN(len(keys))])
			if rng.IntN(6) == 0 {
				width, height = 20+rng.IntN(180), 8+rng.IntN(52)
				s.SetSize(width, height)
			}
		}
	}
}

func wantFits(t *testing.T, s *dialog.Stack, width, height int) {
	t.Helper()
	lines := strings.Split(s.View(), "\n")
	want := ansi.StringWidth(lines[0])
	x, y := s.Position()
	if x < 0 || y < 0 || x+want > width || y+len(lines) > height || len(lines) < 3 {
		t.Fatalf("%dx%d at %d,%d of a screen of %dx%d", want, len(lines), x, y, width, height)
	}
	for _, line := range lines {
		if got := ansi.StringWidth(line); got != want {
			t.Fatalf("a line of %d cells in a box of %d: %q\n%s", got, want, line, plainView(s))
		}
		if plain := ansi.Strip(line); strings.ContainsAny(plain, "\x1b\x07\u009b\r\u202e") {
			t.Fatalf("a control character in %q", plain)
		}
	}
	if c := s.Cursor(); c != nil && (c.X <= x || c.X >= x+want-1 || c.Y <= y || c.Y >= y+len(lines)-1) {
		t.Fatalf("cursor at %d,%d outside the box of %d at %d,%d\n%s", c.X, c.Y, want, x, y, plainView(s))
	}
}

// wantOnlyItsPlaceCovered draws a dialog over a screen of wide characters, and checks the cells around it.
func wantOnlyItsPlaceCovered(t *testing.T, s *dialog.Stack, width, height int) {
	t.Helper()
	screenLine := ansi.Truncate(strings.Repeat("漢字 \x1b[31mab\x1b[m", 60), width, "")
	x, y := s.Position()
	box := strings.Split(s.View(), "\n")
	end := x + ansi.StringWidth(box[0])
	over, _ := s.Over(strings.Repeat(screenLine+"\n", height-1) + screenLine)
	whole := strings.Split(over, "\n")
	if len(whole) != height {
		t.Fatalf("a screen of %d lines became %d", height, len(whole))
	}
	for i, line := range whole {
		inside := i >= y && i < y+len(box)
		if !inside && line != screenLine {
			t.Fatalf("line %d outside the dialog changed: %q", i, line)
		}
		if got := ansi.StringWidth(line); inside && (got != max(ansi.StringWidth(screenLine), end) || !strings.Contains(line, box[i-y])) {
			t.Fatalf("line %d has %d cells of %d: %q", i, got, width, line)
		}
	}
}

// largeDiff opens a question about a diff of 230 kB.
func largeDiff(b *testing.B) *dialog.Stack {
	b.Helper()
	var d strings.Builder
	d.WriteString("--- a/x.go\n+++ b/x.go\n")
	for i := range 1500 {
		fmt.Fprintf(&d, "@@ -%[1]d,4 +%[1]d,4 @@\n \tkept := %[1]d\n-\tsome line of code that is removed, %[1]d\n+\tsome other line of code that was added, %[1]d\n \treturn a, line(that, is, kept)\n \t}\n", 10*i+1)
	}
	s := openDialog(120, 40, newApprove(conversation.Review{Title: "modify_file x", Diff: d.String()}))
	if !strings.Contains(plainView(s), "+1,500 −1,500") {
		b.Fatal("this is no diff")
	}
	return s
}

// Budget: 1 ms to draw a diff of 230 kB after a key.
func BenchmarkScrollLargeDiff(b *testing.B) {
	s := largeDiff(b)
	for b.Loop() {
		press(s, "j")
		_ = s.View()
		press(s, "k")
	}
}
