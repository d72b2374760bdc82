package ordered

import "testing"

func TestObjectKeepsOrderAndForm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`: `{}`,
		` { "z" : 1.50 , "a" : [ 1, 2 ],"é/\u0009":"\u00e9\/" } `: `{"z":1.50,"a":[ 1, 2 ],"é/\t":"\u00e9\/"}`,
		`{"a":1,"b":2,"a":3}`:                  `{"a":3,"b":2}`,
		`{"n":123456789012345678901234567890}`: `{"n":123456789012345678901234567890}`,
	} {
		o, ok := Parse(text)
		if !ok || o == nil || o.String() != want {
			t.Errorf("%s: %v, %s; want %s", text, ok, o, want)
		}
	}
	for _, text := range []string{``, `[]`, `1`, `"{}"`, `{`, `{"a":1}x`, `{"a":1}{}`, `{"a":"\ud83d"}`, "{\"a\":\"\xff\"}", `{"a":1,}`, `null`} {
		if o, ok := Parse(text); ok {
			t.Errorf("%q is read as %s", text, o)
		}
	}
}
