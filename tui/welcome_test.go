package tui_test

import (
	"testing"

	"plimsoll/agent/llm"
	"plimsoll/tui"
)

func demoModel() llm.Model { return llm.Model{Provider: "demo", ID: "rules", Badge: "not an AI"} }

func TestTheWelcomeNamesBoundKeys(t *testing.T) {
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
				r.first.Model = demoModel()
				keys, err := tui.DefaultKeyMap().Rebind(c.keys)
				if err != nil {
					t.Fatal(err)
				}
				o.Keys = keys
			}, func(r *rig) { r.wantText(append(c.want, "what is in this project?", "fill the gauge")...) })
		})
	}
}

func TestTheWelcomeShowsFoundServersAndKeys(t *testing.T) {
	found := []string{"a key for openai", "a server at \x1b[2Jhost"}
	screenOf(t, "beside a model", func(r *rig, _ *tui.Options) { r.first.Found = found }, func(r *rig) {
		r.wantText("Talking to openai/gpt-5.6-luna.", "Found: a key for openai, a server at ␛[2Jhost. /connect adds others.")
	})
	screenOf(t, "beside the demo model", func(r *rig, _ *tui.Options) { r.first.Model, r.first.Found = demoModel(), found[:1] }, func(r *rig) {
		r.wantText("Found: a key for openai. Connect a real model: enter")
	})
	screenOf(t, "nothing", nil, func(r *rig) { r.wantNoText("Found:") })
}

func TestASuggestionIsChosenByItsNumber(t *testing.T) {
	withDemoModel := func(r *rig, _ *tui.Options) { r.first.Model = demoModel() }
	for name, c := range map[string]struct {
		change func(*rig, *tui.Options)
		typed  string
		want   string
	}{
		"number":        {withDemoModel, "2", "first send fill the gauge"},
		"command":       {withDemoModel, "3", ""},
		"another text":  {withDemoModel, "3 things", "first send 3 things"},
		"another model": {nil, "2", "first send 2"},
	} {
		screenOf(t, name, c.change, func(r *rig) {
			r.submit(c.typed)
			if c.want == "" {
				r.wantInspected()
				return
			}
			r.wantCalls(c.want)
		})
	}
}
