package compact_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// toMask is which results and arguments a mask would hide.
func toMask(l *tale, r preset.Rules, m meter.Meter) []string {
	var out []string
	for _, item := range compact.MaskItems(projection.Project(l.events()), r, m) {
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
	m := meter.New(window(100_000))
	text := numbered(100, "of a file") // 1,292 characters, 323 tokens
	work := func(tools ...string) *tale {
		l := &tale{}
		for i, tool := range tools {
			l.user(fmt.Sprint(i)).call(tool, `{"path":"a.go"}`, conversation.ResultOK, text)
		}
		return l.user("And now?")
	}
	first := keep(0)
	first.Mask.FirstTurnTokens = 400
	newest := keep(0)
	newest.Mask.KeepTokens = 700 // two results
	for name, c := range map[string]struct {
		log   *tale
		rules preset.Rules
		want  []string
	}{
		"all":                    {work("read_file", "read_file"), keep(0), []string{"e3", "e6"}},
		"but the newest results": {work("read_file", "read_file", "read_file"), keep(1), []string{"e3", "e6"}},
		"but the newest tokens":  {work("read_file", "read_file", "read_file"), newest, []string{"e3"}},
		"but the first turn":     {work("read_file", "read_file"), first, []string{"e6"}},
		"but of exempt tools":    {work("todo_write", "read_file", "load_skill"), keep(0), []string{"e6"}},
		"but of tools that keep": {work("create_file", "read_file"), keep(0), []string{"e6"}},
		"but the current turn":   {(&tale{}).user("x").call("read_file", `{}`, conversation.ResultOK, text), keep(0), nil},
		"but short ones":         {(&tale{}).user("x").call("read_file", `{}`, conversation.ResultOK, numbered(20, "short")).user("y"), keep(0), nil},
		"but pinned ones":        {work("read_file", "read_file").add(conversation.Pin{Events: []uint64{3}}), keep(0), []string{"e6"}},
		"but what is hidden":     {work("read_file", "read_file").add(masks(3)), keep(0), []string{"e6"}},
		"but what was recalled":  {work("read_file", conversation.ToolRecall), keep(0), []string{"e3"}},
		"recalled two turns ago": {work("read_file", conversation.ToolRecall, "read_file"), keep(0), []string{"e3", "e6", "e9"}},
		"arguments of tools that say so": {(&tale{}).user("x").call("modify_file", `{"old":"`+fmt.Sprint(make([]int, 500))+`"}`, conversation.ResultOK, text).user("y"),
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

func TestMaskingSparesWhatAYoungResultPointsTo(t *testing.T) {
	t.Parallel()
	m := meter.New(window(100_000))
	l := filesRead(3, 100)
	r, _ := l.events()[2].Body.(conversation.ToolResult) // of turn 0
	again := func() {
		id := fmt.Sprint("again", l.log.Len())
		l.user("Again.").add(conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: id, Name: "read_file", Arguments: "{}"}}},
			conversation.ToolResult{CallID: id, Tool: "read_file", Status: conversation.ResultOK, Text: r.Text, Repeats: 3})
	}
	again() // e15
	l.user("And now?")
	if d := cmp.Diff([]string{"e7", "e11"}, toMask(l, keep(1), m)); d != "" {
		t.Errorf("while a kept result points to e3:\n%s", d)
	}
	if d := cmp.Diff([]string{"e3", "e7", "e11", "e15"}, toMask(l, keep(0), m)); d != "" {
		t.Errorf("once it is old it goes with it:\n%s", d)
	}
	before := chars(projection.Project(l.events()))
	l.add(conversation.Mask{Style: conversation.StylePlimsoll, Items: compact.MaskItems(projection.Project(l.events()), keep(0), m)})
	v := projection.Project(l.events())
	if chars(v) >= before-4*1000 {
		t.Errorf("%d characters became %d", before, chars(v))
	}
}

func TestWhatIsChosenIsHidden(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, ownLog(t))
		w.Turn(t)
		rules := keep(rapid.IntRange(0, 3).Draw(t, "keep"))
		rules.Mask.MinChars = rapid.SampledFrom([]int{0, 800}).Draw(t, "min chars")
		v := projection.Project(w.Events())
		items := compact.MaskItems(v, rules, meter.New(window(8000)))
		if !slices.IsSortedFunc(items, func(a, b conversation.MaskItem) int { return int(a.Event) - int(b.Event) }) {
			t.Fatalf("not oldest first: %+v", items)
		}
		w.Add(t, conversation.Mask{Style: conversation.StylePlimsoll, Version: projection.StubVersion, Preview: 10, Items: items})
		after := projection.Project(w.Events())
		if chars(after) > chars(v) {
			t.Fatalf("%d code points became %d", chars(v), chars(after))
		}
		// What was hidden is not chosen again.
		for _, item := range compact.MaskItems(after, rules, meter.New(window(8000))) {
			if item.Part == conversation.PartArguments && slices.ContainsFunc(items, func(i conversation.MaskItem) bool {
				return i.Event == item.Event && i.Call == item.Call
			}) {
				t.Fatalf("chosen again: %+v", item)
			}
		}
	})
}
