package tui_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui"
)

// Every key in the help works: there is a state of its view in which pressing it
// changes the screen, asks a port or asks the terminal. The states of a view are tried
// in order until one does.

// state is a way to bring the screen somewhere.
type state func(*rig)

// then is a state and keys that lead on from it.
func (s state) then(keys ...string) state {
	return func(r *rig) { s(r); r.press(keys...) }
}

// enters is a state and a line that is sent there.
func (s state) enters(line string) state { return func(r *rig) { s(r); r.enter(line) } }

// cut are states of a text of two words in which something was cut, and in which it was undone.
func (s state) cut() []state {
	return []state{s.then("end", "ctrl+w", "left", "ctrl+w", "ctrl+y"), s.then("end", "ctrl+w", "ctrl+_")}
}

// on is a state with the cursor of a list on a row.
func (s state) on(row string) state {
	return func(r *rig) { s(r); r.to(row) }
}

// statesOf are the states in which the keys of a part of the keymap are tried.
func statesOf(t *testing.T, part string) []state {
	t.Helper()
	rest := state(func(*rig) {})
	low := state(func(r *rig) { r.resize(100, 16) }) // all lists are longer than the screen
	open := func(name string) state {
		return func(r *rig) { low(r); views[name](r) }
	}
	switch part {
	case "Dialogs":
		return dialogStates(rest)
	case "History":
		h := open("history")
		typed := h.then("/", "t", "w", "o", " ", "w", "o", "r", "d", "s")
		return append(typed.cut(), h, h.then("home"), h.on("e10 "), h.on("e7 "), h.on("e13 "), h.on("e14 "), h.on("e22 "), h.then("[", "["),
			h.then("/", "f", "i", "x", "enter"), typed, typed.then("home"), h.on("e1 ").then("enter", "1"), open("ledger"))
	case "Context":
		c := open("context")
		return []state{c, c.then("end"), c.on("run_command")}
	case "Preview":
		p := state(func(r *rig) { r.resize(100, 12); views["preview"](r) })
		heavy := p.then("right")
		some := func(r *rig) {
			p(r)
			r.press("}")
			u := previewed("", 6_000)
			u.Preview.Range.From = 1
			r.happen(u)
		}
		typed := heavy.then("f", "t", "w", "o", " ", "w", "o", "r", "d", "s", "alt+left")
		return append(typed.cut(), p, p.then("pgdown"), p.then("["), some, heavy, typed, typed.then("ctrl+w", "left"))
	case "Review":
		v := open("review")
		typed := v.then("e", "t", "w", "o", " ", "w", "o", "r", "d", "s", " ", "alt+left")
		return append(typed.cut(), v, v.then("end"), v.then("x"), v.then("?"), typed, typed.then("down", "down", "pgdown"))
	case "Search":
		s := state(func(r *rig) { r.resize(100, 8); views["search"](r) })
		return append(s.then(" ", "x").cut(), s, s.then("ctrl+end"), s.then("left"))
	case "Settings":
		s := state(func(r *rig) { r.resize(80, 12); views["settings"](r) })
		typed := s.on("trigger_ratio").then("enter", " ", "2", " ", "3", "alt+left")
		changed := s.on("trigger_ratio").then("enter", "up", "enter")
		return append([]state{s, s.then("end"), changed, s.then("enter"), s.on("trigger_ratio").then("enter"), typed, typed.then("ctrl+w", "left"), changed.then("s")},
			typed.cut()...)
	case "Diff":
		d := open("diff")
		typed := d.then("/", "t", "w", "o", " ", "w", "o", "r", "d", "s")
		return append(typed.cut(), d, d.then("end"), d.then("enter"), d.then("enter", "end"), d.then("/", "t", "w", "o", "enter"), typed, typed.then("home"), typed.then("left", "left"))
	case "Screen", "Composer":
		return screenStates(rest)
	}
	t.Fatalf("nobody says in which states the keys of %s do something: add a case to statesOf", part)
	return nil
}

// screenStates are those of the conversation and the composer.
func screenStates(rest state) []state {
	draft := state(func(r *rig) { r.send(tea.PasteMsg{Content: "two words\nand a line of more words"}) })
	busy := state(func(r *rig) {
		r.happen(updates.Status{Phase: updates.Streaming, Since: time.Now()}, updates.Queued{Texts: []string{"later"}})
	})
	return []state{rest, func(r *rig) { r.write("x") }, draft, draft.then("alt+left", "left"), draft.then("up", "alt+left"), draft.then("ctrl+home"),
		busy, rest.then("pgup"), rest.then("home"), func(r *rig) { r.write("/co") }, rest.then("up", "up"), rest.then("ctrl+r"),
		draft.then("shift+left"), draft.then("ctrl+w"), draft.cut()[0], draft.cut()[1]}
}

// dialogStates are dialogs of all kinds.
func dialogStates(rest state) []state {
	asked := func(u updates.AskApproval) state {
		return func(r *rig) {
			r.happen(updates.Status{Phase: updates.Asking}, u)
			r.pass(2 * time.Second)
		}
	}
	question := updates.AskApproval{Call: conversation.ToolCall{ID: "c2", Name: "ask_user"},
		Review: conversation.Review{Need: conversation.NeedAnswer, Question: "which one?", Options: []string{"this", "that"}}}
	own := asked(question).then("down", "down", "t", "w", "o", " ", "w", "o", "r", "d", "s")
	help := state(func(r *rig) { r.resize(100, 16); r.press("?") })
	approve := asked(offered())
	stored := state(func(r *rig) {
		r.stored = []tui.Stored{{ID: "first", Title: "one", Turns: 1, Size: 1}, {ID: "other", Title: "another", Turns: 2, Size: 2}}
		r.enter("/resume")
	})
	return append(own.cut(), rest.enters("/model"), stored, stored.then("down"), rest.then("ctrl+p"), rest.then("ctrl+p", "down", "down"), help, help.then("end"), approve, approve.then("tab"), approve.then("right"),
		asked(question), own, own.then("home"), own.then("left", "left"), func(r *rig) { r.enter("/delete"); r.pass(2 * time.Second) })
}

// deed is what came of a key, told apart from what was before.
type deed struct {
	changed bool   // something is different
	asked   string // of the ports and the terminal
}

// pressed presses a key in a state of a screen of its own.
func pressed(t *testing.T, keys tui.KeyMap, s state, name string) (d deed) {
	screenIn(t, func(r *rig, o *tui.Options) {
		telling(r, o)
		o.Keys = keys
		r.prompts = []string{"one", "two", "three"}
		r.first.Profiles[1].Summarises = true
	}, func(r *rig) {
		s(r)
		r.calls, r.asked = nil, nil
		v := r.m.View()
		before := fmt.Sprint(v.Content, v.Cursor)
		r.press(name)
		v = r.m.View()
		d.asked = fmt.Sprint(r.calls, r.asked, r.quit)
		d.changed = before != fmt.Sprint(v.Content, v.Cursor) || d.asked != fmt.Sprint([]string{}, []string{}, false)
	})
	return d
}

// spare is a key that nothing has a use for.
const spare = "f9"

func TestEveryKeyWorks(t *testing.T) {
	off := map[string]bool{} // the actions that have no key by default
	for _, action := range tui.Actions() {
		part, b := binding(t, action)
		if !b.Enabled() {
			off[action] = true
			continue
		}
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			rebound, err := tui.DefaultKeyMap().Rebind(map[string][]string{action: {spare}})
			if err != nil {
				t.Fatal(err)
			}
			// With a key that means nothing else it is the action that does something.
			left := b.Keys()
			acts := false
			for _, s := range statesOf(t, part) {
				want := pressed(t, rebound, s, spare)
				if !want.changed {
					continue
				}
				acts = true
				left = slices.DeleteFunc(slices.Clone(left), func(name string) bool { return pressed(t, tui.DefaultKeyMap(), s, name) == want })
				if len(left) == 0 {
					return
				}
			}
			if !acts {
				t.Fatal("the action does nothing in any state")
			}
			t.Errorf("the keys %q do not do in any state what the action does", left)
		})
	}
	t.Run("off", func(t *testing.T) {
		for action := range off {
			t.Errorf("%s has no key", action)
		}
	})
}

// binding is the default binding of an action, and the part of the keymap it is in.
func binding(t *testing.T, action string) (part string, b key.Binding) {
	t.Helper()
	k, err := tui.DefaultKeyMap().Rebind(map[string][]string{action: {spare}})
	if err != nil {
		t.Fatal(err)
	}
	before, after := reflect.ValueOf(tui.DefaultKeyMap()), reflect.ValueOf(k)
	for i := range before.NumField() {
		was := bindings(before.Field(i))
		for j, b := range bindings(after.Field(i)) {
			if slices.Equal(b.Keys(), []string{spare}) {
				return before.Type().Field(i).Name, was[j]
			}
		}
	}
	t.Fatalf("%s has no binding", action)
	return "", key.Binding{}
}

// The help lists every key, with what it does.
func TestTheHelpListsEveryKey(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.resize(80, 900) // in one column
		r.press("?")
		page := strings.Join(strings.Fields(strings.ReplaceAll(strings.Join(r.tabs(), "\n"), "│", "")), " ")
		for _, b := range all(tui.DefaultKeyMap()) {
			h := b.Help()
			if b.Enabled() && !strings.Contains(page, strings.Join(strings.Fields(h.Key+" "+h.Desc), " ")) {
				t.Errorf("the help does not say that %s is: %s", h.Key, h.Desc)
			}
		}
	})
}
