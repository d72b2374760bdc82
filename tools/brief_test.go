package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

// shape returns a declaration without descriptions: its name, and the types of its parameters.
func shape(t *testing.T, s conversation.ToolSpec) any {
	t.Helper()
	var schema struct {
		Properties map[string]struct{ Type any }
		Required   []string
	}
	if err := json.Unmarshal(s.Parameters, &schema); err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	return []any{s.Name, s.ReadOnly, schema.Properties, len(schema.Required)}
}

func TestBriefDeclarationsHaveTheSameParameters(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil)
	full, brief, few := b.Specs(), b.Brief(false), b.Brief(true)
	size := func(specs []conversation.ToolSpec) (n int) {
		for _, s := range specs {
			n += len(s.Name) + len(s.Description) + len(s.Parameters)
		}
		return n
	}
	if size(brief) > size(full)/2 || size(few) > 2*size(brief)/3 || len(few) == 0 {
		t.Errorf("%d bytes, %d in fewer words, %d in small windows", size(full), size(brief), size(few))
	}
	for i, s := range full {
		if diff := cmp.Diff(shape(t, s), shape(t, brief[i])); diff != "" {
			t.Error(diff)
		}
	}
}
