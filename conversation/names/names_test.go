package names_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation/names"
)

func TestScanFindsNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		// Paths, dotted and snake_case words, humps, hexadecimal ids.
		"see compact/plan.go for it":                   {"compact/plan.go"},
		"func newPlanner(r Rules)":                     {"newPlanner"},
		"max_input_tokens = 7":                         {"max_input_tokens"},
		"conversation.ToolResult{}":                    {"conversation.ToolResult"},
		`C:\Users\kim\notes.txt`:                       {`Users\kim\notes.txt`},
		"commit 9f8e7d6c5b4a by kim":                   {"9f8e7d6c5b4a"},
		"~/src/hull.go and ./a/b.c":                    {"~/src/hull.go"},
		"version utf8Decoder2Go":                       {"utf8Decoder2Go"},
		"user@host.example":                            {"user@host.example"},
		"https://example.org/a/b?page=two":             {"example.org/a/b"},
		"--dry_run, (go.mod1)":                         {"dry_run", "go.mod1"},
		"a/plan.go-12-\tx b/plan.go-7-newPlan b.go-v2": {"a/plan.go", "b/plan.go", "newPlan", "b.go-v2"},
		"abc_de. fgh_ij/":                              {"abc_de", "fgh_ij"},
		// Times in a log are not names.
		"2026-02-21T22:43:43.1393058Z 10.250Z ran for 12.50ms": {"12.50ms"},
		"at 2026-02-21Tzz and 43.13930x8Z":                     {"2026-02-21Tzz", "43.13930x8Z"},
		// Ordinary words, numbers, and words that are too short or too long.
		"the quick brown fox jumps":             nil,
		"Every Sentence Begins So, README says": nil,
		"2026-01-02 03:04:05 1,234.56 100000":   nil,
		"1.2.3.4.5 1.22.3 1234.5.6.7 1..2.3.4":  nil,
		"1500metres 15.ms 3rd":                  nil,
		"well-known half-open":                  nil,
		"a/b.c x.y iPad":                        nil,
		"deadbeef":                              nil,
		strings.Repeat("a1", 21):                nil,
		strings.Repeat("a1", 20):                {strings.Repeat("a1", 20)},
		"a_" + strings.Repeat("b", 78):          {"a_" + strings.Repeat("b", 78)},
		"a_" + strings.Repeat("b", 79):          nil,
		"漢字かな.txt と 漢字":                         nil,
		"\x1b[31mred_text\x1b[0m":               {"red_text"},
		"\x1b[1;36mplan_a.go\x1b[":              {"plan_a.go"},
		"\x1b(plan_a.go \x1b":                   {"plan_a.go"},
		"from 10.0.3.17:8080 to 127.0.0.1.":     {"10.0.3.17", "127.0.0.1"},
		"took 1500ms, 0.250s and 4096kB":        {"1500ms", "0.250s", "4096kB"},
		// The escapes of JSON text divide names, but not the paths of Windows.
		`see C:\new\readme.txt`:              {`new\readme.txt`},
		`plan_a.go\nplan_b.go\\nplan_c.go\t`: {"plan_a.go", "plan_b.go", "plan_c.go"},
		`src\new\app_one.go`:                 {`src\new\app_one.go`},
		"______ ///// .....":                 nil,
		"":                                   nil,
	} {
		var got []string
		names.Scan(text, func(name string) { got = append(got, name) })
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q:\n%s", text, d)
		}
	}
}
