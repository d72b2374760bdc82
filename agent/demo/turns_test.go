package demo_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/demo"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got)\n%s", file, d)
	}
}

func TestPlaysWholeTurns(t *testing.T) {
	t.Parallel()
	for name, says := range map[string][]string{
		"turns": {"what is in this project?", "hello", "read main.go", "read docs/long.md", "show hull/hull.go lines 2-3", "read nothing.go", "show docs/hostile.md",
			"find port 8080 in docs", "grep nowhere", "create notes.txt with Hello there", "replace Hello with Good day in notes.txt",
			"replace xyz with abc in notes.txt", "run `go test ./...`"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s := newWorkspace(), start(t, demo.Options{Window: 32_000})
			var out string
			var history []object
			for _, text := range says {
				var part string
				part, history = w.play(t, s, history, text, workspaceTools)
				out += part + "\n----\n\n"
			}
			golden(t, name, out)
		})
	}
}

func TestReportsRefusals(t *testing.T) {
	t.Parallel()
	w, s := newWorkspace(), start(t, demo.Options{})
	w.refuse = true
	for _, text := range []string{"run rm -r .", "create a.txt with b", "replace package with x in main.go"} {
		out, _ := w.play(t, s, nil, text, workspaceTools)
		if !strings.Contains(out, "was not allowed, so I did nothing") || strings.Count(out, "\n  ") != 1 {
			t.Errorf("%q: %s", text, out)
		}
	}
	if len(w.files) != len(newWorkspace().files) {
		t.Error("a file was made all the same")
	}
}

func TestSaysWhatItIsOnceAndFirst(t *testing.T) {
	t.Parallel()
	w, s := newWorkspace(), start(t, demo.Options{Window: 32_000})
	for _, text := range []string{"hi", "read main.go", "fill the gauge", "what is love?", ""} {
		first, history := w.play(t, s, list(system("You are a helpful assistant.")), text, workspaceTools)
		if _, said, _ := strings.Cut(first, "\n\n"); !strings.Contains(said, "scripted bot built into Plimsoll, not an AI") {
			t.Errorf("%q: %s", text, first)
		}
		if second, _ := w.play(t, s, history, text, workspaceTools); strings.Contains(second, "scripted bot") {
			t.Errorf("%q, again: %s", text, second)
		}
	}
}

func TestUsesOnlyTheToolsItIsGiven(t *testing.T) {
	t.Parallel()
	w, s := newWorkspace(), start(t, demo.Options{})
	for name, tools := range map[string][]object{"none": nil, "another": list(function("grep_files", "pattern"))} {
		out, _ := w.play(t, s, nil, "read main.go", tools)
		if !strings.Contains(out, "`read_file`, which this request does not offer") {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// Results may be cut, masked, or those of tools that write in another way.
func TestAnswersWhateverToolsReturn(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{Window: 2048})
	for _, says := range []string{
		"read a.txt", "what is in this project?", "search TODO", "replace a with b in c.txt", "run ls", "fill the gauge",
	} {
		for _, result := range []string{"", "\n", "lines 1-3 of 10", "[cut]", "a.go:99999999999999999999:x", "0\tx", "│"} {
			for _, steps := range []int{1, 3} {
				history := list(user(says))
				for i := range steps {
					id := fmt.Sprint(i)
					history = append(history, object{"role": "assistant", "content": "", "tool_calls": list(
						object{"id": id, "type": "function", "function": object{"name": "read_file", "arguments": `{"path":7,"offset":1e300}`}})},
						object{"role": "tool", "tool_call_id": id, "content": result})
				}
				a := ask(t, s, history, object{"tools": workspaceTools})
				if a.Text == "" || len(a.Calls) > 0 && steps > 1 {
					t.Errorf("%q with %d results %q is answered with %q and %d calls", says, steps, result, a.Text, len(a.Calls))
				}
			}
		}
	}
}

const summaryInstructions = "Write a summary of this conversation for whoever goes on with it: the goal, constraints and preferences in force, " +
	"decisions with reasons, what was done with exact paths, errors and how they were resolved, the current state, open questions, the next step, " +
	"identifiers to keep literally. Call no tools."

func TestAnswersASummaryRequest(t *testing.T) {
	t.Parallel()
	w, s := newWorkspace(), start(t, demo.Options{Window: 32_000})
	var history []object
	for _, text := range []string{
		"what is in this project?", "read docs/long.md", "search TODO", "read nothing.go",
		"You must never touch hull/hull.go. We decided to keep port 8080 because the tests need it.", "hello",
	} {
		_, history = w.play(t, s, history, text, workspaceTools)
	}
	before := ask(t, s, history, object{"tools": workspaceTools, "max_tokens": 1}).Prompt
	got := ask(t, s, append(history, user(summaryInstructions)), object{"tools": workspaceTools})
	if got.Finish != "stop" || len(got.Calls) != 0 {
		t.Fatalf("finish %q, calls %v", got.Finish, got.Calls)
	}
	if got.Completion*10 > before*4 {
		t.Errorf("%d tokens for %d", got.Completion, before)
	}
	golden(t, "summary", got.Text+"\n")

	history = append(list(user("Earlier: "+got.Text)), history...)
	second := ask(t, s, append(history, user(summaryInstructions+" Use at most 120 tokens.")), object{"tools": workspaceTools})
	if second.Completion > 120 || second.Text == "" || strings.Contains(second.Text, "Earlier:") {
		t.Errorf("%d tokens: %s", second.Completion, second.Text)
	}
}

func TestASummaryIsAlwaysShorter(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{Window: 32_000})
	dense := strings.Repeat("x_1=f(a[2],\"b\"); /* {%} */ a/b/c.go:12 != 0x3f && y->z;\n", 20)
	for name, covered := range map[string]string{"prose": prose, "dense": dense, "one line": strings.Repeat("word ", 300), "short": "Fix the leak in the hull before noon, please, and tell me how long it took you.", "CJK": strings.Repeat("船は水に浮かぶ。荷が重い。", 40)} {
		for _, messages := range [][]object{
			list(user(covered), reply("Well."), user(summaryInstructions)),
			list(system("You summarise transcripts. "+summaryInstructions), user(strings.Repeat(covered+"\n\n", 8))),
		} {
			whole := ask(t, s, messages[:len(messages)-1], object{"max_tokens": 1}).Prompt
			if messages[0]["role"] == "system" {
				whole = ask(t, s, messages[1:], object{"max_tokens": 1}).Prompt
			}
			got := ask(t, s, messages)
			if got.Finish != "stop" || got.Text == "" || got.Completion*10 > whole*4 {
				t.Errorf("%s: %d tokens of %d, finish %q: %s", name, got.Completion, whole, got.Finish, got.Text)
			}
		}
	}
}
