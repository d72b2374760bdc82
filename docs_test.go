// The facts in the documents are compared with the program. Rules:
//
//   - Tables between a "made from" mark and an "end of" mark are generated: go test . -update writes them.
//   - Tests hold facts, such as names, keys and links, never sentences.

package main_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plimsoll/agent/catalog"
	"plimsoll/agent/openai"
	"plimsoll/compact/projection"
	"plimsoll/docs/docstest"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the generated tables of the documents")

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkTable compares a table of a document with what it should be.
func checkTable(t *testing.T, document, table, want string) {
	t.Helper()
	docstest.Part(t, document, table, want, *update)
}

func TestDocumentsListTheDependencies(t *testing.T) {
	t.Parallel()
	row := regexp.MustCompile("(?m)^\\| \\[(\\S+/\\S+)\\]\\(https://github\\.com/(\\S+)\\) \\| `(\\S+)` \\| (v\\S+) \\| (\\S.*\\.) \\|$")
	text := read(t, "docs/dependencies.md")
	got := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(text, -1) {
		if m[1] != m[2] {
			t.Errorf("%s leads to %s", m[1], m[2])
		}
		got[m[3]] = m[4]
	}
	want := map[string]string{}
	tools := regexp.MustCompile(`(?m)^(?:tool |\t)([\w./]+/cmd/\w+)$`).FindAllStringSubmatch(read(t, "go.mod"), -1)
	for _, r := range requirements(t) {
		isTool := slices.ContainsFunc(tools, func(m []string) bool { return under(r.module, m[1]) })
		if r.direct || isTool {
			want[r.module] = r.version
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/dependencies.md differs from go.mod (-go.mod +document):\n%s", diff)
	}
	if rows := strings.Count(text, "\n| ["); rows != len(got) {
		t.Errorf("%d of %d rows are written so that this test cannot read them", rows-len(got), rows)
	}
}

func providerRows() string {
	var b strings.Builder
	b.WriteString("| name | provider | base URL | key in | default model |\n| --- | --- | --- | --- | --- |\n")
	for _, name := range openai.Providers() {
		e, _ := openai.KnownProvider(name) // the names come from the same table
		model := "the first the server lists"
		if d, ok := catalog.Default(name); ok {
			model = "`" + d.ID + "`"
		} else if !e.Local {
			model = "name one"
		}
		address, key := "`--base-url URL`", "`PLIMSOLL_API_KEY`, if it wants one"
		if e.BaseURL != "" {
			address = "`" + e.BaseURL + "`"
			key = strings.Join(e.KeyVars, "` or `")
			if key != "" {
				key = "`" + key + "`"
			}
			if e.Local && key != "" {
				key += ", if it wants one"
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", name, e.Label, address, or(key, "none needed"), model)
	}
	return b.String()
}

// wireRows gives the table of how requests differ: what, and where.
func wireRows(t *testing.T) string {
	t.Helper()
	where := map[string][]string{}
	for _, name := range openai.Providers() {
		e, _ := openai.KnownProvider(name)
		add := func(what string) { where[what] = append(where[what], "`"+name+"`") }
		if caps := openai.New(openai.Options{Provider: name, Wire: openai.WireChat}).Capabilities("gpt-oss"); caps.EchoReasoning {
			add("reasoning goes back " + map[bool]string{true: "until your next message", false: "with the messages"}[caps.EchoLoop])
		}
		if e.Caps.CallIDs == projection.CallIDMistral {
			add("call ids of nine letters and digits")
		}
		words := quirkWords(e)
		for _, quirk := range reflect.VisibleFields(reflect.TypeFor[openai.Quirks]()) {
			text, told := words[quirk.Name]
			switch value := reflect.ValueOf(e.Quirks).FieldByIndex(quirk.Index); {
			case !told:
				t.Errorf("quirkWords does not say what the quirk %s is", quirk.Name)
			case text != "" && !value.IsZero():
				add(text)
			}
		}
	}
	rows := "| what | where |\n| --- | --- |\n"
	for _, what := range slices.Sorted(maps.Keys(where)) {
		rows += fmt.Sprintf("| %s | %s |\n", what, strings.Join(where[what], ", "))
	}
	return rows
}

// quirkWords describes the quirks of an endpoint, by field; "" for one that the documents leave out.
func quirkWords(e openai.Endpoint) map[string]string {
	content := "a message of calls only has `content: null`"
	if e.Wire != openai.WireAuto { // there it has none
		content = ""
	}
	return map[string]string{
		"MaxCompletion": "`max_completion_tokens` bounds the reply over chat completions, not `max_tokens`",
		"NullContent":   content,
		"CacheKey":      "`prompt_cache_key` keeps a conversation's cache",
		"Breakpoints":   "marks in its messages have Claude cache the prompt",
		"DayRetention":  "`prompt_cache_retention` keeps a prompt for a day, where `cache_ttl` says so",
		"Progress":      "reports how far it has read the prompt",
		"Signatures":    "thought signatures go back with the calls",
		"NoCaching":     "caches no prompts over chat completions",
		"DropsThinking": "is asked to drop thinking that no longer fits",
		"PDFs":          "takes PDFs",
		"Responses":     "the Responses API, where `max_output_tokens` bounds the reply",
		"EmptyOverflow": "refuses what is too long with an empty answer",
		"CacheHeader":   "the header `" + e.CacheHeader + "` keeps a conversation's cache",
	}
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func TestDocumentsListTheProviders(t *testing.T) {
	t.Parallel()
	checkTable(t, "docs/providers.md", "providers", providerRows())
	checkTable(t, "docs/providers.md", "requests", wireRows(t))
}

// The names of the views are those of the tables that are made from the keymaps.
func TestDocumentsListTheViewsWhoseKeysCanBeBound(t *testing.T) {
	t.Parallel()
	rows := "| view | opened by | its actions begin with |\n| --- | --- | --- |\n"
	for _, m := range regexp.MustCompile("(?s)\n### The ([^\n]+?): `([^`\n]+)`\n.*?\n<!-- keys: ([a-z]+): ").FindAllStringSubmatch(read(t, "docs/keys.md"), -1) {
		rows += fmt.Sprintf("| %s | `%s` | `%s_` |\n", m[1], m[2], m[3])
	}
	checkTable(t, "docs/configuration.md", "views", rows)
}
