package dialog_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/dialog"
	"plimsoll/tui/tuitest"
)

const typedSecret = "sk-very-secret-0123456789"

func TestASecretIsShownByItsLengthAndItsEnd(t *testing.T) {
	t.Parallel()
	line := dialog.NewSecretLine(secretOptions())
	s := openDialog(80, 24, line)
	s.Update(tea.PasteMsg{Content: "  " + typedSecret + "\n"}, later)
	seen := plainView(s)
	if strings.Contains(seen, "secret") || !strings.Contains(seen, "25 characters, ends in 6789") {
		t.Errorf("the dialog shows\n%s", seen)
	}
	action := s.Update(tuitest.Key("enter"), later)
	got, ok := action.(dialog.Secret)
	if !ok || got.Reveal() != typedSecret || s.Top() != line {
		t.Fatalf("enter returns %#v, %d dialogs are open", action, s.Len())
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		if text := fmt.Sprintf(format, got); strings.Contains(text, "very") || strings.Contains(text, fmt.Sprintf("%x", "very")) {
			t.Errorf("%s writes %s", format, text)
		}
	}
}

func TestASecretThatFailsIsReplacedByTheNextPaste(t *testing.T) {
	t.Parallel()
	line := dialog.NewSecretLine(secretOptions())
	s := openDialog(80, 24, line)
	enter := func(text string) dialog.Secret {
		s.Update(tea.PasteMsg{Content: text}, later)
		action := s.Update(tuitest.Key("enter"), later)
		got, _ := action.(dialog.Secret)
		return got
	}
	enter("one-that-is-wrong")
	if got := enter("while it is tried"); got.Reveal() != "" {
		t.Errorf("a second secret is accepted during the check: %q", got.Reveal())
	}
	line.Failed("it is \x1b[31mwrong")
	if seen := plainView(s); !strings.Contains(seen, "it is ␛[31mwrong") {
		t.Errorf("the reason is not shown:\n%s", seen)
	}
	if got := enter(typedSecret); got.Reveal() != typedSecret {
		t.Errorf("the dialog returns %q", got.Reveal())
	}
	if s.Update(tuitest.Key("esc"), later); s.Len() != 0 {
		t.Error("esc does not close the dialog")
	}
}

func TestASecretIsNeitherUndoneNorYanked(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"ctrl+z", "ctrl+y", "ctrl+_"} {
		s := openDialog(80, 24, dialog.NewSecretLine(secretOptions()))
		s.Update(tea.PasteMsg{Content: typedSecret}, later)
		press(s, "ctrl+u", key)
		if seen := plainView(s); !strings.Contains(seen, "paste it here") {
			t.Errorf("%s restores the secret:\n%s", key, seen)
		}
	}
}
