package dialog_test

import (
	"strings"
	"testing"

	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// conversationOptions returns a list with a preview, an action and a focus, without a setting.
func conversationOptions() dialog.PickerOptions {
	return dialog.PickerOptions{Title: "Continue", Preview: 4,
		Acts:  []dialog.Act{{Key: dialog.DefaultKeyMap().Lists.Sort, Word: "sort", Do: func(item string) pane.Action { return "sort " + item }}},
		Focus: func(item string) pane.Action { return focused{item} },
		Items: []dialog.Item{{ID: "1", Title: "first"}, {ID: "2", Title: "second"}}}
}

func TestListKeysReturnActions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys []string
		want pane.Action
	}{
		{[]string{"ctrl+s"}, "sort 1"},
		{[]string{"ctrl+f"}, pane.Ignored{}}, // this list has no such action
		{[]string{"down"}, focused{"2"}},
		{[]string{"s", "e", "c"}, focused{"2"}},
		{append(letters("zzz"), "ctrl+s"), focused{}}, // no item matches
	} {
		s := openDialog(80, 24, newPicker(conversationOptions()))
		t.Run(strings.Join(c.keys, " "), func(t *testing.T) {
			var got pane.Action
			for _, k := range c.keys {
				if a := press(s, k); a != nil {
					got = a
				}
			}
			wantAction(t, got, c.want)
			if s.Len() != 1 {
				t.Error("the list was closed")
			}
		})
	}
}

func TestAListShowsThePreviewOfTheSelectedItem(t *testing.T) {
	t.Parallel()
	p := newPicker(conversationOptions())
	s := openDialog(80, 24, p)
	p.SetPreview("1", "You: \x1b[31mwhat is first")
	if v := plainView(s); !strings.Contains(v, "what is first") || strings.Contains(s.View(), "\x1b[31mwhat") {
		t.Error(v)
	}
	press(s, "down")
	if v := plainView(s); strings.Contains(v, "what is first") {
		t.Error(v)
	}
	s.SetSize(40, 8) // no room
	press(s, "up")
	if v := plainView(s); strings.Contains(v, "what is first") || !strings.Contains(v, "second") {
		t.Errorf("on a low screen:\n%s", v)
	}
}

func TestTheEffortIsChosenWithTheModel(t *testing.T) {
	t.Parallel()
	o := modelOptions()
	o.Setting = &dialog.Setting{Name: "effort", Values: []string{"auto", "low", "high"}}
	o.Items[2].Fixed = true
	for keys, value := range map[string]string{"enter": "", "right enter": "low", "left enter": "high", "right right right enter": "", "right up enter": "low", "right down enter": "", "down right up enter": ""} {
		s := openDialog(80, 24, newPicker(o))
		if v := plainView(s); !strings.Contains(v, "effort  ‹ auto ›") {
			t.Fatalf("the setting is not shown:\n%s", v)
		}
		got, ok := press(s, strings.Fields(keys)...).(picked)
		if !ok || got.value != value {
			t.Errorf("%s: %+v", keys, got)
		}
	}
}
