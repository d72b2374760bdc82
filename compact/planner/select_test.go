package planner_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// toMask is which results and arguments a mask would hide.
func toMask(l *compacttest.Tale, r preset.Rules, m meter.Meter) []string {
	var out []string
	for _, item := range planner.MaskItems(projection.Project(l.Events()), r, m) {
		text := fmt.Sprintf("e%d", item.Event)
		if item.Call != "" {
			text += " " + item.Call
		}
		out = append(out, text)
	}
	return out
}

// keep is rules that keep so many of the newest results, and nothing else.
func keep(results int) preset.Rules {
	r := preset.RulesOf(preset.Plimsoll)
	r.Mask.Enabled, r.Mask.KeepResults, r.Mask.KeepTokens, r.Mask.FirstTurnTokens = true, results, 0, 0
	return r
}

func TestMaskingSparesWhatIsNewSmallOrKept(t *testing.T) {
	t.Parallel()
	m := meter.New(compacttest.Window(100_000))
	text := compacttest.Numbered(100, "of a file") // 1,292 characters, 323 tokens
	work := func(tools ...string) *compacttest.Tale {
		l := &compacttest.Tale{}
		for i, tool := range tools {
			l.User(fmt.Sprint(i)).Call(tool, `{"path":"a.go"}`, conversation.ResultOK, text)
		}
		return l.User("And now?")
	}
	first := keep(0)
	first.Mask.FirstTurnTokens = 400
	newest := keep(0)
	newest.Mask.KeepTokens = 700 // two results
	for name, c := range map[string]struct {
		log   *compacttest.Tale
		rules preset.Rules
		want  []string
	}{
		"all":                    {work("read_file", "read_file"), keep(0), []string{"e3", "e6"}},
		"but the newest results": {work("read_file", "read_file", "read_file"), keep(1), []string{"e3", "e6"}},
		"but the newest tokens":  {work("read_file", "read_file", "read_file"), newest, []string{"e3"}},
		"but the first turn":     {work("read_file", "read_file"), first, []string{"e6"}},
		"but of exempt tools":    {work("todo_write", "read_file", "load_skill"), keep(0), []string{"e6"}},
		"but of tools that keep": {work("create_file", "read_file"), keep(0), []string{"e6"}},
		"but the current turn":   {(&compacttest.Tale{}).User("x").Call("read_file", `{}`, conversation.ResultOK, text), keep(0), nil},
		"but short ones":         {(&compacttest.Tale{}).User("x").Call("read_file", `{}`, conversation.ResultOK, compacttest.Numbered(20, "short")).User("y"), keep(0), nil},
		"but pinned ones":        {work("read_file", "read_file").Add(conversation.Pin{Events: []uint64{3}}), keep(0), []string{"e6"}},
		"but what is hidden":     {work("read_file", "read_file").Add(compacttest.Masks(3)), keep(0), []string{"e6"}},
		"but what was recalled":  {work("read_file", conversation.ToolRecall), keep(0), []string{"e3"}},
		"recalled two turns ago": {work("read_file", conversation.ToolRecall, "read_file"), keep(0), []string{"e3", "e6", "e9"}},
		"arguments of tools that say so": {(&compacttest.Tale{}).User("x").Call("modify_file", `{"old":"`+fmt.Sprint(make([]int, 500))+`"}`, conversation.ResultOK, text).User("y"),
			keep(0), []string{"e2 call_1", "e3"}},
	} {
		if d := cmp.Diff(c.want, toMask(c.log, c.rules, m)); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
	off := keep(0)
	off.Mask.Enabled = false
	if got := toMask(work("read_file"), off, m); got != nil {
		t.Errorf("masks are off, and %v is hidden", got)
	}
}

func TestWhatIsChosenIsHidden(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, compacttest.OwnLog(t))
		w.Turn(t)
		rules := keep(rapid.IntRange(0, 3).Draw(t, "keep"))
		rules.Mask.MinChars = rapid.SampledFrom([]int{0, 800}).Draw(t, "min chars")
		v := projection.Project(w.Events())
		items := planner.MaskItems(v, rules, meter.New(compacttest.Window(8000)))
		if !slices.IsSortedFunc(items, func(a, b conversation.MaskItem) int { return int(a.Event) - int(b.Event) }) {
			t.Fatalf("not oldest first: %+v", items)
		}
		w.Add(t, conversation.Mask{Style: conversation.StylePlimsoll, Version: projection.StubVersion, Preview: 10, Items: items})
		after := projection.Project(w.Events())
		if compacttest.Chars(after) > compacttest.Chars(v) {
			t.Fatalf("%d code points became %d", compacttest.Chars(v), compacttest.Chars(after))
		}
		// What was hidden is not chosen again.
		for _, item := range planner.MaskItems(after, rules, meter.New(compacttest.Window(8000))) {
			if item.Part == conversation.PartArguments && slices.ContainsFunc(items, func(i conversation.MaskItem) bool {
				return i.Event == item.Event && i.Call == item.Call
			}) {
				t.Fatalf("chosen again: %+v", item)
			}
		}
	})
}
