package adachsoft_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/ordered"
	"plimsoll/compact/preset/adachsoft"
	"plimsoll/conversation"
)

var dedupeTools = []string{"read", "write", "list", "todo"}

// anyValue is a value as JSON or as text that is not JSON.
func anyValue(t *rapid.T) conversation.RawJSON {
	long := strings.Repeat(rapid.SampledFrom([]string{"x", "é", "/", "😀"}).Draw(t, "letter"), rapid.IntRange(0, 150).Draw(t, "length"))
	return conversation.RawJSON(rapid.SampledFrom([]string{
		`"` + long + `"`, `["` + long + `",{}]`, `{"a":"` + long + `"}`, `"[omitted]"`, `"A.php"`, `null`, `true`, `0`, `-1.50`, `1e400`, ``,
		`{`, `"\ud83d` + long + `"`, `"` + long, "\"\xff" + long + `"`, strings.Repeat("[", 600), `"` + long + `" 1`,
	}).Draw(t, "value"))
}

// anyObject is an object of a few keys, now and then repeated.
func anyObject(t *rapid.T) ordered.Object {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) ordered.Field {
		key := rapid.SampledFrom([]string{"path", "position", "content", "_tool_compaction", "é/", "", "\xff"}).Draw(t, "key")
		return ordered.Field{Key: key, Value: anyValue(t)}
	}), 0, 5).Draw(t, "object")
}

func anyMessage(t *rapid.T) adachsoft.Message {
	id, tool := rapid.SampledFrom([]string{"", "1", "2", "3", "4", "5"}), rapid.SampledFrom(dedupeTools)
	return adachsoft.Message{
		Role:    rapid.SampledFrom([]string{"user", "assistant", "tool"}).Draw(t, "role"),
		Content: rapid.SampledFrom([]string{"", "hello"}).Draw(t, "text"),
		Calls: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) adachsoft.Call {
			return adachsoft.Call{ID: id.Draw(t, "id"), Tool: tool.Draw(t, "tool"), Arguments: anyObject(t)}
		}), 0, 3).Draw(t, "calls"),
		Results: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) adachsoft.Result {
			return adachsoft.Result{ID: id.Draw(t, "id"), Tool: tool.Draw(t, "tool"), Result: anyObject(t)}
		}), 0, 3).Draw(t, "results"),
	}
}

func anyParams(t *rapid.T) adachsoft.Params {
	fields := rapid.SliceOfN(rapid.SampledFrom([]string{"path", "position", "_tool_compaction", "absent", "\xff"}), 0, 3)
	return adachsoft.Params{
		InputTrimBytes:       rapid.IntRange(-1, 120).Draw(t, "input"),
		OutputTrimBytes:      rapid.IntRange(-1, 120).Draw(t, "output"),
		ExcludedTools:        rapid.SliceOfN(rapid.SampledFrom(dedupeTools), 0, 2).Draw(t, "excluded"),
		ToolIdentifierFields: rapid.MapOfN(rapid.SampledFrom(dedupeTools), fields, 0, 4).Draw(t, "identifiers"),
	}
}

func TestDedupeIsPureAndDoingItAgainChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log, p := rapid.SliceOfN(rapid.Custom(anyMessage), 0, 8).Draw(t, "log"), anyParams(t)
		before := shown(log)
		once := adachsoft.Dedupe(log, p)
		if diff := cmp.Diff(before, shown(log)); diff != "" {
			t.Fatalf("the messages given were changed:\n%s", diff)
		}
		if diff := cmp.Diff(shown(once), shown(adachsoft.Dedupe(log, p))); diff != "" {
			t.Fatalf("the same messages give something else:\n%s", diff)
		}
		if diff := cmp.Diff(shown(once), shown(adachsoft.Dedupe(once, p))); diff != "" {
			t.Fatalf("doing it again changes more:\n%s", diff)
		}
	})
}

// In a log as agents write it, where every call is answered once, the newest
// call of each group and its result are whole, and nothing large is left of the
// others.
func TestDedupeKeepsTheLatestOfEachGroupAndOmitsTheRest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var log []adachsoft.Message
		last := map[string]string{}
		group := map[string]string{}
		for i := range rapid.IntRange(0, 20).Draw(t, "turns") {
			id := fmt.Sprint("call_", i)
			tool := rapid.SampledFrom(dedupeTools).Draw(t, "tool")
			path := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "path")
			group[id] = tool + path
			if tool == "list" { // has no identifiers
				group[id] = tool
			}
			last[group[id]] = id
			arguments, _ := ordered.Parse(fmt.Sprintf(`{"path":%q,"text":%q}`, path, source))
			result, _ := ordered.Parse(field("text", source))
			log = append(log,
				adachsoft.Message{Role: "assistant", Calls: []adachsoft.Call{{ID: id, Tool: tool, Arguments: arguments}}},
				adachsoft.Message{Role: "tool", Results: []adachsoft.Result{{ID: id, Tool: tool, Result: result}}})
		}
		p := defaults()
		p.ToolIdentifierFields = map[string][]string{"read": {"path"}, "write": {"path", "absent"}, "todo": {"path"}}
		var want []string
		for i := range len(log) / 2 {
			if id := fmt.Sprint("call_", i); last[group[id]] != id {
				want = append(want, "call "+id, "result "+id)
			}
		}
		if diff := cmp.Diff(strings.Join(want, ", "), reduced(adachsoft.Dedupe(log, p))); diff != "" {
			t.Fatal(diff)
		}
	})
}
