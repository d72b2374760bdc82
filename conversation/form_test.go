package conversation_test

import (
	"testing"

	"plimsoll/conversation"
)

func TestFormFieldTakesItsTypeWithinItsBounds(t *testing.T) {
	t.Parallel()
	number := func(n float64) *float64 { return &n }
	for _, c := range []struct {
		field conversation.FormField
		text  string
		want  any
		err   string
	}{
		{conversation.FormField{Type: "string"}, "four", "four", ""},
		{conversation.FormField{Type: "string", Max: number(3)}, "four", nil, "at most 3 characters"},
		{conversation.FormField{Type: "string", Min: number(2)}, "é", nil, "at least 2 characters"},
		{conversation.FormField{Type: "integer", Min: number(1)}, "4", int64(4), ""},
		{conversation.FormField{Type: "integer", Min: number(1)}, "0", nil, "at least 1"},
		{conversation.FormField{Type: "integer"}, "4.5", nil, `"4.5" is no integer`},
		{conversation.FormField{Type: "number"}, "4.5", 4.5, ""},
		{conversation.FormField{Type: "number"}, "NaN", nil, `"NaN" is no number`},
		{conversation.FormField{Type: "string", Format: "email"}, "a@b.org", "a@b.org", ""},
		{conversation.FormField{Type: "string", Format: "email"}, "a", nil, `"a" is no email`},
		{conversation.FormField{Type: "string", Format: "uri"}, "nowhere", nil, `"nowhere" is no uri`},
		{conversation.FormField{Type: "string", Format: "date"}, "31.1.", nil, `"31.1." is no date such as 2026-01-31`},
		{conversation.FormField{Type: "string", Format: "date-time"}, "2026-01-31T15:04:05Z", "2026-01-31T15:04:05Z", ""},
	} {
		got, err := c.field.Value(c.text)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if got != c.want || said != c.err {
			t.Errorf("a field of type %s %s made %v (%v) of %q, want %v (%s)", c.field.Type, c.field.Format, got, err, c.text, c.want, c.err)
		}
	}
}
