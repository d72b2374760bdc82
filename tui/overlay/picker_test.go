package overlay_test

import (
	"strings"
	"testing"

	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

// chats is a list that can do everything but be dialled.
func chats() overlay.PickerOptions {
	return overlay.PickerOptions{ID: "chats", Title: "Continue", Preview: 4,
		Acts:  []overlay.Act{overlay.ActSort, overlay.ActRename, overlay.ActFork, overlay.ActRemove},
		Items: []overlay.Item{{ID: "1", Title: "first", Name: "the first"}, {ID: "2", Title: "second"}}}
}

func TestAListDoesMoreThanChoose(t *testing.T) {
	t.Parallel()
	acted := func(act overlay.Act, text string) pane.Action {
		return overlay.Acted{ID: "chats", Item: "1", Act: act, Text: text}
	}
	for _, c := range []struct {
		keys []string
		want pane.Action
	}{
		{[]string{"ctrl+s"}, acted(overlay.ActSort, "")},
		{[]string{"ctrl+o"}, acted(overlay.ActFork, "")},
		{[]string{"ctrl+f"}, pane.Ignored{}}, // it does not have it
		{[]string{"ctrl+r", "!", "enter"}, acted(overlay.ActRename, "the first!")},
		{[]string{"ctrl+r", "ctrl+u", "enter"}, nil},
		{[]string{"ctrl+r", "esc"}, nil},
		{[]string{"ctrl+x", "y"}, acted(overlay.ActRemove, "")},
		{[]string{"ctrl+x", "n"}, nil},
		{[]string{"ctrl+x", "enter"}, nil},
		{[]string{"ctrl+x", "esc"}, nil},
		{[]string{"down"}, overlay.Focused{ID: "chats", Item: "2"}},
		{[]string{"s", "e", "c"}, overlay.Focused{ID: "chats", Item: "2"}},
		{append(letters("zzz"), "ctrl+x", "y"), nil}, // there is nothing to delete
	} {
		s := open(80, 24, overlay.NewPicker(chats()))
		t.Run(strings.Join(c.keys, " "), func(t *testing.T) {
			var got pane.Action
			for _, k := range c.keys {
				if a := press(s, k); a != nil {
					got = a
				}
			}
			want(t, got, c.want)
			if s.Len() != 1 {
				t.Error("the list was closed")
			}
		})
	}
}

func TestAListShowsWhatIsKnownOfTheSelectedItem(t *testing.T) {
	t.Parallel()
	p := overlay.NewPicker(chats())
	s := open(80, 24, p)
	if p.Wanted() != "1" {
		t.Errorf("wanted is %q", p.Wanted())
	}
	p.SetPreview("1", "You: \x1b[31mwhat is first")
	s.Redraw()
	if v := strip(s); !strings.Contains(v, "what is first") || strings.Contains(s.View(), "\x1b[31mwhat") || p.Wanted() != "" {
		t.Errorf("wanted is %q:\n%s", p.Wanted(), v)
	}
	press(s, "down")
	if v := strip(s); strings.Contains(v, "what is first") || p.Wanted() != "2" {
		t.Errorf("wanted is %q:\n%s", p.Wanted(), v)
	}
	s.SetSize(40, 8) // no room
	press(s, "up")
	if v := strip(s); strings.Contains(v, "what is first") || !strings.Contains(v, "second") {
		t.Errorf("on a low screen:\n%s", v)
	}
}

func TestADialIsChosenWithTheItem(t *testing.T) {
	t.Parallel()
	o := models()
	o.Dial = &overlay.Dial{Name: "effort", Values: []string{"auto", "low", "high"}}
	o.Items[2].Fixed = true
	for keys, value := range map[string]string{"enter": "", "right enter": "low", "left enter": "high", "right right right enter": "", "right up enter": "low", "right down enter": "", "down right up enter": ""} {
		s := open(80, 24, overlay.NewPicker(o))
		if v := strip(s); !strings.Contains(v, "effort  ‹ auto ›") {
			t.Fatalf("no dial:\n%s", v)
		}
		got, ok := press(s, strings.Fields(keys)...).(overlay.Picked)
		if !ok || got.Value != value {
			t.Errorf("%s: %+v", keys, got)
		}
	}
}
