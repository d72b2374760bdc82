package overlay_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

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

func TestAListSaysWhatItAsksAndWhatFailed(t *testing.T) {
	t.Parallel()
	p := overlay.NewPicker(chats())
	s := open(120, 24, p)
	shows := func(texts ...string) {
		t.Helper()
		for _, text := range texts {
			if v := strip(s); !strings.Contains(v, text) {
				t.Errorf("nothing says %q:\n%s", text, v)
			}
		}
	}
	shows("ctrl+s sort", "ctrl+r rename", "ctrl+x delete", "ctrl+o fork")
	press(s, "ctrl+x")
	shows("Delete it permanently?", "y delete", "esc keep it")
	press(s, "esc", "ctrl+r")
	shows("Title: the first", "enter rename")
	press(s, "esc")
	p.Failed("conversation 1 is open in another window")
	s.Redraw()
	shows("! conversation 1 is open in another window")
	press(s, "down")
	if v := strip(s); strings.Contains(v, "! conversation") {
		t.Errorf("it still says why:\n%s", v)
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

func TestAListKeepsWhatIsSelected(t *testing.T) {
	t.Parallel()
	p := overlay.NewPicker(chats())
	s := open(80, 24, p)
	press(s, "down")
	p.SetItems([]overlay.Item{{ID: "2", Title: "second"}, {ID: "3", Title: "third"}, {ID: "1", Title: "first"}})
	if p.Selected() != "2" {
		t.Errorf("selected is %q", p.Selected())
	}
	p.SetItems([]overlay.Item{{ID: "3", Title: "third"}, {ID: "1", Title: "first"}})
	if p.Selected() != "3" { // what stands in its place
		t.Errorf("selected is %q", p.Selected())
	}
	p.SetItems(nil)
	if p.Selected() != "" {
		t.Errorf("selected is %q", p.Selected())
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

// A list that is too narrow for all that is known of its items shows less, and cuts nothing.
func TestAListShowsTheFullestFormThatFits(t *testing.T) {
	t.Parallel()
	forms := []string{"128k  $1.25  OPENAI_API_KEY", "128k  $1.25", "128k"}
	for _, c := range []struct{ width, form int }{{120, 0}, {80, 0}, {60, 1}, {48, 2}, {44, 2}} {
		s := overlay.New(overlay.DefaultKeyMap(), overlay.DefaultStyles())
		s.SetSize(c.width, 24)
		s.Push(overlay.NewPicker(overlay.PickerOptions{Heads: []string{"window  price  key", "window  price", "window"},
			Items: []overlay.Item{{ID: "a", Title: "openai/gpt-5.6-luna-mini-1", Details: forms}, {ID: "b", Title: "b", Details: []string{"", "", ""}}}}), time.Now())
		view := ansi.Strip(s.View())
		if !strings.Contains(view, "openai/gpt-5.6-luna-mini-1  "+forms[c.form]+"  ") {
			t.Errorf("%d cells:\n%s", c.width, view)
		}
		if head := []string{"window  price  key ", "window  price  ", "window  "}[c.form]; !strings.Contains(view, head) {
			t.Errorf("%d cells: no head:\n%s", c.width, view)
		}
	}
}
