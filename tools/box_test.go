package tools_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/recall"
)

var update = flag.Bool("update", false, "write the golden files")

// open makes a Box on a new workspace that contains files.
func open(t *testing.T, files map[string]string, change ...func(*tools.Options)) (*tools.Box, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	o := tools.Options{Workspace: dir, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}}
	for _, c := range change {
		c(&o)
	}
	b, err := tools.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b, dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// call makes a tool call with args as its JSON arguments.
func call(t *testing.T, name string, args map[string]any) conversation.ToolCall {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return conversation.ToolCall{ID: "call_" + name, Name: name, Arguments: string(raw)}
}

func run(t *testing.T, b *tools.Box, name string, args map[string]any) conversation.Outcome {
	t.Helper()
	return b.Run(t.Context(), call(t, name, args), nil)
}

// succeed runs a call that must work and returns its text.
func succeed(t *testing.T, b *tools.Box, name string, args map[string]any) string {
	t.Helper()
	out := run(t, b, name, args)
	if out.Status != conversation.ResultOK {
		t.Fatalf("%s %v: %s: %s", name, args, out.Status, out.Text)
	}
	return out.Text
}

// fail runs a call that must fail with a text that contains every part.
func fail(t *testing.T, b *tools.Box, name string, args map[string]any, parts ...string) {
	t.Helper()
	out := run(t, b, name, args)
	if out.Status != conversation.ResultError {
		t.Fatalf("%s %v: %s: %s", name, args, out.Status, out.Text)
	}
	for _, part := range parts {
		if !strings.Contains(out.Text, part) {
			t.Errorf("%s %v: error lacks %q: %s", name, args, part, out.Text)
		}
	}
}

func TestDeclarationsMatchTheGoldenFile(t *testing.T) {
	t.Parallel()
	type declared struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		ReadOnly    bool            `json:"read_only"`
	}
	encode := func(b *tools.Box) string {
		var list []declared
		for _, s := range b.Specs() {
			if !json.Valid(s.Parameters) {
				t.Errorf("%s: the schema is not JSON: %s", s.Name, s.Parameters)
			}
			list = append(list, declared{s.Name, s.Description, json.RawMessage(s.Parameters), s.ReadOnly})
		}
		out, err := json.MarshalIndent(list, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(out) + "\n"
	}
	one, _ := open(t, nil)
	two, _ := open(t, nil)
	got := encode(one)
	if got != encode(two) {
		t.Error("two boxes declare different bytes")
	}
	golden := filepath.Join("testdata", "specs.json")
	if *update {
		write(t, golden, got)
	}
	if diff := cmp.Diff(read(t, golden), got); diff != "" {
		t.Errorf("declarations changed (-golden +now), and every running conversation loses its cache; -update if that is meant:\n%s", diff)
	}
}

func TestDisabledToolsAreNotOffered(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil, func(o *tools.Options) { o.Disabled = []string{"run_command"} })
	for _, s := range b.Specs() {
		if s.Name == "run_command" {
			t.Error("run_command is declared")
		}
	}
	fail(t, b, "run_command", map[string]any{"command": "true"}, `there is no tool "run_command"`, "The tools are read_file, list_files")
	if r := b.Review(t.Context(), call(t, "run_command", nil)); r.Need != conversation.NeedNothing {
		t.Errorf("review: %+v", r)
	}
}

func TestArgumentsAreDecodedTolerantly(t *testing.T) {
	t.Parallel()
	b, dir := open(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "one\none\n"})
	tries(t, b, []try{
		{"read_file", `{}`, `!needs "path". It takes path (required), offset, limit`},
		{"read_file", `{"path":"a.txt","line":1}`, `!no argument "line"`},
		{"read_file", `{"path":"a.txt","offset":"x"}`, `!"offset" must be a whole number from 1`},
		{"read_file", `{"path":"a.txt","offset":1.5}`, "!whole number"},
		{"read_file", `{"path":"a.txt","offset":0}`, "!from 1 to"},
		{"read_file", `{"path":["a.txt"]}`, `!"path" must be a string`},
		{"read_file", `[1]`, "!must be one JSON object"},
		{"read_file", `{"path":"a.txt"`, "!must be one JSON object"},
		{"read_file", `{"_invalid":"{\"path\": \"a.tx"}`, "!not valid JSON, or were cut off"},
		{"read_file", `{"path":"a.txt","limit":99999999}`, "!from 1 to 2000"},
		{"read_file", `{"path":"a.txt","offset":"2","limit":"1","x":null}`, `!no argument "x"`},
		{"read_file", `{"path":"a.txt","offset":"2","limit":1.0}`, "lines 2-2 of 2"},
		{"modify_file", `{"path":"b.txt","old":"one","new":2,"replace_all":"True"}`, "2 replacements"},
		{"todo_write", `{"todos":"[{\"text\":\"a\"}]"}`, "[ ] a"},
	})
	if got := read(t, filepath.Join(dir, "b.txt")); got != "2\n2\n" {
		t.Errorf("got %q", got)
	}
}

func TestACancelledCallIsInterrupted(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, args := range map[string]map[string]any{"list_files": nil, "read_file": {"path": "a.txt"}} {
		if out := b.Run(ctx, call(t, name, args), nil); out.Status != conversation.ResultInterrupted {
			t.Errorf("%s: got %+v", name, out)
		}
	}
}

// brokenArchive panics when it is read.
type brokenArchive struct{ recall.Archive }

func TestAPanicBecomesAnOutcome(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil, func(o *tools.Options) { o.Archive = brokenArchive{} })
	fail(t, b, "recall", map[string]any{"id": "e1"}, "recall broke down")
}

func TestNewRefusesInvalidOptions(t *testing.T) {
	t.Parallel()
	for part, change := range map[string]func(*tools.Options){
		"open the workspace":           func(o *tools.Options) { o.Workspace = "/does/not/exist" },
		"no workspace":                 func(o *tools.Options) { o.Workspace = "" },
		"permissions.deny: there is":   func(o *tools.Options) { o.Permissions.Deny = []string{"run_comand(rm *)"} },
		"closing parenthesis":          func(o *tools.Options) { o.Permissions.Allow = []string{"run_command(ls"} },
		"no pattern for requests":      func(o *tools.Options) { o.Permissions.Allow = []string{"http_request(example.com)"} },
		"no permission mode":           func(o *tools.Options) { o.Permissions.Mode = "reckless" },
		"permissions.private_addresse": func(o *tools.Options) { o.PrivateAddresses = []string{"10.0.0.0/99"} },
		"restore the checklist":        func(o *tools.Options) { o.Todos = "{" },
	} {
		o := tools.Options{Workspace: t.TempDir()}
		change(&o)
		if _, err := tools.New(o); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("want %q, got %v", part, err)
		}
	}
}
