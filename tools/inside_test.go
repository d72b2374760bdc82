package tools

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/tools/params"
	"plimsoll/tools/permission"
)

// Without an access, a tool on files refuses rules with path patterns. Without a brief, small windows get a declaration
// without a description.
func TestToolsDeclareAccessAndBrief(t *testing.T) {
	t.Parallel()
	for _, tool := range (&Box{}).all() {
		onFiles := slices.ContainsFunc(tool.params, func(p params.Param) bool { return p.Name == "path" })
		if onFiles != (tool.access == permission.AccessRead || tool.access == permission.AccessEdit) {
			t.Errorf("%s has the access %d, with a path: %v", tool.name, tool.access, onFiles)
		}
		if tool.brief == "" {
			t.Errorf("%s has no short description", tool.name)
		}
		if tool.readOnly && (tool.access == permission.AccessEdit || tool.access == permission.AccessCommand) {
			t.Errorf("%s is read-only, with the access %d", tool.name, tool.access)
		}
	}
}

func FuzzDecode(f *testing.F) {
	all := append([]params.Param{
		{Name: "text", Kind: params.Text, Required: true}, {Name: "n", Kind: params.Int, Min: 1, Max: 9}, {Name: "f", Kind: params.Bool},
		{Name: "list", Kind: params.Texts}, {Name: "map", Kind: params.Map}, {Name: "pick", Kind: params.Text, Choices: []string{"a", "b"}},
	}, todoParams[0])
	all[6].Required = false
	f.Add(`{"text":"x","n":"3","f":"true","list":["a",1],"map":{"k":"v"},"pick":"A","todos":[{"text":"t","status":"done"}]}`)
	f.Add(`{"text":1,"list":"[\"x\"]","map":"{}","todos":"[]"}`)
	f.Add(`{"_invalid":"{"}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, raw string) {
		args, err := params.Decode("tool", all, raw)
		if err != nil {
			if !strings.Contains(err.Error(), "tool") {
				t.Fatalf("the error does not name the tool: %v", err)
			}
			return
		}
		if _, ok := args["text"].(string); !ok {
			t.Fatalf("accepted without its required text: %v", args)
		}
		if n := args.Int("n", 1); n < 1 || n > 9 {
			t.Fatalf("n is %d", n)
		}
		if p := args.Text("pick"); p != "" && p != "a" && p != "b" {
			t.Fatalf("pick is %q", p)
		}
		if _, err := todosOf(args); err != nil && len(args.Items("todos")) == 0 {
			t.Fatalf("no todos, yet %v", err)
		}
	})
}

func FuzzSubstitute(f *testing.F) {
	f.Add("a\nb\nc\n", "b", "x\ny", false)
	f.Add("a\r\nb\r\n", "a\nb", "c\nd", false)
	f.Add("a\r\nb\n", "a\n", "c\n", true)
	f.Add("func f() {\n\treturn 1\n}\n", "func f() {\n  return 1\n}", "", false)
	f.Add("1\tx\n", "1\tx", "y", true)
	f.Fuzz(func(t *testing.T, text, old, new string, all bool) {
		got, count, line, err := substitute(text, old, new, all)
		if err != nil {
			if old != "" && old != new && strings.Count(text, old) == 1 && !strings.Contains(text, "\r") {
				t.Fatalf("refused what is there once: %v", err)
			}
			return
		}
		old, new = fitLineEnds(text, old, new)
		if count < 1 || !all && count != 1 || count != strings.Count(text, old) {
			t.Fatalf("%d replacements of %q in %q", count, old, text)
		}
		if want := len(text) + count*(len(new)-len(old)); len(got) != want {
			t.Fatalf("%d bytes, want %d", len(got), want)
		}
		if !strings.Contains(text, "\r\n") && got != strings.ReplaceAll(text, old, new) {
			t.Fatalf("got %q", got)
		}
		onlyWindows := strings.Count(text, "\n") > 0 && strings.Count(text, "\n") == strings.Count(text, "\r\n")
		if onlyWindows && !strings.HasSuffix(old, "\r") && !strings.HasPrefix(old, "\n") && strings.Count(got, "\n") != strings.Count(got, "\r\n") {
			t.Fatalf("line ends are mixed now: %q", got)
		}
		if lines := lineCount(text) + 1; line < 1 || line > lines {
			t.Fatalf("line %d of %d", line, lines)
		}
	})
}
