package inspect_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// shownAtOnce counts what the view of rules leaves out of a log: results, and arguments.
func shownAtOnce(t *testing.T, r preset.Rules, l *compacttest.LogBuilder) (results, arguments int) {
	t.Helper()
	now := edit.Inputs{Meter: meter.New(compacttest.Window(100_000).WithRules(r)), Now: compacttest.Noon}
	v, err := inspect.PresetView(l.Events(), now, r)
	conversationtest.Must(t, err)
	for _, m := range v.Messages {
		switch {
		case m.Role == projection.RoleTool && m.State == projection.StateMasked:
			results++
		case m.State == projection.StateMasked:
			arguments++
		}
	}
	return results, arguments
}

// differing is a call of a tool per file, with long arguments, and results of which
// no two are alike.
func differing(files ...string) *compacttest.LogBuilder {
	l := (&compacttest.LogBuilder{}).User("Go.")
	for i, f := range files {
		l.Call("edit", fmt.Sprintf(`{"path":%q,"text":%q}`, f, strings.Repeat("t", 101+i)), conversation.ResultOK, strings.Repeat(string(rune('a'+i)), 2000))
	}
	return l
}

// What a preset would give obeys every switch that a conversation obeys, because
// the same planner decides.
func TestAPresetIsShownAsItsSwitchesSay(t *testing.T) {
	t.Parallel()
	micro := func(r *preset.Rules) { r.Micro = preset.MicroRules{Enabled: true, KeepRecent: 1, MinBytes: 800} }
	dedupe := func(r *preset.Rules) {
		r.Dedupe.Enabled = true
		r.Dedupe.ToolIdentifierFields = map[string][]string{"edit": {"path"}}
	}
	all := func(set ...func(*preset.Rules)) func(*preset.Rules) {
		return func(r *preset.Rules) {
			for _, one := range set {
				one(r)
			}
		}
	}
	off := func(r *preset.Rules) { r.Micro.Enabled, r.Dedupe.Enabled = false, false }
	for name, c := range map[string]struct {
		preset preset.Name
		set    func(*preset.Rules)
		log    *compacttest.LogBuilder
		want   [2]int
	}{
		"J-CLI's layer":        {preset.JCLI, micro, differing("a", "b", "c"), [2]int{2, 0}},
		"J-CLI's layer, off":   {preset.JCLI, all(micro, off), differing("a", "b", "c"), [2]int{}},
		"under adachsoft":      {preset.Adachsoft, all(micro, off), differing("a", "a", "a"), [2]int{}},
		"identity dedup":       {preset.Adachsoft, dedupe, differing("a", "a", "b"), [2]int{1, 1}},
		"both under adachsoft": {preset.Adachsoft, all(micro, dedupe), differing("b", "a", "a"), [2]int{2, 1}},
		"micro under plimsoll": {preset.Plimsoll, micro, differing("a", "b", "c"), [2]int{2, 0}},
		"dedup under plimsoll": {preset.Plimsoll, dedupe, differing("a", "a", "b"), [2]int{1, 1}},
		"micro under oneclaw":  {preset.OneClaw, micro, differing("a", "b", "c"), [2]int{2, 0}},
		"dedup under oneclaw":  {preset.OneClaw, dedupe, differing("a", "a", "b"), [2]int{1, 1}},
		"micro under jp-auto":  {preset.JPAuto, all(micro, func(r *preset.Rules) { r.KeepLast = 9 }), differing("a", "b", "c"), [2]int{2, 0}},
		"micro under truncate": {preset.Truncate, micro, differing("a", "b", "c"), [2]int{2, 0}},
		"everything off":       {preset.JCLI, all(micro, func(r *preset.Rules) { r.Enabled = false }), differing("a", "b", "c"), [2]int{}},
		"automatic off":        {preset.Plimsoll, all(micro, func(r *preset.Rules) { r.Auto.Enabled = false }), differing("a", "b", "c"), [2]int{}},
		"a profile under another preset": {preset.Plimsoll, func(r *preset.Rules) { r.Auto.Profile, r.KeepLast = preset.ProfileDefault, 0 },
			(&compacttest.LogBuilder{}).User("Go.").Call("read_file", `{"path":"a"}`, conversation.ResultOK, strings.Repeat("r", 2000)).Reply("Done."), [2]int{1, 0}},
	} {
		r := preset.RulesOf(c.preset)
		c.set(&r)
		if results, arguments := shownAtOnce(t, r, c.log); [2]int{results, arguments} != c.want {
			t.Errorf("%s: %d results and %d replies are hidden, want %v", name, results, arguments, c.want)
		}
	}
}
