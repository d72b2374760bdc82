package demo_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"plimsoll/agent/demo"
)

// The workspace of these tests has files in memory and tools that answer like the program's own,
// so that whole turns can run with the demo server.

func functionTool(name string, properties ...string) object {
	props := object{}
	for _, p := range properties {
		props[p] = object{"type": "string"}
	}
	return object{"type": "function", "function": object{"name": name, "description": "does " + name,
		"parameters": object{"type": "object", "properties": props}}}
}

var workspaceTools = list(
	functionTool("read_file", "path", "limit"), functionTool("list_files", "path", "depth"),
	functionTool("grep_files", "pattern", "path"), functionTool("create_file", "path", "content"), functionTool("modify_file", "path", "old", "new"),
	functionTool("run_command", "command"), functionTool("todo_read"),
)

type workspace struct {
	files  map[string]string
	refuse bool // what needs approval
}

func newWorkspace() *workspace {
	return &workspace{files: map[string]string{
		"go.mod":          "module example.org/boat\n\ngo 1.26.0\n",
		"README.md":       "# Boat\n\nBoat keeps a list of boats and says which of them float.\n\n## Use\n\nRun `boat list` to see them all.\n",
		"main.go":         "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(float(3)) // TODO: say why\n}\n",
		"hull/hull.go":    "package hull\n\n// Draft is how deep she lies.\ntype Draft int\n",
		"docs/long.md":    strings.Repeat("# Part\n\nA line about port 8080 in server.go that says something.\n", 60),
		"docs/hostile.md": "``` `x` \x1b]52;c;aGk=\x07 ````\n",
	}}
}

// run executes a call and returns its result.
func (w *workspace) run(name string, args map[string]any) string {
	text := func(key string) string { s, _ := args[key].(string); return s }
	if w.refuse && slices.Contains([]string{"run_command", "create_file", "modify_file"}, name) {
		return "denied: the user did not allow this call"
	}
	switch name {
	case "list_files":
		return w.list()
	case "read_file":
		return w.read(text("path"), args)
	case "grep_files":
		return w.grep(text("pattern"))
	case "create_file":
		w.files[text("path")] = text("content")
		return "created " + text("path")
	case "modify_file":
		if !strings.Contains(w.files[text("path")], text("old")) {
			return text("path") + ": old does not occur. The lines closest to it are:\n1\tHello"
		}
		w.files[text("path")] = strings.Replace(w.files[text("path")], text("old"), text("new"), 1)
		return "modified " + text("path") + ": 1 replacement, line 1"
	case "run_command":
		return "exit status 0\nok  \texample.org/boat\t0.012s\n"
	case "todo_read":
		return "the list is empty"
	}
	return "there is no tool " + name
}

func (w *workspace) names() []string { return slices.Sorted(maps.Keys(w.files)) }

func (w *workspace) list() string {
	var out []string
	for _, name := range w.names() {
		row := fmt.Sprintf("%s  %d bytes", name, len(w.files[name]))
		if path.Dir(name) != "." {
			row = path.Dir(name) + "/  (2 entries)"
		}
		if !slices.Contains(out, row) {
			out = append(out, row)
		}
	}
	return strings.Join(out, "\n") + "\n"
}

func (w *workspace) read(name string, args map[string]any) string {
	text, ok := w.files[name]
	if !ok {
		return name + " does not exist. Did you mean main.go?"
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	to := len(lines)
	if n, ok := args["limit"].(float64); ok {
		to = min(to, int(n))
	}
	out := fmt.Sprintf("%s, lines 1-%d of %d\n", name, to, len(lines))
	for i, l := range lines[:to] {
		out += fmt.Sprintf("%d\t%s\n", i+1, l)
	}
	return out
}

func (w *workspace) grep(pattern string) string {
	var out string
	for _, name := range w.names() {
		for i, l := range strings.Split(w.files[name], "\n") {
			if strings.Contains(l, pattern) {
				out += fmt.Sprintf("%s:%d:%s\n", name, i+1, l)
			}
		}
	}
	return cmp.Or(out, "no match\n")
}

// playTurn sends a message and runs tool calls until a reply has none. It returns a transcript and the history.
func (w *workspace) playTurn(t *testing.T, s *demo.Server, history []object, text string, tools []object) (string, []object) {
	t.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, "> %s\n", text)
	history = append(history, user(text))
	for range 8 {
		a := ask(t, s, history, object{"tools": tools})
		if a.Text != "" {
			fmt.Fprintf(&out, "\n%s\n", a.Text)
		}
		if len(a.Calls) == 0 {
			if a.Finish != "stop" {
				t.Errorf("finish %q without calls", a.Finish)
			}
			return out.String(), append(history, reply(a.Text))
		}
		if a.Finish != "tool_calls" {
			t.Errorf("finish %q with calls", a.Finish)
		}
		var calls, results []object
		for _, c := range a.Calls {
			var args map[string]any
			if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
				t.Fatalf("%s%s: %v", c.Name, c.Arguments, err)
			}
			fmt.Fprintf(&out, "\n  %s %s\n", c.Name, c.Arguments)
			calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments}})
			results = append(results, object{"role": "tool", "tool_call_id": c.ID, "content": w.run(c.Name, args)})
		}
		history = append(history, object{"role": "assistant", "content": a.Text, "tool_calls": calls})
		history = append(history, results...)
	}
	t.Fatalf("%q never came to an end", text)
	return "", nil
}
