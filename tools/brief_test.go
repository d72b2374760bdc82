package tools_test

import (
	"encoding/json"
	"testing"

	"plimsoll/conversation"
	"plimsoll/tools"
)

// properties are the names in a schema, and which are required.
func properties(t *testing.T, s conversation.ToolSpec) (names map[string]any, required []string) {
	t.Helper()
	var schema struct {
		Properties map[string]map[string]any `json:"properties"`
		Required   []string                  `json:"required"`
	}
	if err := json.Unmarshal(s.Parameters, &schema); err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	names = map[string]any{}
	for name, p := range schema.Properties {
		names[name] = p["type"]
	}
	return names, schema.Required
}

func TestBriefDeclarationsSayTheSameInFewerWords(t *testing.T) {
	t.Parallel()
	b, err := tools.New(tools.Options{Workspace: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	full, brief, few := b.Specs(), b.Brief(), b.Few()
	if len(full) != len(brief) || len(few) >= len(brief) || len(few) == 0 {
		t.Fatalf("%d tools, %d in fewer words, %d in small windows", len(full), len(brief), len(few))
	}
	size := func(specs []conversation.ToolSpec) (n int) {
		for _, s := range specs {
			n += len(s.Name) + len(s.Description) + len(s.Parameters)
		}
		return n
	}
	if size(brief) > size(full)/2 || size(few) > 2*size(brief)/3 {
		t.Errorf("%d bytes, %d in fewer words, %d in small windows", size(full), size(brief), size(few))
	}
	for i, s := range full {
		want, needed := properties(t, s)
		got, short := properties(t, brief[i])
		if brief[i].Name != s.Name || brief[i].ReadOnly != s.ReadOnly || len(got) != len(want) || len(short) != len(needed) {
			t.Errorf("%s: %v of %v, required %v of %v", s.Name, got, want, short, needed)
		}
		for name, kind := range want {
			if got[name] != kind {
				t.Errorf("%s: %s is %v, not %v", s.Name, name, got[name], kind)
			}
		}
	}
}
