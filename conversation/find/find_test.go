package find_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation/find"
)

func parse(t testing.TB, text string) find.Query {
	t.Helper()
	q, err := find.Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return q
}

func TestQueriesAreParsed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"port":                  "port",
		"  port \t in\nuse ":    "port in use",
		`"in  use" port`:        `"in use" port`,
		`"in` + "\n" + ` use"`:  `"in use"`,
		`"port"`:                "port",
		`"never closed`:         `"never closed"`,
		`port"s and "a b"c`:     `port"s and "a b" c`,
		`"" port " "`:           "port",
		"Port PORT port":        "Port",
		`"in use" "IN   USE" x`: `"in use" x`,
		"漢字\u3000かな":            "漢字 かな",
		"a\xffb":                "a\uFFFDb",
		`C:\temp`:               `C:\temp`,
	} {
		q := parse(t, text)
		if d := cmp.Diff(want, q.String()); d != "" {
			t.Errorf("%q: %s", text, d)
		}
		if again := parse(t, q.String()); again.String() != q.String() {
			t.Errorf("%q became %q and then %q", text, q, again)
		}
	}
}

func TestEmptyAndTooLongQueriesAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " \n\t", `""`, `" "`, "\u3000"} {
		if _, err := find.Parse(text); !errors.Is(err, find.ErrEmpty) {
			t.Errorf("%q: error %v, want an empty query", text, err)
		}
	}
	most := "a b c d e f g h i j k l m n o p q r s t"
	parse(t, most)
	parse(t, `"`+most+` and more in a phrase" u`)
	if _, err := find.Parse(most + " u"); err == nil || !strings.Contains(err.Error(), "20 words") {
		t.Errorf("a query of 21 words: error %v", err)
	}
	var zero find.Query
	if at, ok := zero.Find("text"); ok || zero.MayMatchJSON([]byte(`"text"`)) || zero.MatchesBytes([]byte("text")) || len(zero.All("text")) > 0 || zero.String() != "" {
		t.Errorf("the zero query finds %v", at)
	}
}

func TestFindReturnsTheBestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, text, want string }{
		{"port", "the Port is in use", "Port"},
		{"port use", "use the port", "port"},
		{"port use", "use this or that port, port\n\tuse it", "port\n\tuse"},
		{`"in use"`, "in  \r\n use", "in  \r\n use"},
		{`"in use"`, "inuse, in-use", ""},
		{"port missing", "the port is in use", ""},
		{"kelvin", "\u212aELVIN", "\u212aELVIN"},
		{"street", "ſtreet", "ſtreet"},
		{"strasse", "straße", ""}, // simple folding keeps the number of letters
		{"STRAẞE", "straße", "straße"},
		{"σ", "ὁδός", "ς"},
		{"漢字", "交じり漢字文", "漢字"},
		{"👍", "ok 👍🏽", "👍"},
		{"\uFFFD", "a\xffb", ""},
		{"a", "", ""},
		{`say "hi`, `he would say "hi" twice`, "say"},
	} {
		at, ok := parse(t, c.query).Find(c.text)
		if got := c.text[at.Start:at.End]; got != c.want || ok != (c.want != "") {
			t.Errorf("%q in %q: %q, %v; want %q", c.query, c.text, got, ok, c.want)
		}
	}
}

func TestAllReturnsEveryMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, text, want string }{
		{"port", "Port, ports, airport", "[Port], [port]s, air[port]"},
		{"aa", "aaaaa", "[aaaa]a"},
		{"port in", "port in the inn", "[port] [in] the [in]n"},
		{"abc bcd", "abcd", "[abcd]"},
		{`"in use" use`, "in use, use", "[in use], [use]"},
		{"missing port", "port", "[port]"},
		{"k", "K\u212ak", "[K\u212ak]"},
		{"漢", "漢字と漢", "[漢]字と[漢]"},
		{"x", "nothing", "nothing"},
	} {
		var b strings.Builder
		done := 0
		for _, at := range parse(t, c.query).All(c.text) {
			b.WriteString(c.text[done:at.Start] + "[" + c.text[at.Start:at.End] + "]")
			done = at.End
		}
		if d := cmp.Diff(c.want, b.String()+c.text[done:]); d != "" {
			t.Errorf("%q: %s", c.query, d)
		}
	}
}

func TestMayMatchJSONExcludesRowsWithoutTheQuery(t *testing.T) {
	t.Parallel()
	row := `{"seq":7,"turn":1,"time":"2026-11-20T09:30:00Z","result":{"call_id":"c1","tool":"run_command","status":"ok","text":"a \"status\": in\nuse <b> \\x 漢字"}}`
	for query, want := range map[string]bool{
		"use":         true,
		"USE":         true,
		"port":        false,
		"use port":    false,
		`"in use"`:    true, // the longer piece
		`"in port"`:   false,
		"status":      true, // in the text, and not only as a name
		"turn":        false,
		"call_id":     false,
		"all_i":       false,
		"run_command": true, // the value of a field, for all that is known here
		"<b>":         true,
		`\x`:          true,
		"漢字":          true,
		"漢学":          false,
	} {
		if got := parse(t, query).MayMatchJSON([]byte(row)); got != want {
			t.Errorf("%s: may match %v, want %v", query, got, want)
		}
	}
}

func TestExcerptsShowTextAroundTheMatch(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("before ", 40) + "the port\n\n\tis in use" + strings.Repeat(" behind", 40)
	for _, c := range []struct {
		name, query, text string
		chars             int
		want              string
	}{
		{"whole", "port", "the port\nis free\n", 80, "the [port] is free"},
		{"middle", "port", long, 40, "…before the [port] is in use behind behind…"},
		{"beginning", "before", long, 30, "[before] before before before be…"},
		{"end", "is in use", "port " + strings.Repeat("is ", 30) + "in use", 30, "…is is [is in use]"},
		{"white space in the place", `"the port is"`, long, 40, "…before [the port is] in use behind behind…"},
		{"longer than there is room", `"is in use"`, "port is in use", 5, "[is in]…"},
		{"no words", "文", strings.Repeat("漢字", 30) + "文" + strings.Repeat("漢字", 30), 11, "…字漢字[文]漢字漢字漢字漢…"},
		{"a long word before", "port", strings.Repeat("x", 60) + "port", 30, "…xxxxxxxx[port]"},
		{"room for nothing", "port", "port", 0, "[]…"},
	} {
		at, ok := parse(t, c.query).Find(c.text)
		if !ok {
			t.Fatalf("%s: not found", c.name)
		}
		got, place := find.Excerpt(c.text, at, c.chars)
		got = got[:place.Start] + "[" + got[place.Start:place.End] + "]" + got[place.End:]
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
