package tui_test

import (
	"testing"

	"plimsoll/agent/llm"
	"plimsoll/tui"
)

// rules is the model that a newcomer talks to.
func rules() llm.Model { return llm.Model{Provider: "demo", ID: "rules", Badge: "not an AI"} }

func TestTheWelcomeNamesKeysAsTheyAreBound(t *testing.T) {
	for _, c := range []struct {
		keys map[string][]string
		want []string
	}{
		{nil, []string{"ctrl+x undoes that", "› ctrl+t   (the full conversation next to what the model is sent)"}},
		{map[string][]string{"undo_compaction": {"f6"}, "history": {"f7"}}, []string{"f6 undoes that", "› f7 "}},
		{map[string][]string{"undo_compaction": {}, "history": {}}, []string{"/undo-compact undoes that", "› /history "}},
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
