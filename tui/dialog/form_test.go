package dialog_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/conversation"
	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// sent is the action of a form.
type sent struct {
	Values map[string]any
	OK     bool
}

func newForm() *dialog.Form {
	one := 1.0
	return dialog.NewForm(conversation.Review{Need: conversation.NeedForm, Title: "The server harbour asks", Question: "Who loads the ship? " + hostile, Form: []conversation.FormField{
		{Name: "name", Title: "Name", Type: "string", Required: true, Description: "of the owner"},
		{Name: "crew", Title: "Crew", Type: "integer", Min: &one, Required: true},
		{Name: "line", Title: "Load line", Type: "choice", Options: []string{"s", "w"}, Labels: []string{"summer", "winter"}, Default: "w"},
		{Name: "flags", Title: "Flags", Type: "choices", Options: []string{"r", "g"}, Labels: []string{"red", "green"}, Default: []any{"g"}},
		{Name: "insured", Title: "Insured", Type: "boolean", Default: true},
		{Name: "note", Title: "Note", Type: "string", Default: "\x1b[31mred"},
	}}, func(values map[string]any, ok bool) pane.Action { return sent{values, ok} })
}

func TestFormSendsWhatItsFieldsTake(t *testing.T) {
	t.Parallel()
	s := openDialog(80, 24, newForm())
	if action := press(s, append(letters("Ada"), "enter")...); action != nil {
		t.Fatalf("a form without a needed field was sent: %v", action)
	}
	// The cursor is at the field that is missing. A blank changes a choice, and so do the arrows.
	press(s, "0", "enter", "backspace", "7", "down", "left", "down", " ", "down", "right", "down", "left")
	wantAction(t, press(s, "enter"), sent{map[string]any{"name": "Ada", "crew": int64(7), "line": "s", "flags": []any{"r"}, "insured": false, "note": "␛[31mred"}, true})

	s = openDialog(40, 12, newForm())
	wantAction(t, press(s, "esc"), sent{})

	s = openDialog(40, 12, dialog.NewForm(conversation.Review{Title: "The server harbour asks", Question: "Go on?"}, func(values map[string]any, ok bool) pane.Action { return sent{values, ok} }))
	wantAction(t, press(s, " ", "x", "tab", "enter"), sent{map[string]any{}, true})
}

func TestFormIsSentOnceAllOfItsQuestionWasShown(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("- point %d;", i))
	}
	s := openDialog(40, 12, dialog.NewForm(conversation.Review{Title: "The server harbour asks", Question: strings.Join(lines, "\n")}, func(values map[string]any, ok bool) pane.Action { return sent{values, ok} }))
	seen := plainView(s)
	for press(s, "enter") == nil {
		seen += plainView(s)
	}
	for _, line := range lines {
		if !strings.Contains(seen, line) {
			t.Errorf("%q was sent unread", line)
		}
	}
}
