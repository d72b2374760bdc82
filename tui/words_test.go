package tui_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// unwanted are words that only the history and the context view explain, and sentences that nobody understood, each with a text
// that had it.
var unwanted = map[string]string{
	`\bevict(ed|s)?\b`: "turns 0–1, 10 messages evicted, note", `\bmask(ed|s|ing)?\b`: "replaces masked results", `\bstubs?\b`: "12 stubs",
	`\boverlays?\b`: "recorded e25, turn 1, 1 overlay", `\bepochs?\b`: "epoch 23", `\be\d+\b`: "compaction e23 undone",
	`\b(a|the|behind a) note\b|evicted, note`: "I am sent a note instead", `\bturns? 0\b`: "compacted turns 0–1", `\bby hand\b`: "by hand: profile default",
	`past ▲`: "compacts past ▲; ctrl+x undoes that", `went back to the beginning`: "went back to the beginning · 1 turn undone",
	`while Plimsoll runs`: "allow while Plimsoll runs", `your own network`: "127.0.0.1:18431 (your own network)", `waiting for you$`: "waiting for you",
	`this is the copy`: "forked: this is the copy, and jsf stays as it is", `[^:] connects a real model`: "enter connects a real model.",
	`^(not known|unknown)$`: "not known", `the server (failed|needs a key)|tried %?\d* ?times`: "the server failed: internal (tried 4 times)",
	`trying again \(`: "trying again (2) in 2s", `if there are enough`: "older turns are compacted, if there are enough by then",
	`none of turn`: "none of turn 0", `redo-compact to redo`: "undone · /redo-compact to redo",
	`no instructions; Plimsoll`: "no instructions; Plimsoll reads the first it finds",
}

// The texts of the screens that people see every day are plain: every text in the source of what they show, and the screens
// that other tests keep.
func TestDailyScreensSpeakPlainly(t *testing.T) {
	t.Parallel()
	var all []string
	for pattern, had := range unwanted {
		if all = append(all, pattern); !regexp.MustCompile(pattern).MatchString(had) {
			t.Errorf("%q is not in %q, and so is never found", pattern, had)
		}
	}
	any, texts, seen := regexp.MustCompile(strings.Join(all, "|")), 0, map[string]bool{}
	check := func(where, text string) {
		if texts++; any.MatchString(text) {
			t.Errorf("%s says %q", where, text)
		}
	}
	goFiles := func(dir string) {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no source in %s: %v", dir, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") || path == "pane/numbers.go" { // it translates the words of events
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, is := n.(*ast.BasicLit); is && lit.Kind == token.STRING {
					if text, err := strconv.Unquote(lit.Value); err == nil && strings.Contains(text, " ") {
						check(path, text)
					}
				}
				return true
			})
		}
	}
	for _, dir := range []string{".", "transcript", "composer", "dialog", "gauge", "welcome", "choices", "alert", "changes", "search", "preview", "review", "pane",
		"../agent", "../agent/llm", "../agent/openai", "../agent/demo", "../cli/session", "../cli/screen", "../cli/setup"} {
		goFiles(dir)
	}
	for _, dir := range []string{"testdata/TestMainScreen", "testdata/TestCompactionScreens", "testdata/TestTodoAndPlanScreens", "transcript/testdata"} {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			seen[dir] = true
			golden, err := os.ReadFile(path)
			for line := range strings.Lines(ansi.Strip(string(golden))) {
				check(path, strings.TrimSpace(line))
			}
			return err
		})
		if err != nil || !seen[dir] {
			t.Errorf("no screens in %s: %v", dir, err)
		}
	}
	if texts < 2000 {
		t.Errorf("only %d texts were found", texts)
	}
}
