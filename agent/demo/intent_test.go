package demo

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var intents = map[string]intent{
	"what is in this project?":                      {Kind: kindProject},
	"What's in this project":                        {Kind: kindProject},
	"what's here?":                                  {Kind: kindProject},
	"Could you please describe this repo?":          {Kind: kindProject},
	"what does this project do?":                    {Kind: kindProject},
	"help":                                          {Kind: kindHelp},
	"what can you do?":                              {Kind: kindHelp},
	"are you an AI?":                                {Kind: kindHelp},
	"hi":                                            {Kind: kindGreeting},
	"ls":                                            {Kind: kindList},
	"list the files":                                {Kind: kindList},
	"list files in cmd/app":                         {Kind: kindList, Path: "cmd/app"},
	"tree docs":                                     {Kind: kindList, Path: "docs"},
	"list the files in the project":                 {Kind: kindList},
	"what files are here?":                          {Kind: kindList},
	"read main.go":                                  {Kind: kindRead, Path: "main.go"},
	"please show me `docs/use.md`":                  {Kind: kindRead, Path: "docs/use.md"},
	"read main.go:10-20":                            {Kind: kindRead, Path: "main.go", From: 10, To: 20},
	"read main.go lines 10 to 20":                   {Kind: kindRead, Path: "main.go", From: 10, To: 20},
	"show lines 3-7 of @go.mod":                     {Kind: kindRead, Path: "go.mod", From: 3, To: 7},
	"show the first 12 lines of main.go":            {Kind: kindRead, Path: "main.go", To: 12},
	"what is in README.md?":                         {Kind: kindRead, Path: "README.md"},
	"open the Makefile":                             {Kind: kindRead, Path: "Makefile"},
	"find *.go":                                     {Kind: kindFind, Text: "*.go"},
	"find all go files":                             {Kind: kindFind, Text: "*.go"},
	"where is server.go?":                           {Kind: kindFind, Text: "server.go"},
	"find files named wire*":                        {Kind: kindFind, Text: "wire*"},
	"where is parseIntent defined?":                 {Kind: kindGrep, Text: "parseIntent"},
	"grep TODO":                                     {Kind: kindGrep, Text: "TODO"},
	"search for \"load line\" in docs":              {Kind: kindGrep, Text: "load line", Path: "docs"},
	"find the text hello world in main.go":          {Kind: kindGrep, Text: "hello world", Path: "main.go"},
	"compare go.mod and go.sum":                     {Kind: kindCompare, Path: "go.mod", Other: "go.sum"},
	"compare a b":                                   {Kind: kindCompare, Path: "a", Other: "b"},
	"what is the difference between a.md and b.md?": {Kind: kindCompare, Path: "a.md", Other: "b.md"},
	"how many lines in main.go?":                    {Kind: kindCount, Text: "lines in main.go"},
	"summarise README.md":                           {Kind: kindSummarise, Text: "README.md"},
	"summarize this conversation":                   {Kind: kindSummarise, Text: "this conversation"},
	"run `go version`":                              {Kind: kindRun, Text: "go version"},
	"run ls -la | head -3.":                         {Kind: kindRun, Text: "ls -la | head -3."},
	"run the tests":                                 {Kind: kindTests},
	"create notes.txt with Hello there.":            {Kind: kindCreate, Path: "notes.txt", Text: "Hello there."},
	"write a file called a/b.txt containing 'x y'":  {Kind: kindCreate, Path: "a/b.txt", Text: "x y"},
	"write \"hello\" to out.txt":                    {Kind: kindCreate, Path: "out.txt", Text: "hello"},
	"replace foo with bar in main.go":               {Kind: kindReplace, Path: "main.go", Text: "foo", With: "bar"},
	"replace \"a b\" by \"c\" in x/y.txt":           {Kind: kindReplace, Path: "x/y.txt", Text: "a b", With: "c"},
	"in main.go, change foo to bar":                 {Kind: kindReplace, Path: "main.go", Text: "foo", With: "bar"},
	"add todo buy rope":                             {Kind: kindTodoAdd, Text: "buy rope"},
	"add a todo: buy rope":                          {Kind: kindTodoAdd, Text: "buy rope"},
	"add buy rope to my todo list":                  {Kind: kindTodoAdd, Text: "buy rope"},
	"show my todos":                                 {Kind: kindTodoShow},
	"todos":                                         {Kind: kindTodoShow},
	"mark buy rope as done":                         {Kind: kindTodoDone, Text: "buy rope"},
	"ask me something":                              {Kind: kindAsk},
	"recall 17":                                     {Kind: kindRecall, Path: "17"},
	"recall t3 for load line":                       {Kind: kindRecall, Path: "t3", Text: "load line"},
	"tell me a long story":                          {Kind: kindStory},
	"write 1,500 words about ships":                 {Kind: kindStory, From: 1500},
	"give me 2k words":                              {Kind: kindStory, From: 2000},
	"explain prompt caching":                        {Kind: kindStory},
	"fill the window":                               {Kind: kindFill},
	"please fill the gauge!":                        {Kind: kindFillGauge},
	"think about what is in this project?":          {Kind: kindProject, Think: true},
	"think hard, then read main.go":                 {Kind: kindRead, Path: "main.go", Think: true},
	"A summary of earlier turns.\n\nread main.go":   {Kind: kindRead, Path: "main.go"},
	"what is the capital of France?":                {Kind: kindUnknown, Text: "what is the capital of France?"},
	"":                                              {Kind: kindUnknown},
}

func TestParsesIntents(t *testing.T) {
	t.Parallel()
	for text, want := range intents {
		if d := cmp.Diff(want, parseIntent(text)); d != "" {
			t.Errorf("%q (-want +got)\n%s", text, d)
		}
	}
}

func FuzzParseIntent(f *testing.F) {
	for _, seed := range []string{"read main.go:1-2", "replace `a` with \"b\" in c.txt", "think ", "\xff\n\n\x00", "how many", "write 1e9 words", "find “x”"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		in := parseIntent(text)
		if in.Kind == "" {
			t.Fatalf("%q has no kind", text)
		}
		if in.From < 0 || in.To < 0 || in.From > 1_000_000 {
			t.Fatalf("%q: %+v", text, in)
		}
		for _, tools := range []map[string]schema{nil, {"read_file": {}, "grep_files": {}, "list_files": {}, "todo_read": {}, "todo_write": {}}} {
			turn := &turn{wish: in, said: text, toolbox: tools, window: 8192, room: 100, prompt: 8000, history: []message{{Role: "user"}}}
			for range 6 {
				r := answer(turn)
				if r.text == "" && len(r.calls) == 0 {
					t.Fatalf("%q: nothing to say to %+v", text, in)
				}
				if len(r.calls) == 0 {
					break
				}
				var s step
				for _, c := range r.calls {
					var args map[string]any
					if err := json.Unmarshal([]byte(c.arguments), &args); err != nil {
						t.Fatalf("%q: arguments %q: %v", text, c.arguments, err)
					}
					s = append(s, exchange{name: c.name, args: args, result: text})
				}
				turn.steps, turn.taken = append(turn.steps, s), turn.taken+1
			}
			if turn.taken > maxSteps {
				t.Fatalf("%q took %d steps", text, turn.taken)
			}
		}
	})
}

func FuzzTokens(f *testing.F) {
	f.Add("The ship's 3,000 t — 漢字 and\n\n\tcode(x).")
	f.Fuzz(func(t *testing.T, text string) {
		all := pieces(text)
		if strings.Join(all, "") != text || len(all) != countTokens(text) {
			t.Fatalf("%q became %q", text, all)
		}
		for _, p := range all {
			if utf8.ValidString(text) && !utf8.ValidString(p) {
				t.Fatalf("%q was cut inside a rune", text)
			}
		}
		if n := len(all) / 2; fewer(text, n) != strings.Join(all[:n], "") {
			t.Fatalf("%q cut to %d tokens is %q", text, n, fewer(text, n))
		}
	})
}
