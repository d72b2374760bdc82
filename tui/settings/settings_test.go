package settings_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/meter"
	"plimsoll/config"
	"plimsoll/tui/pane"
	"plimsoll/tui/settings"
	"plimsoll/tui/tuitest"
)

// hostile is text with control characters, as a file may contain it.
const hostile = "the \x1b]52;c;aGk=\x07 port \u202egpj.exe\u202c 漢字"

// gauge is a simple replacement for the gauge: a mark at the load line.
func gauge(r meter.Reading, width int) string {
	at := max(0, min(width-1, r.LoadLine*width/max(r.Window.Tokens, 1)))
	return strings.Repeat("-", at) + "▲" + strings.Repeat("-", width-at-1)
}

func gauges(now, then meter.Reading, width int) (string, string) {
	return gauge(now, width), gauge(then, width)
}

func reading(line int) meter.Reading {
	return meter.Reading{Window: meter.Window{Tokens: 128_000}, Used: 40_000, AfterSend: 40_000, LoadLine: line, HardLine: 121_600}
}

func content() settings.Content {
	return settings.Content{
		Reading: reading(108_800), Next: "In about 68,800 tokens (7 turns), at 108,800: the oldest turns are evicted, and a note replaces them; about 51,200 tokens remain.",
		Rows: []settings.Row{
			{Section: "Compaction", From: "preset plimsoll", Applies: "at once, and stays with this conversation",
				Setting: config.Setting{Title: "Automatic compaction", Key: "compaction.enabled", Value: "true", Choices: []string{"true", "false"}, Type: "true or false", UnsetValue: "true", Doc: "false turns every automatic part off; only recovery from a refused request remains."}},
			{Section: "Compaction", From: "this conversation", Changed: true,
				Setting: config.Setting{Title: "Preset", Key: "compaction.preset", Value: "jp", Choices: []string{"plimsoll", "jp", "raw"}, Type: "plimsoll, jp or raw", UnsetValue: "plimsoll", Doc: "Rule set that fills the keys of this section."}},
			{Section: "Compaction", From: "~/.config/plimsoll/config.yaml, line 12", Applies: "at once, and stays with this conversation",
				Setting: config.Setting{Title: "Compacts at", Key: "compaction.trigger_ratio", Value: "0.85", Type: "ratio", UnsetValue: "0.85", Doc: "The load line: share of the window at which compaction acts. Under preset plimsoll the default lies nearer to hard_ratio in windows of less than 128k."}},
			{Section: "Compaction", From: hostile,
				Setting: config.Setting{Title: "Compacts at, in tokens", Key: "compaction.token_threshold", Value: "9000", Type: "whole number", UnsetValue: "0", Doc: hostile}},
			{Section: "Model", Opens: "model",
				Setting: config.Setting{Title: "Model", Key: "model", Value: "openai/gpt", Doc: "Model to talk to."}},
			{Section: "Model", Shown: "128k", Fixed: "--window says it in this run",
				Setting: config.Setting{Title: "Context window", Key: "context.window", Value: "0", UnsetValue: "0"}},
			{Section: "Permissions", From: "the default", Applies: "at the next start, once written to the file", Restart: true,
				Setting: config.Setting{Title: "Allowed without asking", Key: "permissions.allow", Value: "[read_file]", Type: "list of texts", UnsetValue: "[]", Doc: "Calls allowed without asking."}},
			{Section: "Permissions", Shown: "always", Opens: "rule 0",
				Setting: config.Setting{Title: "run_command(" + hostile + ")", Doc: "Granted by a key."}},
			{Section: "Looks",
				Setting: config.Setting{Title: "Mouse", Key: "ui.mouse", Type: "true or false", Value: "true", Choices: []string{"true", "false"}, UnsetValue: "true", Doc: "Use the mouse."}},
		},
	}
}

func show(c settings.Content, width, height int) *settings.Model {
	keys := settings.DefaultKeyMap()
	m := settings.New(&keys, gauges)
	m.SetSize(width, height)
	m.Show(c)
	return m
}

// press sends keys, separated by spaces, and returns the last action.
func press(m *settings.Model, keys string) pane.Action {
	return tuitest.Press(m.Update, strings.Fields(keys)...)
}

// on returns the view of a group with the cursor on the row with this index of the content.
func on(row int) *settings.Model {
	m, c := show(content(), 100, 30), content()
	for i := range row + 1 {
		if i == 0 || c.Rows[i].Section != c.Rows[i-1].Section {
			press(m, "tab")
		} else {
			press(m, "down")
		}
	}
	return m
}

func TestViews(t *testing.T) {
	t.Parallel()
	try := settings.Try{Key: "compaction.trigger_ratio", Value: "0.84"}
	scenes := []struct {
		name string
		do   func(m *settings.Model)
	}{
		{"the first page", func(m *settings.Model) { press(m, "down down") }},
		{"a row", func(m *settings.Model) { press(m, "tab down down") }},
		{"a number on its way", func(m *settings.Model) { press(m, "tab down down enter backspace 4") }},
		{"a number", func(m *settings.Model) {
			press(m, "tab down down enter backspace 4")
			m.ShowEffect(try, settings.Effect{Reading: reading(76_800), Next: "In about 36,800 tokens, at 76,800: the oldest turns are evicted."}, "")
		}},
		{"a mistake", func(m *settings.Model) {
			press(m, "tab down down enter backspace 4")
			m.ShowEffect(try, settings.Effect{}, "8.4 is not a ratio; write a share above 0 and up to 1, such as 0.85 for 85%")
		}},
		{"a choice", func(m *settings.Model) { press(m, "tab down enter") }},
		{"permissions", func(m *settings.Model) { press(m, "tab tab tab down") }},
		{"explained the other way", func(m *settings.Model) { press(m, "tab down down ?") }},
		{"not read yet", func(m *settings.Model) { m.Show(settings.Content{Reading: reading(108_800)}) }},
	}
	tuitest.Golden(t, tuitest.Sizes, func(t *testing.T, b *strings.Builder, width, height int) {
		for _, scene := range scenes {
			m := show(content(), width, height)
			scene.do(m)
			fmt.Fprintf(b, "%s:\n", scene.name)
			b.WriteString(tuitest.Trim(m.View()))
		}
	})
}

func TestAViewHasItsLinesAndCells(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 9))
	keys := strings.Fields("tab shift+tab left right enter esc u s ? up down pgup pgdown x 1 backspace space home end")
	for width := 1; width <= 200; width += 1 + rng.IntN(9) {
		for height := 1; height <= 60; height += 1 + rng.IntN(7) {
			m := show(content(), width, height)
			for range rng.IntN(12) {
				press(m, keys[rng.IntN(len(keys))])
			}
			tuitest.Fits(t, m, width, height)
		}
	}
}

func TestKeysReturnTheirActions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row  int
		keys string
		want pane.Action
	}{
		"a switch is tried":      {0, "space", settings.Try{Key: "compaction.enabled", Value: "false"}},
		"and taken":              {0, "enter enter", settings.SetValue{Key: "compaction.enabled", Value: "false"}},
		"or not":                 {0, "enter esc", nil},
		"back to where it was":   {0, "enter space enter", nil},
		"the next word":          {1, "right", settings.Try{Key: "compaction.preset", Value: "raw"}},
		"the word before":        {1, "left", settings.Try{Key: "compaction.preset", Value: "plimsoll"}},
		"a share as in the file": {2, "enter ctrl+u 0 . 6", settings.Try{Key: "compaction.trigger_ratio", Value: "0.6"}}, "a share without its zero": {2, "enter ctrl+u . 6", settings.Try{Key: "compaction.trigger_ratio", Value: ".6"}},
		"a number is typed":          {3, "enter 1", settings.Try{Key: "compaction.token_threshold", Value: "90001"}},
		"and accepted":               {3, "enter 1 enter", settings.SetValue{Key: "compaction.token_threshold", Value: "90001"}},
		"another number":             {2, "enter backspace 6", settings.Try{Key: "compaction.trigger_ratio", Value: "0.86"}},
		"a text that is emptied":     {3, "enter ctrl+u", settings.Try{Key: "compaction.token_threshold", Value: `""`}},
		"a list without brackets":    {6, "enter ctrl+u a", settings.Try{Key: "permissions.allow", Value: "[a]"}},
		"a dialog":                   {4, "enter", settings.OpenDialog{Dialog: "model"}},
		"a rule":                     {7, "enter", settings.OpenDialog{Dialog: "rule 0"}},
		"what is fixed":              {5, "enter", pane.Snackbar{Text: "--window says it in this run", Failure: true}},
		"the default":                {3, "u", settings.SetValue{Key: "compaction.token_threshold", Value: "0"}},
		"the default, where it is":   {2, "u", pane.Snackbar{Text: "it already has its default"}},
		"the default of what is set": {1, "enter u", settings.Try{Key: "compaction.preset", Value: "plimsoll"}},
		"no default":                 {4, "u", pane.Snackbar{Text: "it has no default"}},
		"the file":                   {0, "s", settings.WriteConfig{Set: map[string]string{"compaction.preset": "jp"}}},
		"close":                      {0, "q q", pane.Closed{}},
		"back to the first page":     {2, "q", nil},
		"to the group again":         {4, "q enter", nil},
	} {
		if diff := cmp.Diff(c.want, press(on(c.row), c.keys)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTheFirstPageHasPlainNamesAndTheGroups(t *testing.T) {
	t.Parallel()
	m := show(content(), 100, 30)
	for _, want := range []string{"Context window", "128k", "Compacts at", "85%", "Automatic compaction", "on", "Mouse", "Compaction", "4 settings ›", "1 setting ›"} {
		if v := m.View(); !strings.Contains(v, want) {
			t.Errorf("%q is not on the first page:\n%s", want, v)
		}
	}
	if got, want := press(m, "down down down enter backspace 3"), (settings.Try{Key: "compaction.trigger_ratio", Value: "0.83"}); got != want {
		t.Errorf("a setting of the first page asks for %v", got)
	}
	press(m, "esc end enter")
	if v := m.View(); !strings.Contains(v, "Settings · Looks") || !strings.Contains(v, "❯ Mouse") {
		t.Errorf("the group is not open:\n%s", v)
	}
	press(m, "esc")
	if v := m.View(); !strings.Contains(v, "❯ Looks") {
		t.Errorf("the cursor is not on the group that was left:\n%s", v)
	}
}

// What stands in the file is shown in words, which come from the explanation of the setting.
func TestValuesAreShownInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, doc, value, want string }{
		{"true or false", "", "false", "off"}, {"ratio", "", "0.07", "7%"}, {"ratio or auto", "", "auto", "auto"}, {"ratio or auto", "", "0.125", "12.5%"},
		{"whole number", "Load line in tokens; 0 = none.", "0", "none"}, {"whole number", "Newest turns; 10 = many.", "0", "0"},
		{"text", "Model, provider/id; empty = the conversation's model.", `""`, "the conversation's model"},
		{"list of texts", "Models in this order. Empty: the turn fails.", "[]", "the turn fails"}, {"text", "", `""`, "none"}, {"text", "", "true", "true"},
	} {
		row := settings.Row{Section: "Looks", Setting: config.Setting{Key: "ui.x", Title: "X", Type: c.kind, Doc: c.doc, Value: c.value}}
		m := show(settings.Content{Rows: []settings.Row{row}}, 60, 12)
		press(m, "tab")
		if v := m.View(); !strings.Contains(v, " "+c.want+" ") {
			t.Errorf("%s %s is not shown as %q:\n%s", c.kind, c.value, c.want, v)
		}
	}
}

func TestOnlyTheNewestValueShowsItsEffect(t *testing.T) {
	t.Parallel()
	m := on(2)
	first := press(m, "enter backspace").(settings.Try)
	second := press(m, "3").(settings.Try)
	m.ShowEffect(first, settings.Effect{Reading: reading(64_000), Next: "of the first"}, "")
	if strings.Contains(m.View(), "of the first") {
		t.Error("the effect of an earlier value is shown")
	}
	m.ShowEffect(second, settings.Effect{Reading: reading(64_000), Next: "of the second"}, "")
	if v := m.View(); !strings.Contains(v, "of the second") || !strings.Contains(v, "Load line 109k → 64k") || !strings.Contains(v, "then") {
		t.Errorf("the effect is not shown:\n%s", v)
	}
	press(m, "esc")
	if v := m.View(); strings.Contains(v, "of the second") || !strings.Contains(v, "In about 68,800") {
		t.Errorf("what was tried stays:\n%s", v)
	}
}

func TestAnInvalidValueIsNotAccepted(t *testing.T) {
	t.Parallel()
	m := on(2)
	try := press(m, "enter 9").(settings.Try)
	m.ShowEffect(try, settings.Effect{}, "not like that")
	if action := press(m, "enter"); action != nil || !strings.Contains(m.View(), "not like that") {
		t.Errorf("%v:\n%s", action, m.View())
	}
	if m.Cursor() == nil {
		t.Error("the value cannot be corrected")
	}
	press(m, "backspace . 4")
	if action := press(m, "enter"); action != (settings.SetValue{Key: "compaction.trigger_ratio", Value: "0.854"}) {
		t.Errorf("%v", action)
	}
	if action := press(m, "enter"); action != nil {
		t.Errorf("asked twice: %v", action)
	}
	m.Done(m.Edit(), "the disk is full")
	if !strings.Contains(m.View(), "the disk is full") {
		t.Error("the failure is not shown")
	}
}

func TestDoneEndsOnlyItsOwnEdit(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]string{"it is in force": "", "it failed": "the disk is full"} {
		m := on(2)
		press(m, "enter down enter")
		asked := m.Edit()
		press(m, "down enter 7")
		before := m.View()
		if m.Done(asked, fault) || m.View() != before {
			t.Errorf("%s: it ended another edit:\n%s", name, m.View())
		}
		press(m, "enter")
		if !m.Done(m.Edit(), "") || m.Cursor() != nil {
			t.Errorf("%s: its own answer does not end it", name)
		}
	}
}

func TestAReadOnlyViewChangesNothing(t *testing.T) {
	t.Parallel()
	c := content()
	c.Fixed = "open elsewhere"
	m := show(c, 100, 30)
	press(m, "tab")
	for _, key := range []string{"enter", "u"} {
		if action := press(m, key); action != (pane.Snackbar{Text: "open elsewhere", Failure: true}) {
			t.Errorf("%s: %v", key, action)
		}
	}
}
