package tui_test

import (
	"testing"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
	"plimsoll/tui"
)

// rules is the model that a newcomer talks to.
func rules() llm.Model { return llm.Model{Provider: "demo", ID: "rules", Badge: "not an AI"} }

func TestTheWelcomeNamesKeysAsTheyAreBound(t *testing.T) {
	for _, c := range []struct {
		keys map[string][]string
		want []string
	}{
		{nil, []string{"ctrl+x undoes that", "ctrl+t shows the originals"}},
		{map[string][]string{"undo_compaction": {"f6"}, "history": {"f7"}}, []string{"f6 undoes that", "f7 shows the originals", "press tab, then enter"}},
		{map[string][]string{"undo_compaction": {}, "history": {}}, []string{"/undo-compact undoes that", "/history shows the originals"}},
	} {
		t.Run(c.want[0], func(t *testing.T) {
			screen(t, func(r *rig, o *tui.Options) {
				r.first.Model = rules()
				keys, err := tui.DefaultKeyMap().Rebind(c.keys)
				if err != nil {
					t.Fatal(err)
				}
				o.Keys = keys
			}, func(r *rig) { r.has(append(c.want, "what is in this project?", "fill the gauge")...) })
		})
	}
}

func TestTheWelcomeSaysWhatWasFound(t *testing.T) {
	found := []string{"a key for openai", "a server at \x1b[2Jhost"}
	t.Run("beside a model", func(t *testing.T) {
		screen(t, func(r *rig, _ *tui.Options) { r.first.Found = found }, func(r *rig) {
			r.has("Talking to openai/gpt-5.6-luna.", "Found: a key for openai, a server at ␛[2Jhost. /connect adds others.")
		})
	})
	t.Run("beside the demo model", func(t *testing.T) {
		screen(t, func(r *rig, _ *tui.Options) { r.first.Model, r.first.Found = rules(), found[:1] }, func(r *rig) {
			r.has("Found: a key for openai. enter connects a real model")
		})
	})
	t.Run("nothing", func(t *testing.T) {
		screen(t, nil, func(r *rig) { r.lacks("Found:") })
	})
}

// A number is typed like any other text, and stands for a suggestion only when nothing
// else was typed.
func TestASuggestionIsChosenByItsNumberOrWithTab(t *testing.T) {
	demo := func(r *rig, _ *tui.Options) { r.first.Model = rules() }
	t.Run("number", func(t *testing.T) {
		screen(t, demo, func(r *rig) {
			r.did("open")
			r.write("2")
			r.has("│ 2 ", "sends: fill the gauge")
			r.press("enter")
			r.did("first send fill the gauge")
		})
	})
	t.Run("command", func(t *testing.T) {
		screen(t, demo, func(r *rig) {
			r.did("open")
			r.write("3")
			r.press("enter")
			r.has("Context")
			r.did("first inspect")
		})
	})
	t.Run("a text that begins with a number", func(t *testing.T) {
		screen(t, demo, func(r *rig) {
			r.did("open")
			r.write("3 things")
			r.lacks("sends:")
			r.press("enter")
			r.did("first send 3 things")
		})
	})
	t.Run("tab", func(t *testing.T) {
		screen(t, demo, func(r *rig) {
			r.did("open")
			r.press("tab")
			r.has("│ what is in this project?")
			r.press("tab")
			r.has("│ fill the gauge")
			r.write("!")
			r.press("tab", "enter")
			r.did("first send fill the gauge!")
		})
	})
	t.Run("another model", func(t *testing.T) {
		screen(t, nil, func(r *rig) {
			r.did("open")
			r.write("2")
			r.press("tab", "enter")
			r.did("first send 2")
		})
	})
}

// The empty composer names the next step until a real model answers.
func TestTheComposerNamesTheNextStep(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.first.Model = rules() }, func(r *rig) {
		r.has("Ask something.")
		next := func(want, text string, bodies ...conversation.Body) {
			t.Helper()
			r.append(bodies...)
			r.has("Next: " + want)
			r.press("tab")
			r.has("│ " + text)
			r.press("ctrl+u")
		}
		next("let the demo fill the gauge past ▲ (tab: fill the gauge)", "fill the gauge", conversation.UserMessage{Text: "hello"})
		next("/context shows what fills the window; past ▲ it is compacted", "/context", conversation.UserMessage{Text: "Fill the gauge "})
	})
}
