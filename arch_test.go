// The architecture of the program, checked in the sources. Rules:
//
//   - Two tables list the allowed imports, of our packages and of modules. Any other import is an error.
//   - Tests may import what they like; packages made for tests are imported by tests only.
//   - The tests build nothing and use no network: they read import clauses, comments and lengths.

package main_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// ours lists what each package may import of ours. A name that ends in /* stands for all packages below it; the first
// row that fits counts.
var ours = []struct {
	pkg   string
	allow []string
}{
	{".", []string{"cli", "tools/sandbox"}},
	{"cli", []string{"cli/keys",
		"agent", "agent/catalog", "agent/llm", "agent/openai", "agent/updates", "cli/*", "compact/edit", "compact/inspect", "compact/meter",
		"compact/preset", "compact/projection", "compact/replay", "config", "conversation", "conversation/find", "conversation/jsonl",
		"conversation/numbers", "conversation/plain", "storage", "tools/mcp", "tools/sandbox", "tools/shell", "tools/workspace", "tui",
	}},
	{"cli/console", []string{"cli/keys", "cli/terminal", "agent", "agent/llm", "compact/meter", "config", "conversation", "conversation/numbers", "conversation/plain", "tui"}},
	{"cli/setup", []string{"tools/checkpoint", "cli/keys",
		"agent", "agent/catalog", "agent/demo", "agent/llm", "agent/openai", "cli/console", "cli/owncommand", "compact/meter", "compact/preset", "config",
		"conversation", "conversation/numbers", "storage", "themes", "tools", "tools/grants", "tools/mcp", "tools/permission", "tools/sandbox", "tools/skill", "tui",
	}},
	{"cli/session", []string{"tools/checkpoint",
		"agent", "agent/catalog", "agent/core", "agent/llm", "agent/openai", "agent/updates", "cli/console", "cli/owncommand", "cli/setup", "compact/edit",
		"compact/inspect", "compact/meter", "compact/planner", "compact/preset", "compact/projection", "config", "conversation",
		"conversation/numbers", "conversation/plain", "storage", "tools", "tools/hook", "tools/instructions", "tools/mcp", "tools/permission", "tools/picture", "tools/sandbox", "tools/workspace",
	}},
	{"cli/show", []string{
		"agent", "agent/llm", "cli/console", "cli/session", "cli/table", "compact/inspect", "compact/meter", "compact/planner",
		"compact/projection", "config", "conversation", "conversation/numbers", "conversation/plain", "tools/skill", "tui/breakdown",
	}},
	{"cli/keys", []string{"config"}},
	{"cli/page", []string{"compact/inspect", "compact/meter", "compact/projection", "conversation", "conversation/diff", "conversation/numbers", "conversation/plain", "themes"}},
	{"cli/owncommand", []string{"config", "conversation", "conversation/plain"}},
	{"cli/doctor", []string{"agent/openai", "cli/console", "cli/setup", "config", "conversation/numbers", "conversation/plain", "storage"}},
	{"cli/transfer", []string{
		"agent", "agent/catalog", "agent/llm", "agent/openai", "cli/console", "cli/page", "cli/session", "cli/setup", "cli/table", "compact", "config",
		"conversation", "conversation/foreign", "conversation/jsonl", "conversation/numbers", "conversation/plain", "storage",
	}},
	{"cli/measure", []string{
		"agent", "agent/catalog", "agent/llm", "cli/console", "cli/session", "cli/setup", "cli/table", "cli/transfer", "compact/planner",
		"compact/preset", "compact/replay", "conversation", "conversation/jsonl", "conversation/numbers", "conversation/plain", "storage",
		"themes",
	}},
	{"cli/screen", []string{
		"agent", "agent/catalog", "agent/llm", "agent/openai", "agent/updates", "cli/console", "cli/doctor", "cli/owncommand", "cli/page", "cli/session", "cli/setup",
		"cli/show", "cli/terminal", "cli/transfer", "compact", "compact/edit", "compact/inspect", "compact/meter", "compact/preset", "compact/projection", "config",
		"conversation", "conversation/diff", "conversation/find", "conversation/jsonl", "conversation/numbers", "conversation/plain", "storage",
		"themes", "tools/mcp", "tools/permission", "tools/picture", "tools/shell", "tools/skill", "tools/workspace", "tui", "tui/breakdown", "tui/changes",
	}},
	{"cli/table", nil},
	{"cli/terminal", []string{"conversation/plain"}},
	{"tui", []string{
		"agent", "agent/llm", "agent/updates", "compact/edit", "compact/inspect", "compact/meter", "compact/planner", "compact/preset", "compact/projection",
		"config", "conversation", "conversation/diff", "conversation/find", "conversation/numbers", "conversation/plain", "themes", "tui/*",
	}},
	{"tui/pane", []string{"compact/meter", "compact/projection", "conversation/numbers", "themes"}},
	{"tui/alert", []string{"agent/llm", "agent/updates", "conversation", "conversation/plain"}},
	{"tui/edit", []string{"conversation", "conversation/plain", "tui/pane"}},
	{"tui/transcript", []string{
		"compact/edit", "compact/meter", "compact/planner", "conversation", "conversation/diff", "conversation/numbers", "conversation/plain",
		"themes", "tui/diffview", "tui/pane", "tui/transcript/*",
	}},
	{"tui/history", []string{
		"compact/edit", "compact/inspect", "compact/meter", "compact/projection", "conversation", "conversation/diff", "conversation/find",
		"conversation/numbers", "conversation/plain", "themes", "tui/diffview", "tui/edit", "tui/pane", "tui/transcript/markdown",
	}},
	{"tui/*", []string{
		"compact/edit", "compact/inspect", "compact/meter", "compact/preset", "compact/projection", "compact/promptcache", "compact/summary",
		"config", "conversation", "conversation/diff", "conversation/find", "conversation/numbers", "conversation/plain", "themes", "tui/diffview", "tui/edit",
		"tui/pane",
	}},
	{"e2e", nil},
	{"docs/docstest", nil},
	{"agent", []string{
		"agent/compactor", "agent/core", "agent/llm", "agent/updates", "compact", "compact/edit", "compact/inspect", "compact/meter",
		"compact/planner", "compact/preset", "compact/projection", "compact/summary", "conversation",
	}},
	{"agent/agenttest", []string{"agent", "agent/llm", "agent/updates", "compact/projection", "conversation"}},
	{"agent/anthropic/anthropictest", []string{"agent/llm", "conversation"}},
	{"agent/anthropic", []string{"agent/llm", "compact/projection", "compact/promptcache", "conversation"}},
	{"agent/openai", []string{"agent", "agent/anthropic", "agent/catalog", "agent/llm", "compact/meter", "compact/projection", "compact/promptcache", "conversation"}},
	{"agent/catalog", []string{"agent", "agent/llm", "compact/meter", "compact/projection", "compact/promptcache", "conversation"}},
	{"agent/compactor", []string{
		"agent/core", "agent/llm", "agent/updates", "compact/edit", "compact/inspect", "compact/meter", "compact/planner", "compact/preset",
		"compact/projection", "compact/summary", "conversation",
	}},
	{"agent/demo", []string{"agent", "agent/wire", "conversation", "conversation/numbers"}},
	{"agent/llm", []string{
		"compact/edit", "compact/meter", "compact/planner", "compact/preset", "compact/projection", "compact/promptcache", "conversation",
	}},
	{"agent/updates", []string{"agent/llm", "compact/edit", "compact/inspect", "compact/meter", "conversation"}},
	{"agent/wire", nil},
	{"agent/core", []string{
		"agent/llm", "agent/updates", "compact/edit", "compact/meter", "compact/planner", "compact/preset", "compact/projection",
		"compact/promptcache", "conversation", "conversation/numbers",
	}},
	{"compact", []string{"compact/preset", "conversation"}},
	{"compact/compacttest", []string{
		"compact/edit", "compact/meter", "compact/planner", "compact/preset", "compact/projection", "conversation", "conversation/conversationtest",
	}},
	{"compact/edit", []string{
		"compact/meter", "compact/planner", "compact/preset", "compact/projection", "compact/summary", "conversation", "conversation/numbers",
	}},
	{"compact/inspect", []string{
		"compact", "compact/edit", "compact/meter", "compact/planner", "compact/preset", "compact/projection", "compact/promptcache",
		"compact/summary", "conversation", "conversation/numbers",
	}},
	{"compact/meter", []string{"compact/preset", "compact/projection", "conversation"}},
	{"compact/ordered", []string{"conversation"}},
	{"compact/planner", []string{
		"compact/meter", "compact/ordered", "compact/preset", "compact/preset/*", "compact/projection", "compact/promptcache", "compact/summary", "conversation",
		"conversation/numbers",
	}},
	{"compact/preset", []string{"compact/preset/*", "conversation"}},
	{"compact/preset/*", []string{"compact/ordered", "conversation"}},
	{"compact/projection", []string{"compact/ordered", "compact/preset", "compact/snippet", "conversation", "conversation/numbers"}},
	{"compact/promptcache", []string{"compact/projection"}},
	{"compact/replay", []string{
		"compact", "compact/edit", "compact/meter", "compact/planner", "compact/preset", "compact/projection", "compact/promptcache",
		"compact/summary", "conversation", "conversation/jsonl",
	}},
	{"compact/snippet", nil},
	{"compact/summary", []string{
		"compact/meter", "compact/ordered", "compact/preset", "compact/projection", "compact/snippet", "conversation",
		"conversation/names", "conversation/numbers",
	}},
	{"storage", []string{"conversation", "conversation/find", "storage/pages"}},
	{"storage/pages", nil},
	{"tools", []string{"tools/checkpoint", "conversation", "conversation/diff", "conversation/numbers", "conversation/plain", "tools/grants", "tools/instructions", "tools/params", "tools/permission", "tools/recall", "tools/sandbox", "tools/sandbox/proxy", "tools/shell", "tools/skill", "tools/web", "tools/workspace"}},
	{"tools/instructions", []string{"conversation", "conversation/plain", "tools/permission", "tools/workspace"}},
	{"tools/checkpoint", []string{"config", "conversation", "conversation/diff", "conversation/numbers", "tools/workspace"}},
	{"tools/skill", []string{"config", "conversation", "conversation/plain", "conversation/numbers", "tools/workspace"}},
	{"tools/hook", []string{"config", "conversation", "tools/sandbox", "tools/shell"}},
	{"tools/params", []string{"conversation"}},
	{"tools/mcp", []string{"conversation", "conversation/plain", "tools/sandbox", "tools/shell"}},
	{"tools/permission", []string{"conversation", "conversation/plain", "tools/grants", "tools/shell", "tools/web", "conversation/numbers", "tools/workspace"}},
	{"tools/recall", []string{"conversation", "conversation/numbers", "tools/params"}},
	{"tools/shell", []string{"conversation", "conversation/numbers", "tools/sandbox"}},
	{"tools/sandbox", []string{"tools/sandbox/proxy"}},
	{"tools/sandbox/proxy", []string{"tools/web"}},
	{"tools/web", []string{"conversation", "conversation/numbers"}},
	{"tools/workspace", []string{"conversation", "conversation/numbers"}},
	{"tools/grants", []string{"config"}},
	{"tools/picture", []string{"conversation"}},
	{"conversation/conversationtest", []string{"conversation"}},
	{"conversation/diff", []string{"conversation"}},
	{"conversation/jsonl", []string{"conversation"}},
	{"conversation/foreign", []string{"conversation", "conversation/jsonl", "conversation/numbers"}},
	{"conversation", []string{"conversation/names"}},
	{"conversation/find", nil},
	{"conversation/names", nil},
	{"conversation/numbers", nil},
	{"conversation/plain", nil},
	{"themes", nil},
	{"config", []string{"compact/preset", "conversation"}},
}

// theirs lists which packages may import a module or a part of the standard library, by the beginning of its path.
var theirs = []struct {
	path string
	in   []string
}{
	{"go.etcd.io/bbolt", []string{"storage"}},
	{"github.com/ncruces/go-sqlite3", []string{"cli/transfer"}},
	{"github.com/sashabaranov/go-openai", []string{"agent/openai"}},
	{"github.com/modelcontextprotocol", []string{"tools/mcp"}},
	{"github.com/goccy/go-yaml", []string{"config"}},
	{"golang.org/x/image", []string{"tools/picture"}},
	{"go.yaml.in/yaml", nil},
	{"gopkg.in/yaml", nil},
	{"github.com/spf13/cobra", []string{"cli"}},
	{"github.com/zalando/go-keyring", []string{"cli/keys"}},
	{"charm.land/lipgloss", []string{"themes", "tui", "tui/*"}},
	{"charm.land/bubbletea", []string{"cli", "tui", "tui/*"}},
	{"charm.land/bubbles", []string{"tui", "tui/*"}},
	{"github.com/alecthomas/chroma", []string{"tui/transcript/markdown"}},
	{"github.com/yuin/goldmark", []string{"cli/page", "tui/transcript/markdown"}},
	{"charm.land/glamour", []string{"tui/transcript/markdown"}},
	{"net/http", []string{"agent/anthropic/anthropictest", "agent/demo", "agent/openai", "agent/wire", "tools", "tools/mcp", "tools/sandbox/proxy", "tools/web", "tools/workspace"}},
}

// barred lists what a package and all below it must not import: the screen and the core do no I/O.
var barred = map[string][]string{
	"tui":          {"os", "os/exec", "net", "net/http"},
	"compact":      {"os", "os/exec", "net", "net/http"},
	"conversation": {"os", "os/exec", "net", "net/http"},
	"themes":       {"os", "os/exec", "net", "net/http"},
}

// timeless are the packages that, with all below them, get times as arguments and read no clock.
var timeless = []string{"compact"}

// clock lists the functions of package time that read the clock or wait.
var clock = []string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "NewTimer", "NewTicker", "Tick"}

const (
	module      = "plimsoll"
	maxFunction = 70 // lines

	// maxPresetFiles is how many files outside of compact/preset name a preset: the values of the rules, and what the
	// replay compares with. Where it can be lower, lower it.
	maxPresetFiles = 4

	forTestsOnly = "test"
)

// source is one Go file.
type source struct {
	name  string // path from the top, with slashes
	pkg   string // folder from the top, "." for main
	test  bool
	file  *ast.File
	set   *token.FileSet
	lines int
}

// imports lists the paths a file imports.
func (s source) imports() []string {
	var out []string
	for _, spec := range s.file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			out = append(out, p)
		}
	}
	return out
}

var readOnce = sync.OnceValues(readSources)

// sources gives all Go files of the module.
func sources(t *testing.T) []source {
	t.Helper()
	all, err := readOnce()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("only %d Go files were found: this test looks in the wrong place", len(all))
	}
	return all
}

func readSources() ([]source, error) {
	var all []source
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(p)
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "dist") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all = append(all, source{
			name: name, pkg: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), file: file, set: set,
			lines: strings.Count(string(text), "\n"),
		})
		return nil
	})
	return all, err
}

// fits reports whether a package is the one that a pattern names, or below it if the pattern ends in /*.
func fits(pattern, pkg string) bool {
	if below, ok := strings.CutSuffix(pattern, "/*"); ok {
		return strings.HasPrefix(pkg, below+"/")
	}
	return pattern == pkg
}

func anyFits(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return fits(pattern, pkg) })
}

// under reports whether an import path equals a path or is below it.
func under(parent, p string) bool { return p == parent || strings.HasPrefix(p, parent+"/") }

func TestImportsOfOurPackagesFollowTheTable(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		row := slices.IndexFunc(ours, func(r struct {
			pkg   string
			allow []string
		}) bool {
			return fits(r.pkg, s.pkg)
		})
		if row < 0 {
			t.Errorf("%s: package %s has no row in the table of this test", s.name, s.pkg)
			continue
		}
		for _, p := range s.imports() {
			if target, isOurs := strings.CutPrefix(p, module+"/"); isOurs && !anyFits(ours[row].allow, target) {
				t.Errorf("%s imports %s: %s may import of ours only %v", s.name, target, s.pkg, ours[row].allow)
			}
		}
	}
}

func TestImportTableHasNoRowWithoutAPackage(t *testing.T) {
	t.Parallel()
	for _, row := range ours {
		if !slices.ContainsFunc(sources(t), func(s source) bool { return fits(row.pkg, s.pkg) }) {
			t.Errorf("there is no package %s", row.pkg)
		}
	}
}

func TestImportsOfModulesStayInTheirPlace(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, p := range s.imports() {
			for _, row := range theirs {
				if under(row.path, p) && !anyFits(row.in, s.pkg) {
					t.Errorf("%s imports %s, which has its place in %v", s.name, p, row.in)
				}
			}
			for parent, names := range barred {
				if under(parent, s.pkg) && slices.Contains(names, p) && !strings.HasSuffix(s.pkg, forTestsOnly) {
					t.Errorf("%s imports %s, which %s and all below it do without", s.name, p, parent)
				}
			}
		}
	}
}

// clockReads lists where a file reads a clock, under whatever name it imports package time.
func clockReads(s source) []string {
	var names []string
	for _, spec := range s.file.Imports {
		switch {
		case spec.Path.Value != strconv.Quote("time"):
		case spec.Name == nil:
			names = append(names, "time")
		case spec.Name.Name == ".":
			return []string{s.name + " imports time without its name, so that nobody sees what it uses"}
		default:
			names = append(names, spec.Name.Name)
		}
	}
	var out []string
	ast.Inspect(s.file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(names, x.Name) && slices.Contains(clock, sel.Sel.Name) {
			out = append(out, fmt.Sprintf("%s uses time.%s", s.set.Position(sel.Pos()), sel.Sel.Name))
		}
		return true
	})
	return out
}

func TestPackagesWithoutAClockReadNone(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test || strings.HasSuffix(s.pkg, forTestsOnly) {
			continue
		}
		for _, parent := range timeless {
			if !under(parent, s.pkg) {
				continue
			}
			for _, read := range clockReads(s) {
				t.Errorf("%s: %s and all below it are given the time", read, parent)
			}
		}
	}
}

func TestReadingAClockIsSeenUnderAnyName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`import "time"; var a = time.Now()`:                                        1,
		`import "time"; var a = time.Now; var b = time.NewTicker(time.Since(c))`:   3,
		`import clock "time"; var a = clock.After(clock.Second)`:                   1,
		`import . "time"; var a = Second`:                                          1,
		`import "time"; import clock "time"; var a, b = time.Now, clock.Now`:       2,
		`import _ "time"; var a = time.Now()`:                                      0,
		`import "time"; var a = time.Unix(0, 0).After(time.Time{}.Add(time.Hour))`: 0,
		`import "other/time"; var a = time.Now()`:                                  0,
	} {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, "a.go", "package a; "+text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := clockReads(source{name: "a.go", file: file, set: set}); len(got) != want {
			t.Errorf("%s: %d clock reads are seen, want %d: %v", text, len(got), want, got)
		}
	}
}

func TestImportsOfTestPackagesAreInTestsOnly(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, p := range s.imports() {
			if !s.test && !strings.HasSuffix(s.pkg, forTestsOnly) && (p == "testing" || under(module, p) && strings.HasSuffix(p, forTestsOnly)) {
				t.Errorf("%s imports %s, which is for tests", s.name, p)
			}
			if p == "C" {
				t.Errorf("%s uses cgo", s.name)
			}
		}
	}
}

func TestPackageNamesSayWhatIsInside(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for part := range strings.SplitSeq(s.pkg, "/") {
			switch part {
			case "util", "utils", "common", "helper", "helpers", "types", "misc", "shared", "base", "lib":
				t.Errorf("%s: %q says nothing about what is inside", s.name, part)
			}
		}
	}
}

func TestPackageCommentsSayWhatEachIsFor(t *testing.T) {
	t.Parallel()
	docs := map[string]string{}
	for _, s := range sources(t) {
		if !s.test {
			docs[s.pkg] += s.file.Doc.Text()
		}
	}
	for pkg, doc := range docs {
		want := "Package " + path.Base(pkg) + " "
		if pkg == "." {
			want = "Plimsoll "
		}
		if !strings.HasPrefix(doc, want) {
			t.Errorf("package %s has no comment that begins with %q", pkg, want)
		}
	}
}

// TestPresetsAreNamedInTheirPackage holds how many files outside of compact/preset name a preset or a style of one, as
// tests of names grow into designs that only their author can add to. Others ask a preset.Design or a preset.Wording.
func TestPresetsAreNamedInTheirPackage(t *testing.T) {
	t.Parallel()
	names := map[string][]string{
		"preset":       {"Plimsoll", "JP", "JPHeavy", "JPAuto", "Adachsoft", "OneClaw", "JCLI", "Raw", "Truncate"},
		"conversation": {"StylePlimsoll", "StyleJP", "StyleAdachsoft", "StyleOneClaw", "StyleJCLI"},
	}
	found := map[string]bool{}
	for _, s := range sources(t) {
		if s.test || under("compact/preset", s.pkg) || strings.HasSuffix(s.pkg, forTestsOnly) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(names[x.Name], sel.Sel.Name) {
					found[s.name] = true
				}
			}
			return true
		})
	}
	if len(found) > maxPresetFiles {
		t.Errorf("%d files name presets, more than %d: %v", len(found), maxPresetFiles, slices.Sorted(maps.Keys(found)))
	}
}

func TestFunctionsFitOnAScreen(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || s.test {
				continue
			}
			from, to := s.set.Position(f.Pos()), s.set.Position(f.End())
			if n := to.Line - from.Line + 1; n > maxFunction {
				t.Errorf("%s:%d: %s has %d lines, more than %d", s.name, from.Line, f.Name.Name, n, maxFunction)
			}
		}
	}
}

// requirement is a line of go.mod.
type requirement struct {
	module, version string
	direct          bool
}

// requirements reads go.mod.
func requirements(t *testing.T) []requirement {
	t.Helper()
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var out []requirement
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) >= 2 && strings.HasPrefix(fields[1], "v") && strings.Contains(fields[0], ".") {
			out = append(out, requirement{fields[0], fields[1], !strings.HasSuffix(strings.TrimSpace(line), "// indirect")})
		}
	}
	if len(out) == 0 {
		t.Fatal("go.mod requires nothing: this test cannot read it")
	}
	return slices.SortedFunc(slices.Values(out), func(a, b requirement) int { return cmp.Compare(a.module, b.module) })
}
