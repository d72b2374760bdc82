// What docs/compaction-reference.md says of compaction by itself is what the program does and shows. Rules:
//
//   - Words that the screen shows stand in the document as they stand in the source.
//   - The line of the log file has the keys that the agent writes, in their order.

package main_test

import (
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"plimsoll/compact/preset"

	"github.com/google/go-cmp/cmp"
)

// acting is the section of docs/compaction-reference.md on what happens by itself, without line breaks.
func acting(t *testing.T) string {
	t.Helper()
	_, text, ok := strings.Cut(read(t, compactionPage), "\n## When it acts automatically\n")
	text, _, ok2 := strings.Cut(text, "\n## ")
	if !ok || !ok2 {
		t.Fatalf("%s has lost its section on what happens by itself", compactionPage)
	}
	return strings.Join(strings.Fields(text), " ")
}

func TestDocumentsTellWhatIsSeenOfCompactionByItself(t *testing.T) {
	t.Parallel()
	text, literals := acting(t), literalsOf(t)
	quoted := func(name string) (words []string) {
		for _, m := range regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`).FindAllString(literals[name], -1) {
			if word, err := strconv.Unquote(m); err == nil {
				words = append(words, word)
			}
		}
		return words
	}
	shown := append(quoted("tui.trimmed"), quoted("transcript.triggers")...)
	shown = append(shown, quoted("tui.pausedNotes")[1:]...)
	for _, words := range shown {
		if trigger := strings.TrimSpace(words); !strings.Contains(text, `"`+trigger+`"`) {
			t.Errorf("%s does not quote %q", compactionPage, trigger)
		}
	}
	if len(shown) < 8 {
		t.Errorf("only %d words of the screen were found: this test cannot read the sources", len(shown))
	}
	for _, words := range []string{"Optimizing conversation context…", "so far", "the request waits", "to recover from an overflow"} {
		if !strings.Contains(text, `"`+words+`"`) || !slices.ContainsFunc(texts(t), func(s string) bool { return strings.Contains(s, words) }) {
			t.Errorf("%s or the program does not say %q", compactionPage, words)
		}
	}
}

// texts lists the string literals of the screen.
func texts(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, s := range sources(t) {
		if s.test || !under("tui", s.pkg) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok {
				out = append(out, lit.Value)
			}
			return true
		})
	}
	return out
}

func TestDocumentsTellTheLineOfThePlannerInTheLog(t *testing.T) {
	t.Parallel()
	var want, got []string
	for _, s := range sources(t) {
		if s.name == "agent/compactor/scheduler.go" {
			want = keysLogged(s.file, "planner")
		}
	}
	_, line, _ := strings.Cut(read(t, compactionPage), "\nlevel=INFO msg=planner ")
	line, _, _ = strings.Cut(line, "\n")
	for _, m := range regexp.MustCompile(`(?:^| )([a-z_]+)=`).FindAllStringSubmatch(line, -1) {
		got = append(got, m[1])
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 10 {
		t.Errorf("%s shows another line of the log than the agent writes (-program +document):\n%s", compactionPage, diff)
	}
}

// keysLogged is the keys of the line that a file logs under a message.
func keysLogged(f *ast.File, message string) (keys []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		if first, ok := call.Args[0].(*ast.BasicLit); !ok || first.Value != strconv.Quote(message) {
			return true
		}
		for i := 1; i < len(call.Args); i += 2 {
			if lit, ok := call.Args[i].(*ast.BasicLit); ok {
				key, err := strconv.Unquote(lit.Value)
				if err == nil {
					keys = append(keys, key)
				}
			}
		}
		return true
	})
	return keys
}

// The tables of what happens by itself and of the presets go by the rules.
func TestDocumentsTellWhichPresetsActByThemselves(t *testing.T) {
	t.Parallel()
	text := read(t, compactionPage)
	_, text, _ = strings.Cut(text, "\n| preset | in a conversation |\n")
	for _, p := range preset.All() {
		if p == preset.Plimsoll {
			continue
		}
		row := regexp.MustCompile("(?m)^\\|[^|\n]*`" + string(p) + "`[^|\n]*\\| ([^|\n]*) \\|$").FindStringSubmatch(text)
		if row == nil {
			t.Errorf("%s does not say what %s does in a conversation", compactionPage, p)
			continue
		}
		r := preset.RulesOf(p)
		acts := r.Enabled && r.Auto.Enabled && p != preset.Truncate // which Plan leaves to replays
		if says := !strings.HasPrefix(row[1], "nothing automatically"); says != acts {
			t.Errorf("%s says of %s %q", compactionPage, p, row[1])
		}
	}
}
