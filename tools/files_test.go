package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/tools"
)

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
	for _, path := range []string{"in.txt", filepath.Join(dir, "in.txt"), "inside", "sub/../in.txt", "./in.txt"} {
		if got := succeed(t, b, "read_file", map[string]any{"path": path}); !strings.HasSuffix(got, "1\tin\n") {
			t.Errorf("%s: got %q", path, got)
		}
	}
	succeed(t, b, "modify_file", map[string]any{"path": "relative", "old": "x", "new": "y"})
	if st, err := os.Lstat(filepath.Join(dir, "relative")); err != nil || st.Mode()&os.ModeSymlink == 0 || read(t, filepath.Join(dir, "sub/x.txt")) != "y" {
		t.Errorf("a link inside is not followed but replaced: %v %v", st, err)
	}
}

func TestAWorkspaceMayBeALink(t *testing.T) {
	t.Parallel()
	real := t.TempDir()
	write(t, filepath.Join(real, "a.txt"), "hello")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	b, _ := open(t, nil, func(o *tools.Options) { o.Workspace = link })
	for _, path := range []string{"a.txt", filepath.Join(link, "a.txt"), filepath.Join(real, "a.txt")} {
		if got := succeed(t, b, "read_file", map[string]any{"path": path}); !strings.HasSuffix(got, "1\thello\n") {
			t.Errorf("%s: got %q", path, got)
		}
	}
	succeed(t, b, "create_file", map[string]any{"path": filepath.Join(link, "new/b.txt"), "content": "b"})
	if read(t, filepath.Join(real, "new/b.txt")) != "b" {
		t.Error("not written")
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
	if diff := cmp.Diff("a.txt, lines 1-4 of 4\n1\tone\n2\ttwo\n3\t\n4\tfour\n", succeed(t, b, "read_file", map[string]any{"path": "a.txt"})); diff != "" {
		t.Error(diff)
	}
	got := succeed(t, b, "read_file", map[string]any{"path": "long.txt"})
	if !strings.HasPrefix(got, "long.txt, lines 1-2000 of 5,000; go on with offset 2001\n1\tline 1\n") || !strings.HasSuffix(got, "2000\tline 2000\n") {
		t.Errorf("got %.80q", got)
	}
	got = succeed(t, b, "read_file", map[string]any{"path": "long.txt", "offset": 4999, "limit": 10})
	if got != "long.txt, lines 4999-5000 of 5,000\n4999\tline 4999\n5000\tline 5000\n" {
		t.Errorf("got %q", got)
	}
	fail(t, b, "read_file", map[string]any{"path": "long.txt", "offset": 5001}, "has only 5,000 lines")
	got = succeed(t, b, "read_file", map[string]any{"path": "wide.txt"})
	if want := "1\t" + strings.Repeat("漢", 2000) + " [... line of 14.6 KiB shortened ...]\n2\tend\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %.100q ... %q", got, got[len(got)-80:])
	}
	got = succeed(t, b, "read_file", map[string]any{"path": "wide.txt", "limit": 1})
	if !strings.HasSuffix(got, "1\t"+strings.Repeat("漢", 5000)+"\n") {
		t.Error("a line asked for alone is not shown whole")
	}
	if got := succeed(t, b, "read_file", map[string]any{"path": "empty"}); got != "empty is empty" {
		t.Errorf("got %q", got)
	}
	if got := succeed(t, b, "read_file", map[string]any{"path": "bom.txt"}); !strings.HasSuffix(got, "1\tx\n") {
		t.Errorf("got %q", got)
	}
	if got := succeed(t, b, "read_file", map[string]any{"path": "latin"}); !strings.HasSuffix(got, "1\tcaf\uFFFD\n") {
		t.Errorf("got %q", got)
	}
	fail(t, b, "read_file", map[string]any{"path": "pic.png"}, "is an image (image/png")
	fail(t, b, "read_file", map[string]any{"path": "bin"}, "is no text file (binary, 3 B)")
	fail(t, b, "read_file", map[string]any{"path": "wide16"}, "UTF-16")
	fail(t, b, "read_file", map[string]any{"path": "doc.pdf"}, "application/pdf")
	fail(t, b, "read_file", map[string]any{"path": "dir"}, "is a directory", "list_files")
	fail(t, b, "read_file", map[string]any{"path": "a.tx"}, "there is no a.tx", "a.txt")
	fail(t, b, "read_file", map[string]any{"path": "no/such"}, "folder no does not exist")
}

func TestListFilesLeavesOutWhatIsIgnored(t *testing.T) {
	t.Parallel()
	b, dir := open(t, map[string]string{
		".gitignore": "*.log\n/build/\n!keep.log\n# comment\nweird{1}\n", "a.go": "12345", "x.log": "", "keep.log": "", "build/out": "", "weird{1}": "",
		"sub/build/in": "", "sub/.gitignore": "secret\n", "sub/secret": "", "secret": "", "sub/deep/er/file": "", "node_modules/m/x": "", ".git/config": "",
		".git/info/exclude": "excluded\n", "excluded": "",
	})
	if err := os.Symlink("a.go", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	want := ".gitignore  43 B\na.go  5 B\nkeep.log  0 B\nlink -> a.go\nsecret  0 B\nsub/\nsub/.gitignore  7 B\nsub/build/  (1 entries)\nsub/deep/  (1 entries)\n"
	if diff := cmp.Diff(want, succeed(t, b, "list_files", nil)); diff != "" {
		t.Error(diff)
	}
	got := succeed(t, b, "list_files", map[string]any{"path": "build"})
	if got != "build/out  0 B\n" {
		t.Errorf("an ignored folder asked for by name: %q", got)
	}
	got = succeed(t, b, "list_files", map[string]any{"include_ignored": true, "depth": 1})
	for _, part := range []string{"node_modules/", ".git/", "x.log", "weird{1}"} {
		if !strings.Contains(got, part) {
			t.Errorf("include_ignored lacks %s: %s", part, got)
		}
	}
	fail(t, b, "list_files", map[string]any{"path": "a.go"}, "not a directory")
	fail(t, b, "list_files", map[string]any{"path": "nope"}, "there is no nope")
}

func TestListFilesStopsAtItsLimit(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 1001 {
		files[fmt.Sprintf("f%04d", i)] = ""
	}
	b, _ := open(t, files)
	got := succeed(t, b, "list_files", nil)
	if !strings.Contains(got, "f0999") || strings.Contains(got, "f1000") || !strings.Contains(got, "only the first 1,000 entries") {
		t.Errorf("got ...%q", got[len(got)-200:])
	}
}

func TestFindFilesMatchesNamesAndPaths(t *testing.T) {
	t.Parallel()
	b, _ := open(t, map[string]string{"a.go": "", "b/c.go": "", "b/d/e.go": "", "b/d/e.txt": "", "v.log": "", ".gitignore": "*.log"})
	for pattern, want := range map[string]string{
		"*.go":          "a.go\nb/c.go\nb/d/e.go\n",
		"b/*.go":        "b/c.go\n",
		"b/**/*.go":     "b/c.go\nb/d/e.go\n",
		"**/e.{go,txt}": "b/d/e.go\nb/d/e.txt\n",
		"./a.go":        "a.go\n",
		"*.log":         "no file matches *.log",
	} {
		if got := succeed(t, b, "find_files", map[string]any{"pattern": pattern}); got != want {
			t.Errorf("%s: got %q, want %q", pattern, got, want)
		}
	}
	if got := succeed(t, b, "find_files", map[string]any{"pattern": "d/*", "path": "b"}); got != "b/d/e.go\nb/d/e.txt\n" {
		t.Errorf("below a folder: %q", got)
	}
	if got := succeed(t, b, "find_files", map[string]any{"pattern": "*", "limit": 1}); !strings.HasSuffix(got, "[only the first 1; narrow the pattern or raise limit]\n") {
		t.Errorf("limit: %q", got)
	}
	fail(t, b, "find_files", map[string]any{"pattern": strings.Repeat("{a,a}", 40)}, "pairs of braces")
	fail(t, b, "find_files", map[string]any{"pattern": "[a"}, "no valid glob")
}

func TestGrepFilesShowsMatchesAndContext(t *testing.T) {
	t.Parallel()
	b, _ := open(t, map[string]string{
		"a.go": "one\ntwo\nthree Needle\nfour\nfive\nsix\nneedle again\r\n", "b/c.txt": "a needle\n", "bin": "needle\x00", "x.log": "needle",
		".gitignore": "*.log", ".env": "KEY=needle", "min.js": strings.Repeat("漢", 400) + "needle" + strings.Repeat("x", 1000) + "\n",
	})
	got := succeed(t, b, "grep_files", map[string]any{"pattern": "needle", "glob": "*.{go,txt}"})
	if diff := cmp.Diff("a.go:7:needle again\nb/c.txt:1:a needle\n", got); diff != "" {
		t.Error(diff)
	}
	got = succeed(t, b, "grep_files", map[string]any{"pattern": "needle", "path": "a.go", "ignore_case": true, "context": 1})
	if diff := cmp.Diff("a.go-2-two\na.go:3:three Needle\na.go-4-four\n--\na.go-6-six\na.go:7:needle again\n", got); diff != "" {
		t.Error(diff)
	}
	got = succeed(t, b, "grep_files", map[string]any{"pattern": "ne+dle"})
	if strings.Contains(got, "bin") || strings.Contains(got, "x.log") || strings.Contains(got, "KEY") || !strings.Contains(got, "[not searched: 1 files that may hold secrets]") {
		t.Errorf("got %s", got)
	}
	if line := got[strings.Index(got, "min.js:1:"):]; !strings.Contains(line, "needle") || len(line) > 600 {
		t.Errorf("a long line is not shortened around its match: %q", line)
	}
	if got := succeed(t, b, "grep_files", map[string]any{"pattern": "needle", "limit": 1}); !strings.Contains(got, "only the first 1 matches") {
		t.Errorf("limit: %q", got)
	}
	if got := succeed(t, b, "grep_files", map[string]any{"pattern": "nothing here"}); !strings.HasPrefix(got, "no match\n") {
		t.Errorf("got %q", got)
	}
	fail(t, b, "grep_files", map[string]any{"pattern": "a("}, "no valid regular expression")
	fail(t, b, "grep_files", map[string]any{"pattern": "a", "path": "nope"}, "there is no nope")
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
	fail(t, b, "create_file", map[string]any{"path": "a.sh/x", "content": ""}, "a.sh")
	fail(t, b, "create_file", map[string]any{"path": "d", "content": "", "overwrite": true}, "is a directory")
	fail(t, b, "create_file", map[string]any{"path": "e/", "content": ""}, "is a folder")
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
	fail(t, b, "modify_file", map[string]any{"path": "a.go", "old": "return 1", "new": "return 2"}, "occurs 2 times, in lines 2, 6", "replace_all")
	out := run(t, b, "modify_file", map[string]any{"path": "a.go", "old": "two() {\n\treturn 1", "new": "two() {\n\treturn 2"})
	if out.Text != "modified a.go: 1 replacement, line 5" || !strings.Contains(out.Detail, "-\treturn 1\n+\treturn 2\n") {
		t.Errorf("got %+v", out)
	}
	succeed(t, b, "modify_file", map[string]any{"path": "a.go", "old": "return", "new": "RETURN", "replace_all": true})
	if got := read(t, filepath.Join(dir, "a.go")); got != "func one() {\n\tRETURN 1\n}\n\nfunc two() {\n\tRETURN 2\n}\n" {
		t.Errorf("got %q", got)
	}
	succeed(t, b, "modify_file", map[string]any{"path": "win.txt", "old": "a\nb", "new": "a\nx\ny"})
	if got := read(t, filepath.Join(dir, "win.txt")); got != "a\r\nx\r\ny\r\nc\r\n" {
		t.Errorf("line ends: %q", got)
	}
	succeed(t, b, "modify_file", map[string]any{"path": "mixed", "old": "b\nc", "new": "d\ne"})
	succeed(t, b, "modify_file", map[string]any{"path": "mixed", "old": "a\n", "new": "1\n2\n"})
	if got := read(t, filepath.Join(dir, "mixed")); got != "1\r\n2\r\nd\ne\n" {
		t.Errorf("mixed line ends: %q", got)
	}
	fail(t, b, "modify_file", map[string]any{"path": "a.go", "old": "x", "new": "x"}, "are the same")
	fail(t, b, "modify_file", map[string]any{"path": "a.go", "old": "", "new": "x"}, "old is empty")
	fail(t, b, "modify_file", map[string]any{"path": "bin", "old": "x", "new": "y"}, "no text file")
	noTemporaries(t, dir)
}

func TestModifyFileSaysWhatWasProbablyMeant(t *testing.T) {
	t.Parallel()
	b, dir := open(t, map[string]string{"a.go": "package a\n\nfunc compute(x int) int {\n    return x * 2\n}\n"})
	fail(t, b, "modify_file", map[string]any{"path": "a.go", "old": "func compute(x int) int {\n\treturn x * 2\n", "new": ""},
		"lines 3-4 differ from it only in blanks", "4\t    return x * 2")
	fail(t, b, "modify_file", map[string]any{"path": "a.go", "old": "func compute(y int) int {", "new": ""}, "closest to it", "3\tfunc compute(x int) int {")
	fail(t, b, "modify_file", map[string]any{"path": "a.go", "old": "3\tfunc compute(x int) int {", "new": ""}, "line numbers")
	fail(t, b, "modify_file", map[string]any{"path": "a.go", "old": "%%%%%%", "new": ""}, "nor anything like it")
	if !strings.HasPrefix(read(t, filepath.Join(dir, "a.go")), "package a\n\nfunc compute(x int)") {
		t.Error("the file was changed")
	}
}

func TestAFileThatMayNotBeWrittenIsRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write everything")
	}
	b, dir := open(t, map[string]string{"a.txt": "x"})
	if err := os.Chmod(filepath.Join(dir, "a.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	fail(t, b, "modify_file", map[string]any{"path": "a.txt", "old": "x", "new": "y"}, "permission denied")
}
