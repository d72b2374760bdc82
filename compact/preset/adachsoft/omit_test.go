package adachsoft

import (
	"testing"

	"plimsoll/compact/ordered"
)

func TestStubIsTheSourcesText(t *testing.T) {
	t.Parallel()
	const want = "[tool_compaction] Tool result compacted for tool=read_file_content, callId=call_1. Large fields omitted."
	if got := Stub("read_file_content", "call_1"); got != want {
		t.Error(got)
	}
}

func TestArgumentsStayWhereThereIsNothingToOmit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		arguments string
		fields    []string
	}{
		"no object":        {`[1]`, nil},
		"broken":           {`{"a":`, nil},
		"empty":            {`{}`, nil},
		"no such field":    {`{ "a": 1 }`, []string{"b"}},
		"no field":         {`{ "a": 1 }`, []string{}},
		"omitted already":  {`{ "a": "[omitted]" }`, []string{"a"}},
		"only the record":  {`{ "_tool_compaction": 1 }`, []string{"_tool_compaction"}},
		"without a size":   {`{ "a": null }`, []string{"a"}},
		"without encoding": {`{ "a": 1e999 }`, []string{"a"}},
	} {
		if got, ok := OmitFields(c.arguments, c.fields, 0); ok || got != c.arguments {
			t.Errorf("%s: %s, %v", name, got, ok)
		}
	}
	got, ok := OmitFields(`{"b":"x","a":[1]}`, nil, 0)
	if o, _ := ordered.Parse(got); !ok || len(o) != 3 || string(o[0].Value) != `"[omitted]"` || string(o[1].Value) != `"[omitted]"` {
		t.Errorf("an item without fields omits %s, %v", got, ok)
	}
}
