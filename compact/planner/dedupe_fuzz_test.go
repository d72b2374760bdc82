package planner

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/ordered"
	"plimsoll/compact/preset"
	"plimsoll/compact/preset/adachsoft"
	"plimsoll/compact/projection"
)

// FuzzDedupe takes any texts for arguments, results and identifiers through
// the whole: choosing, showing, and choosing again.
func FuzzDedupe(f *testing.F) {
	f.Add(writes, writes, longLine, `{"a":"`+longLine+`"}`, "path", 100)
	f.Add(`{"path":1.0}`, `{"path":1}`, `{"a":1e400}`, `[`, "path", 0)
	f.Add(`{"_tool_compaction":"`+longLine+`"}`, `{}`, "\xff", "", "_tool_compaction", -1)
	f.Add(`{"":{},"":"\ud83d"}`, `{"`, `{"a":"[omitted]"}`, `{}`, "", 5)
	f.Fuzz(func(t *testing.T, args1, args2, text1, text2, identifier string, threshold int) {
		log := dedupeLog{}.call("1", "f", args1).result("1", "f", text1).call("2", "f", args2).result("2", "f", text2)
		rules := onlyDedupe(map[string]preset.ToolRule{"f": {Identifiers: []string{identifier}}})
		rules.Dedupe.InputTrimBytes, rules.Dedupe.OutputTrimBytes = threshold, threshold

		messages := make([]adachsoft.Message, len(log))
		for i := range log {
			messages[i] = dedupeMessage(&log[i])
		}
		whole := adachsoft.Dedupe(messages, rules.RepeatParams())
		if diff := cmp.Diff(fmt.Sprint(messages[2:]), fmt.Sprint(whole[2:])); diff != "" {
			t.Fatalf("the newest occurrence changed:\n%s", diff)
		}
		if diff := cmp.Diff(fmt.Sprint(whole), fmt.Sprint(adachsoft.Dedupe(whole, rules.RepeatParams()))); diff != "" {
			t.Fatalf("doing it again changes more:\n%s", diff)
		}
		for _, item := range dedupeItems(log, rules) {
			m := &log[item.Event-1]
			m.State = projection.StateMasked
			if item.Call == "" {
				m.Text = adachsoft.Stub(m.Tool, m.CallID)
				continue
			}
			shown, ok := adachsoft.OmitFields(m.Calls[0].Arguments, item.Fields, item.Threshold)
			if want := whole[item.Event-1].Calls[0].Arguments.String(); !ok || shown != want {
				t.Fatalf("shown %s, %v; want %s", shown, ok, want)
			}
			if _, ok := ordered.Parse(shown); !ok {
				t.Fatalf("what is shown is no object: %s", shown)
			}
			m.Calls[0].Arguments = shown
		}
		if again := dedupeItems(log, rules); again != nil {
			t.Fatalf("chosen again: %v", again)
		}
	})
}
