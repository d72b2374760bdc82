package adachsoft_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/ordered"
	"plimsoll/compact/preset/adachsoft"
)

// Large payloads. Their hashes in the tests below were written by PHP 8.2:
// hash('sha256', json_encode($value)).
var (
	source  = strings.Repeat("<?php // é漢😀\n", 20) // 380 bytes
	listing = strings.Repeat("src/a.go\n", 20)     // 180 bytes
)

const (
	sourceSum  = "8c0761d6ebbc741d65776b9b62dcbfbb38bf7eb8bbb2afde443666d527c0257a"
	listingSum = "a1aa95593bf08cb986b3ddb563af62830cf0ab752a8981a632b408eb1db23cd9"
)

func object(t testing.TB, text string) ordered.Object {
	t.Helper()
	o, ok := ordered.Parse(text)
	if !ok {
		t.Fatalf("no JSON object: %s", text)
	}
	return o
}

func field(key, text string) string { return fmt.Sprintf("{%q:%q}", key, text) }

func called(t testing.TB, id, tool, arguments string) adachsoft.Message {
	t.Helper()
	call := adachsoft.Call{ID: id, Tool: tool, Arguments: object(t, arguments)}
	return adachsoft.Message{Role: "assistant", Calls: []adachsoft.Call{call}}
}

// gave is a tool message as the source has them: the content repeats the result.
func gave(t testing.TB, id, tool, result string) adachsoft.Message {
	t.Helper()
	r := adachsoft.Result{ID: id, Tool: tool, Result: object(t, result)}
	return adachsoft.Message{Role: "tool", Content: r.Result.String(), Results: []adachsoft.Result{r}}
}

// shown writes messages as lines: role, content, then calls and results.
func shown(messages []adachsoft.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Content)
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "  call %s %s %s\n", c.ID, c.Tool, c.Arguments)
		}
		for _, r := range m.Results {
			fmt.Fprintf(&b, "  result %s %s %s\n", r.ID, r.Tool, r.Result)
		}
	}
	return b.String()
}

// defaults are those of the source.
func defaults() adachsoft.Params {
	return adachsoft.Params{InputTrimBytes: adachsoft.DefaultTrimBytes, OutputTrimBytes: adachsoft.DefaultTrimBytes}
}

func identifiers(tool string, fields ...string) adachsoft.Params {
	p := defaults()
	p.ToolIdentifierFields = map[string][]string{tool: fields}
	return p
}

const reads = "read_file_content"

func TestAdachsoftExampleA(t *testing.T) {
	t.Parallel()
	large := fmt.Sprintf(`{"content":%q,"eof":true}`, source)
	same := `{"path": "A.php", "position": 0, "length": 6000}`
	got := adachsoft.Dedupe([]adachsoft.Message{
		{Role: "user", Content: "Read it twice."},
		called(t, "call_1", reads, same), gave(t, "call_1", reads, large),
		called(t, "call_2", reads, same), gave(t, "call_2", reads, large),
	}, identifiers(reads, "path", "position", "length"))
	whole := object(t, large).String()
	want := `user: Read it twice.
assistant: 
  call call_1 read_file_content {"path":"A.php","position":0,"length":6000}
tool: [tool_compaction] Tool result compacted for tool=read_file_content, callId=call_1. Large fields omitted.
  result call_1 read_file_content {"content":"[omitted]","eof":true,"_tool_compaction":{"thresholdBytes":100,"omittedFields":{"content":{"bytes":380,"sha256":"` + sourceSum + `"}}}}
assistant: 
  call call_2 read_file_content {"path":"A.php","position":0,"length":6000}
tool: ` + whole + `
  result call_2 read_file_content ` + whole + "\n"
	if diff := cmp.Diff(want, shown(got)); diff != "" {
		t.Error(diff)
	}
}

// twoSegments are two calls for other parts of one file (example B).
func twoSegments(t testing.TB) []adachsoft.Message {
	return []adachsoft.Message{
		called(t, "call_A", reads, `{"path":"A.php","position":0,"length":6000}`), gave(t, "call_A", reads, field("content", source)),
		called(t, "call_B", reads, `{"path":"A.php","position":6000,"length":4000}`), gave(t, "call_B", reads, field("content", source)),
	}
}

// Example B, and the log bug of the source: without identifiers the older segment goes,
// with the minimal configuration it stays.
func TestAdachsoftExampleB(t *testing.T) {
	t.Parallel()
	log := twoSegments(t)
	if diff := cmp.Diff(log, adachsoft.Dedupe(log, identifiers(reads, "path", "position", "length"))); diff != "" {
		t.Errorf("with the minimal configuration:\n%s", diff)
	}
	got := adachsoft.Dedupe(log, defaults())
	if value, _ := got[1].Results[0].Result.Get("content"); string(value) != `"[omitted]"` {
		t.Errorf("without it the older segment is %s", value)
	}
	if diff := cmp.Diff(log[2:], got[2:]); diff != "" {
		t.Errorf("without it the newer segment changed:\n%s", diff)
	}
}

func TestAdachsoftExampleC(t *testing.T) {
	t.Parallel()
	const tool = "write_file_content"
	first, second := strings.Repeat("echo 'v1';\n", 20), strings.Repeat("echo 'v2';\n", 20)
	log := []adachsoft.Message{
		called(t, "call_1", tool, fmt.Sprintf(`{"path":"A.php","content":%q}`, first)), gave(t, "call_1", tool, `{"status":"ok"}`),
		called(t, "call_2", tool, fmt.Sprintf(`{"path":"A.php","content":%q}`, second)), gave(t, "call_2", tool, `{"status":"ok"}`),
	}
	got := adachsoft.Dedupe(log, identifiers(tool, "path"))
	want := `assistant: 
  call call_1 write_file_content {"path":"A.php","content":"[omitted]","_tool_compaction":{"thresholdBytes":100,"omittedFields":{"content":{"bytes":220,"sha256":"46ccc285b663b1db29b3acb3ddfc867b26ce9324e66ba43540aeb733a605eef4"}}}}
`
	if diff := cmp.Diff(want, shown(got[:1])); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(log[1:], got[1:]); diff != "" {
		t.Errorf("more than the older call changed:\n%s", diff)
	}
}

func TestAdachsoftExampleD(t *testing.T) {
	t.Parallel()
	const tool = "list_files"
	log := []adachsoft.Message{
		called(t, "call_1", tool, `{"path":"src"}`), gave(t, "call_1", tool, field("files", listing)),
		called(t, "call_2", tool, `{"path":"docs"}`), gave(t, "call_2", tool, field("files", listing)),
		called(t, "call_3", "other", `{}`), gave(t, "call_3", "other", field("files", listing)),
	}
	got := adachsoft.Dedupe(log, defaults())
	want := `tool: [tool_compaction] Tool result compacted for tool=list_files, callId=call_1. Large fields omitted.
  result call_1 list_files {"files":"[omitted]","_tool_compaction":{"thresholdBytes":100,"omittedFields":{"files":{"bytes":180,"sha256":"` + listingSum + `"}}}}
`
	if diff := cmp.Diff(want, shown(got[1:2])); diff != "" {
		t.Error(diff)
	}
	got[1] = log[1]
	if diff := cmp.Diff(log, got); diff != "" {
		t.Errorf("more than the older result changed:\n%s", diff)
	}
}

func TestDedupeCountsBytesStrictlyOverTheThreshold(t *testing.T) {
	t.Parallel()
	list := "[" + strings.Repeat("1.0,", 59) + "1.0]" // PHP writes [1,1,...]: 121 bytes
	for name, c := range map[string]struct {
		value, want string
	}{
		"100 bytes":              {`"` + strings.Repeat("x", 100) + `"`, ""},
		"101 bytes":              {`"` + strings.Repeat("x", 101) + `"`, `{"bytes":101,"sha256":"a3d24bd1aabeaafd80f7e1ad2426c3bfdd35317de2618b7ee7cd4cfd71f3ab52"}`},
		"50 characters of two":   {`"` + strings.Repeat("é", 50) + `"`, ""},
		"a list":                 {list, `{"bytes":121,"sha256":"3b20eb8103814141a60ba928b0f3c95a61796b701f199eceac1e7b0c10ac14c7"}`},
		"a list that is just so": {"[" + strings.Repeat("1,", 48) + "10]", ""},
		"an object": {`{"0":"a/b","1":{},"2":"` + strings.Repeat("é", 10) + `","x":[1e3,-0,0.1]}`,
			`{"bytes":103,"sha256":"ff4513fdc8b4868812db5ca2f64f9054b5c0a190d260e7ef1c81df908db7f4c7"}`},
		"infinity within": {`[1e400,"` + strings.Repeat("x", 200) + `"]`, ""},
		"too deep":        {strings.Repeat("[", 513) + strings.Repeat("]", 513), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			was := `{"v":` + c.value + `}`
			log := []adachsoft.Message{
				called(t, "1", "f", was), gave(t, "1", "f", was), called(t, "2", "f", `{}`), gave(t, "2", "f", `{}`),
			}
			want := was
			if c.want != "" {
				want = `{"v":"[omitted]","_tool_compaction":{"thresholdBytes":100,"omittedFields":{"v":` + c.want + `}}}`
			}
			got := adachsoft.Dedupe(log, defaults())
			if diff := cmp.Diff(want, got[0].Calls[0].Arguments.String()); diff != "" {
				t.Errorf("arguments: %s", diff)
			}
			if diff := cmp.Diff(want, got[1].Results[0].Result.String()); diff != "" {
				t.Errorf("result: %s", diff)
			}
		})
	}
}
