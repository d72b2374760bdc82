package demo_test

import (
	"flag"
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
		"project":   {"what is in this project?", "thanks"},
		"look":      {"ls", "list docs", "read main.go", "read docs/long.md", "show lines 2-3 of hull/hull.go", "read nothing.go", "show docs/hostile.md"},
		"search":    {"search TODO", "find *.go", "find hull", "find port 8080", "find floaty", "where is Draft defined?", "grep nowhere"},
		"compare":   {"compare hull/hull.go and hull/hull2.go", "compare go.mod go.mod", "compare main.go and none.go"},
		"count":     {"how many lines in README.md?", "how many go files are there?", "how many times does Draft appear"},
		"summarise": {"summarise docs/long.md", "summarise README.md", "summarise this conversation"},
		"change":    {"create notes.txt with Hello there", "replace Hello with Good day in notes.txt", "replace xyz with abc in notes.txt", "run `go test ./...`", "run the tests"},
		"todo":      {"add todo buy rope", "add a todo: paint the hull", "mark rope as done", "show my todos", "mark anchor as done"},
		"talk":      {"hi", "help", "what is love?", "is there an error in @main.go", "think about what is in this project?", "ask me something", "recall 17 for line"},
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
	for _, text := range []string{"hi", "read main.go", "tell me a long story", "what is love?", "think hard", ""} {
		first, history := w.play(t, s, list(system("You are a helpful assistant.")), text, workspaceTools)
		if _, said, _ := strings.Cut(first, "\n\n"); !strings.Contains(said, "rule program built into Plimsoll, not an AI") {
			t.Errorf("%q: %s", text, first)
		}
		if second, _ := w.play(t, s, history, text, workspaceTools); strings.Contains(second, "rule program") {
			t.Errorf("%q, again: %s", text, second)
		}
	}
}

func TestUsesOnlyTheToolsItIsGiven(t *testing.T) {
	t.Parallel()
	w, s := newWorkspace(), start(t, demo.Options{})
	out, _ := w.play(t, s, nil, "read main.go", nil)
	if !strings.Contains(out, "gives me no tools") {
		t.Error(out)
	}
	out, _ = w.play(t, s, nil, "read main.go", list(function("grep_files", "pattern")))
	if !strings.Contains(out, "`read_file`, which is not among the tools I was given: `grep_files`") {
		t.Error(out)
	}
	got := ask(t, s, list(user("read main.go")), object{"tools": workspaceTools, "tool_choice": "none"})
	if len(got.Calls) != 0 {
		t.Errorf("calls although tool_choice is none: %v", got.Calls)
	}
	other := function("read_file", "file_path", "start_line", "max_lines")
	got = ask(t, s, list(user("read main.go lines 3-5")), object{"tools": list(other)})
	if len(got.Calls) != 1 || got.Calls[0].Arguments != `{"file_path": "main.go", "start_line": 3, "max_lines": 3}` {
		t.Errorf("with other names: %v", got.Calls)
	}
}

func TestCallsHaveIDsOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{})
	seen := make(map[string]bool)
	for range 3 {
		for _, c := range ask(t, s, list(user("compare a.go b.go")), object{"tools": workspaceTools}).Calls {
			if seen[c.ID] || len(c.ID) > 40 {
				t.Errorf("id %q", c.ID)
			}
			seen[c.ID] = true
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d ids, want 6", len(seen))
	}
}

// Results may be cut, masked, or those of tools that write in another way.
func TestAnswersWhateverToolsReturn(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{})
	for _, says := range []string{
		"read a.txt", "what is in this project?", "list docs", "find foo", "search TODO", "compare a.go b.go", "how many lines in a.go",
		"summarise a.txt", "replace a with b in c.txt", "run ls", "run the tests", "mark todo x as done", "recall 17", "ask me", "fill the gauge",
	} {
		for _, result := range []string{"", "\n", "lines 1-3 of 10", "lines 1-3 of 10\n\n", "[cut]", "a.go:99999999999999999999:x", ":1:x", "0\tx", "[ ]", "│"} {
			calls := []object{
				{"id": "1", "type": "function", "function": object{"name": "read_file", "arguments": `{"path":7,"offset":1e300}`}},
				{"id": "2", "type": "function", "function": object{"name": "list_files", "arguments": "{}"}},
			}
			step := list(object{"role": "assistant", "content": "", "tool_calls": calls},
				object{"role": "tool", "tool_call_id": "1", "content": result}, object{"role": "tool", "tool_call_id": "2", "content": result})
			if a := ask(t, s, append(list(user(says)), step...)); a.Text == "" {
				t.Errorf("%q with the result %q is answered with nothing", says, result)
			}
		}
	}
}

func TestStopsAfterFourSteps(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{})
	history := list(user("what is in this project?"))
	for _, id := range []string{"a", "b", "c", "d"} {
		history = append(history,
			object{"role": "assistant", "tool_calls": list(object{"id": id, "type": "function", "function": object{"name": "ask_user", "arguments": "{}"}})},
			object{"role": "tool", "tool_call_id": id, "content": "ask me something"})
	}
	if got := ask(t, s, history, object{"tools": workspaceTools}); len(got.Calls) != 0 || got.Text == "" {
		t.Errorf("a fifth step: %+v", got)
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
		"You must never touch hull/hull.go. We decided to keep port 8080 because the tests need it.", "write 400 words", "run the tests",
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
