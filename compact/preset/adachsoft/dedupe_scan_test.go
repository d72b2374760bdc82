package adachsoft_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/preset/adachsoft"
)

// reduced names the calls and results, by id, of which something is omitted.
func reduced(messages []adachsoft.Message) string {
	var names []string
	for _, m := range messages {
		for _, c := range m.Calls {
			if _, ok := c.Arguments.Get("_tool_compaction"); ok {
				names = append(names, "call "+c.ID)
			}
		}
		for _, r := range m.Results {
			if _, ok := r.Result.Get("_tool_compaction"); ok {
				names = append(names, "result "+r.ID)
			}
		}
	}
	return strings.Join(names, ", ")
}

// joined puts the calls and results of messages into one.
func joined(messages ...adachsoft.Message) adachsoft.Message {
	m := messages[0]
	for _, n := range messages[1:] {
		m.Calls, m.Results = append(m.Calls, n.Calls...), append(m.Results, n.Results...)
	}
	return m
}

func TestDedupeTellsCallsApartByTheirIdentifiers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		older, newer string
		same         bool
	}{
		"equal":                          {`{"a":"x","b":1}`, `{"a":"x","b":1}`, true},
		"other order of keys":            {`{"a":"x","b":1}`, `{"b":1,"a":"x"}`, true},
		"other field differs":            {`{"a":"x","b":1,"c":1}`, `{"a":"x","b":1,"c":2}`, true},
		"one differs":                    {`{"a":"x","b":1}`, `{"a":"x","b":2}`, false},
		"missing is null":                {`{"a":"x"}`, `{"a":"x","b":null}`, true},
		"missing is not false":           {`{"a":"x"}`, `{"a":"x","b":false}`, false},
		"both missing":                   {`{"c":1}`, `{"c":2}`, true},
		"number and text":                {`{"a":"x","b":1}`, `{"a":"x","b":"1"}`, false},
		"numbers that PHP writes alike":  {`{"a":"x","b":1.0}`, `{"a":"x","b":1}`, true},
		"text written otherwise":         {`{"a":"\u00e9\/","b":1}`, `{"a":"é/","b":1}`, true},
		"values cannot change places":    {`{"a":"x","b":"y"}`, `{"a":"y","b":"x"}`, false},
		"nested":                         {`{"a":{"p":[1,2]}}`, `{"a":{"p":[1,3]}}`, false},
		"identifier without JSON in PHP": {`{"a":1e400}`, `{"a":1e400}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := []adachsoft.Message{
				called(t, "1", "f", c.older), gave(t, "1", "f", field("text", source)),
				called(t, "2", "f", c.newer), gave(t, "2", "f", field("text", source)),
			}
			want := ""
			if c.same {
				want = "result 1"
			}
			if got := reduced(adachsoft.Dedupe(log, identifiers("f", "a", "b"))); got != want {
				t.Errorf("compacted %q, want %q", got, want)
			}
		})
	}
}

func TestDedupeLeavesExcludedToolsAndTheirGroupsAlone(t *testing.T) {
	t.Parallel()
	log := append(twoSegments(t), called(t, "1", "list_files", `{}`), gave(t, "1", "list_files", field("files", listing)),
		called(t, "2", "list_files", `{}`), gave(t, "2", "list_files", field("files", listing)))
	p := defaults()
	p.ExcludedTools = []string{reads}
	if got := reduced(adachsoft.Dedupe(log, p)); got != "result 1" {
		t.Errorf("compacted %q", got)
	}
}

func TestDedupeNamesTheFirstCompactedResultOfAMessage(t *testing.T) {
	t.Parallel()
	small, large := `{"text":"short"}`, field("text", source)
	log := []adachsoft.Message{
		joined(called(t, "1", "f", `{}`), called(t, "2", "f", `{}`), called(t, "3", "g", `{}`)),
		joined(gave(t, "1", "f", small), gave(t, "2", "f", large), gave(t, "3", "g", large)),
		joined(called(t, "4", "f", `{}`), called(t, "5", "g", `{}`)),
		joined(gave(t, "4", "f", small), gave(t, "5", "g", small)),
	}
	got := adachsoft.Dedupe(log, defaults())
	const want = "[tool_compaction] Tool result compacted for tool=f, callId=2. Large fields omitted."
	if got[1].Content != want {
		t.Errorf("content %q", got[1].Content)
	}
	if got[3].Content != log[3].Content {
		t.Errorf("a message of which nothing was omitted says %q", got[3].Content)
	}
	log[1].Role = "user"
	if got := adachsoft.Dedupe(log, defaults()); got[1].Content != log[1].Content || reduced(got[1:2]) != "result 2, result 3" {
		t.Errorf("a message that is no tool's says %q, compacted %q", got[1].Content, reduced(got[1:2]))
	}
}

func TestDedupePutsTheRecordWherePHPWould(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 101)
	record := `{"thresholdBytes":100,"omittedFields":{"t":{"bytes":101,"sha256":"a3d24bd1aabeaafd80f7e1ad2426c3bfdd35317de2618b7ee7cd4cfd71f3ab52"}}}`
	for name, c := range map[string]struct {
		fields     []string
		args, want string
	}{
		"behind":               {nil, `{"t":"` + text + `","n": 1.50}`, `{"t":"[omitted]","n":1.50,"_tool_compaction":` + record + `}`},
		"in place of another":  {nil, `{"_tool_compaction":7,"t":"` + text + `"}`, `{"_tool_compaction":` + record + `,"t":"[omitted]"}`},
		"never for itself":     {nil, `{"_tool_compaction":"` + text + `"}`, `{"_tool_compaction":"` + text + `"}`},
		"never on identifiers": {[]string{"_tool_compaction"}, `{"t":"` + text + `"}`, `{"t":"` + text + `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := []adachsoft.Message{called(t, "1", "f", c.args), called(t, "2", "f", c.args)}
			got := adachsoft.Dedupe(log, identifiers("f", c.fields...))
			if diff := cmp.Diff(c.want, got[0].Calls[0].Arguments.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
