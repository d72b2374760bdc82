package tools_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/checkpoint"
	"plimsoll/tools/permission"
)

// try is a call with its JSON arguments. After "=", want is the exact result; after "!", the call must fail with a text that
// contains want; otherwise the result contains want.
type try struct{ tool, args, want string }

func tries(t *testing.T, b *tools.Box, list []try) {
	t.Helper()
	for _, c := range list {
		out := b.Run(t.Context(), conversation.ToolCall{ID: "1", Name: c.tool, Arguments: c.args}, nil)
		exact, isExact := strings.CutPrefix(c.want, "=")
		failure, fails := strings.CutPrefix(c.want, "!")
		if fails != (out.Status == conversation.ResultError) || isExact && out.Text != exact || !isExact && !strings.Contains(out.Text, failure) {
			t.Errorf("%s %s: want %q, got %s: %.300q", c.tool, c.args, c.want, out.Status, out.Text)
		}
	}
}

func TestFilesOutsideTheWorkspaceAreRefused(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	write(t, filepath.Join(outside, "secret.txt"), "secret")
	b, dir := open(t, map[string]string{"in.txt": "in", "sub/x.txt": "x"})
	for link, target := range map[string]string{
		"out.txt": filepath.Join(outside, "secret.txt"), "outdir": outside, "up": "../..", "broken": "nowhere", "loop": "loop",
		"inside": filepath.Join(dir, "in.txt"), "relative": "sub/x.txt",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, part := range map[string]string{
		"../x":                               "outside the workspace",
		"sub/../../x":                        "outside the workspace",
		"/etc/passwd":                        "outside the workspace",
		"~/x":                                "outside the workspace",
		filepath.Join(outside, "secret.txt"): "outside the workspace",
		"out.txt":                            "leads out",
		"outdir/secret.txt":                  "leads out",
		"outdir/new.txt":                     "leads out",
		"up/x":                               "leads out",
		"broken":                             "does not exist",
		"loop":                               "loop",
		"":                                   "empty",
		"a\x00b":                             "NUL",
	} {
		fail(t, b, "read_file", map[string]any{"path": path}, part)
		fail(t, b, "create_file", map[string]any{"path": path, "content": "x", "overwrite": true}, part)
		fail(t, b, "modify_file", map[string]any{"path": path, "old": "secret", "new": "x"}, part)
	}
	if got := read(t, filepath.Join(outside, "secret.txt")); got != "secret" {
		t.Errorf("changed to %q", got)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("outside holds %v, %v", entries, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	linked, _ := open(t, nil, func(o *tools.Options) { o.Workspace = link })
	for _, b := range []*tools.Box{b, linked} {
		for _, path := range []string{"in.txt", filepath.Join(b.Workspace(), "in.txt"), "inside", "sub/../in.txt", "./in.txt"} {
			if got := succeed(t, b, "read_file", map[string]any{"path": path}); !strings.HasSuffix(got, "1\tin\n") {
				t.Errorf("%s: got %q", path, got)
			}
		}
	}
	succeed(t, linked, "create_file", map[string]any{"path": filepath.Join(link, "new/b.txt"), "content": "b"})
	succeed(t, b, "modify_file", map[string]any{"path": "relative", "old": "x", "new": "y"})
	st, err := os.Lstat(filepath.Join(dir, "relative"))
	if err != nil || st.Mode()&os.ModeSymlink == 0 || read(t, filepath.Join(dir, "sub/x.txt")) != "y" || read(t, filepath.Join(dir, "new/b.txt")) != "b" {
		t.Errorf("a link inside is not followed but replaced: %v %v", st, err)
	}
}

func TestReadFileShowsLinesWithNumbers(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&long, "line %d\n", i+1)
	}
	b, _ := open(t, map[string]string{
		"a.txt": "one\r\ntwo\n\nfour", "long.txt": long.String(), "empty": "", "bom.txt": "\uFEFFx\n",
		"wide.txt": strings.Repeat("漢", 5000) + "\nend\n", "latin": "caf\xe9\n", "dir/x": "",
		"pic.png": "\x89PNG\r\n\x1a\n\x00\x00", "bin": "a\x00b", "wide16": "\xff\xfea\x00", "doc.pdf": "%PDF-1.7\n",
	})
	tries(t, b, []try{
		{"read_file", `{"path":"a.txt"}`, "=a.txt, lines 1-4 of 4\n1\tone\n2\ttwo\n3\t\n4\tfour\n"},
		{"read_file", `{"path":"long.txt"}`, "long.txt, lines 1-2000 of 5,000; go on with offset 2001\n1\tline 1\n"},
		{"read_file", `{"path":"long.txt","offset":4999,"limit":10}`, "=long.txt, lines 4999-5000 of 5,000\n4999\tline 4999\n5000\tline 5000\n"},
		{"read_file", `{"path":"long.txt","offset":5001}`, "!has only 5,000 lines"},
		{"read_file", `{"path":"wide.txt"}`, "1\t" + strings.Repeat("漢", 2000) + " [... line of 14.6 KiB shortened ...]\n2\tend\n"},
		{"read_file", `{"path":"wide.txt","limit":1}`, "1\t" + strings.Repeat("漢", 5000) + "\n"},
		{"read_file", `{"path":"empty"}`, "=empty is empty"},
		{"read_file", `{"path":"bom.txt"}`, "\n1\tx\n"},
		{"read_file", `{"path":"latin"}`, "\n1\tcaf\uFFFD\n"},
		{"read_file", `{"path":"pic.png"}`, "!is no text file (image/png"},
		{"read_file", `{"path":"bin"}`, "!is no text file (binary, 3 B)"},
		{"read_file", `{"path":"wide16"}`, "!UTF-16"},
		{"read_file", `{"path":"doc.pdf"}`, "!application/pdf"},
		{"read_file", `{"path":"dir"}`, "!is a directory"},
		{"read_file", `{"path":"a.tx"}`, "!there is no a.tx"},
		{"read_file", `{"path":"no/such"}`, "!folder no does not exist"},
	})
}

func TestFilesAreListedFoundAndSearched(t *testing.T) {
	t.Parallel()
	b, dir := open(t, map[string]string{
		".gitignore": "*.log\n/build/\n!keep.log\n# comment\nweird{1}\n", "a.go": "12345", "x.log": "", "keep.log": "", "build/out": "", "weird{1}": "",
		"sub/build/in": "", "sub/.gitignore": "secret\n", "sub/secret": "", "secret": "", "sub/deep/er/file": "", "node_modules/m/x": "", ".git/config": "",
		".git/info/exclude": "excluded\n", "excluded": "",
	})
	if err := os.Symlink("a.go", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	tries(t, b, []try{
		{"list_files", `{}`, "=.gitignore  43 B\na.go  5 B\nkeep.log  0 B\nlink -> a.go\nsecret  0 B\nsub/\nsub/.gitignore  7 B\nsub/build/  (1 entries)\nsub/deep/  (1 entries)\n"},
		{"list_files", `{"path":"build"}`, "=build/out  0 B\n"}, // asked for by name, though ignored
		{"list_files", `{"include_ignored":true,"depth":1}`, "node_modules/"},
		{"list_files", `{"path":"a.go"}`, "!not a directory"},
		{"list_files", `{"path":"nope"}`, "!there is no nope"},
		{"find_files", `{"pattern":"*.log"}`, "=keep.log\n"},
	})
	many := map[string]string{}
	for i := range 1001 {
		many[fmt.Sprintf("f%04d", i)] = ""
	}
	b, _ = open(t, many)
	tries(t, b, []try{{"list_files", `{}`, "f0999  0 B\n[only the first 1,000 entries"}})

	b, _ = open(t, map[string]string{"a.go": "", "b/c.go": "", "b/d/e.go": "", "b/d/e.txt": ""})
	tries(t, b, []try{
		{"find_files", `{"pattern":"*.go"}`, "=a.go\nb/c.go\nb/d/e.go\n"},
		{"find_files", `{"pattern":"b/*.go"}`, "=b/c.go\n"},
		{"find_files", `{"pattern":"b/**/*.go"}`, "=b/c.go\nb/d/e.go\n"},
		{"find_files", `{"pattern":"**/e.{go,txt}"}`, "=b/d/e.go\nb/d/e.txt\n"},
		{"find_files", `{"pattern":"./a.go"}`, "=a.go\n"},
		{"find_files", `{"pattern":"*.md"}`, "=no file matches *.md"},
		{"find_files", `{"pattern":"d/*","path":"b"}`, "=b/d/e.go\nb/d/e.txt\n"},
		{"find_files", `{"pattern":"*","limit":1}`, "[only the first 1; narrow the pattern or raise limit]\n"},
		{"find_files", `{"pattern":"` + strings.Repeat("{a,a}", 40) + `"}`, "!pairs of braces"},
		{"find_files", `{"pattern":"[a"}`, "!no valid glob"},
	})

	b, _ = open(t, map[string]string{
		"a.go": "one\ntwo\nthree Needle\nfour\nfive\nsix\nneedle again\r\n", "b/c.txt": "a needle\n", "bin": "needle\x00", "x.log": "needle",
		".gitignore": "*.log", ".env": "KEY=needle", "min.js": strings.Repeat("漢", 400) + "needle" + strings.Repeat("x", 1000) + "\n",
	})
	tries(t, b, []try{
		{"grep_files", `{"pattern":"needle","glob":"*.{go,txt}"}`, "=a.go:7:needle again\nb/c.txt:1:a needle\n"},
		{"grep_files", `{"pattern":"needle","path":"a.go","ignore_case":true,"context":1}`, "=a.go-2-two\na.go:3:three Needle\na.go-4-four\n--\na.go-6-six\na.go:7:needle again\n"},
		{"grep_files", `{"pattern":"needle","limit":1}`, "only the first 1 matches"},
		{"grep_files", `{"pattern":"nothing here"}`, "no match\n"},
		{"grep_files", `{"pattern":"a("}`, "!no valid regular expression"},
		{"grep_files", `{"pattern":"a","path":"nope"}`, "!there is no nope"},
	})
	got := succeed(t, b, "grep_files", map[string]any{"pattern": "ne+dle"})
	if strings.Contains(got, "bin") || strings.Contains(got, "x.log") || strings.Contains(got, "KEY") || !strings.Contains(got, "[not searched: 1 files") {
		t.Errorf("got %s", got)
	}
	if line := got[strings.Index(got, "min.js:1:"):]; !strings.Contains(line, "needle") || len(line) > 600 {
		t.Errorf("a long line is not shortened around its match: %q", line)
	}
}

func TestCreateFileRefusesToOverwrite(t *testing.T) {
	t.Parallel()
	b, dir := open(t, map[string]string{"a.sh": "old\n", "d/x": ""})
	if err := os.Chmod(filepath.Join(dir, "a.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	fail(t, b, "create_file", map[string]any{"path": "a.sh", "content": "new\n"}, "exists already", "modify_file", "overwrite")
	out := run(t, b, "create_file", map[string]any{"path": "a.sh", "content": "new\n", "overwrite": true})
	if out.Status != conversation.ResultOK || out.Text != "replaced a.sh (1 lines)" || !strings.Contains(out.Detail, "-old\n+new\n") {
		t.Errorf("got %+v", out)
	}
	if st, err := os.Stat(filepath.Join(dir, "a.sh")); err != nil || st.Mode().Perm() != 0o755 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	out = run(t, b, "create_file", map[string]any{"path": "new/er/f.txt", "content": "x\ny"})
	if out.Text != "created new/er/f.txt (2 lines)" || read(t, filepath.Join(dir, "new/er/f.txt")) != "x\ny" || !strings.HasPrefix(out.Detail, "index 000000000000..1b322989b6ee\n--- /dev/null\n+++ b/new/er/f.txt\n") {
		t.Errorf("got %+v", out)
	}
	tries(t, b, []try{
		{"create_file", `{"path":"a.sh/x","content":""}`, "!a.sh"},
		{"create_file", `{"path":"d","content":"","overwrite":true}`, "!is a directory"},
		{"create_file", `{"path":"e/","content":""}`, "!is a folder"},
	})
	noTemporaries(t, dir)
}

func noTemporaries(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, ".plimsoll-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestModifyFileReplacesExactlyOnce(t *testing.T) {
	t.Parallel()
	b, dir := open(t, map[string]string{
		"a.go": "func one() {\n\treturn 1\n}\n\nfunc two() {\n\treturn 1\n}\n", "win.txt": "a\r\nb\r\nc\r\n", "bin": "x\x00y", "mixed": "a\r\nb\nc\n",
	})
	tries(t, b, []try{
		{"modify_file", `{"path":"a.go","old":"return 1","new":"return 2"}`, "!occurs 2 times, in lines 2, 6"},
		{"modify_file", `{"path":"a.go","old":"two() {\n\treturn 1","new":"two() {\n\treturn 2"}`, "=modified a.go: 1 replacement, line 5"},
		{"modify_file", `{"path":"a.go","old":"return","new":"RETURN","replace_all":true}`, "2 replacements"},
		{"modify_file", `{"path":"win.txt","old":"a\nb","new":"a\nx\ny"}`, "modified"},
		{"modify_file", `{"path":"mixed","old":"b\nc","new":"d\ne"}`, "modified"},
		{"modify_file", `{"path":"mixed","old":"a\n","new":"1\n2\n"}`, "modified"},
		{"modify_file", `{"path":"a.go","old":"x","new":"x"}`, "!are the same"},
		{"modify_file", `{"path":"a.go","old":"","new":"x"}`, "!old is empty"},
		{"modify_file", `{"path":"a.go","old":"    RETURN 1","new":"x"}`, "!the text to replace (old) was not found"},
		{"modify_file", `{"path":"bin","old":"x","new":"y"}`, "!no text file"},
	})
	for name, want := range map[string]string{
		"a.go":    "func one() {\n\tRETURN 1\n}\n\nfunc two() {\n\tRETURN 2\n}\n",
		"win.txt": "a\r\nx\r\ny\r\nc\r\n", "mixed": "1\r\n2\r\nd\ne\n",
	} {
		if got := read(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	noTemporaries(t, dir)
}

// Two conversations that edit one file at the same time lose no edit: the later one is told that the file changed.
func TestEditsOfTwoConversationsAreNotLost(t *testing.T) {
	t.Parallel()
	var writing sync.Mutex
	kept := checkpoint.NewStore(t.TempDir())
	other, dir := open(t, map[string]string{"log.txt": "one\ntwo\n"}, func(o *tools.Options) { o.Writing = &writing })
	edits := func(old, to string) map[string]any { return map[string]any{"path": "log.txt", "old": old, "new": to} }
	first := true
	b, err := tools.New(tools.Options{Workspace: dir, Writing: &writing, Permissions: permission.Config{Mode: conversation.ModeYolo},
		Checkpoints: &checkpoint.Keeper{Store: kept, Record: func(context.Context, conversation.Body) error {
			if first { // between the read and the write of this edit
				first = false
				succeed(t, other, "modify_file", edits("two", "TWO"))
			}
			return nil
		}}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	fail(t, b, "modify_file", edits("one", "ONE"), "log.txt changed just now", "send the call again")
	succeed(t, b, "modify_file", edits("one", "ONE"))
	if got := read(t, filepath.Join(dir, "log.txt")); got != "ONE\nTWO\n" {
		t.Errorf("the file has %q", got)
	}
	var all sync.WaitGroup
	for _, one := range []*tools.Box{b, other} {
		all.Go(func() {
			for range 20 {
				for run(t, one, "modify_file", edits("TWO", "TWO+")).Status != conversation.ResultOK {
				}
			}
		})
	}
	all.Wait()
	if got := strings.Count(read(t, filepath.Join(dir, "log.txt")), "+"); got != 40 {
		t.Errorf("%d of 40 edits are there", got)
	}
}
