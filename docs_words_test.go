// Words of the documents that the program has to know: commands, flags, slash commands, configurations, and the keys that
// have no effect. They are compared with the sources and with the pages that are made from the program.

package main_test

import (
	"go/ast"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plimsoll/config"

	"github.com/google/go-cmp/cmp"
)

// handbook lists the documents for users.
func handbook(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("docs/*.md")
	if err != nil || len(names) < 5 {
		t.Fatalf("%d documents were found: %v", len(names), err)
	}
	return append(names, "README.md", "CHANGELOG.md")
}

func TestDocumentsHoldConfigurationsThatLoad(t *testing.T) {
	t.Parallel()
	found := 0
	for _, name := range handbook(t) {
		for _, m := range regexp.MustCompile("(?s)\n```yaml\n(.*?)```").FindAllStringSubmatch(read(t, name), -1) {
			found++
			if _, err := config.Parse(name, []byte(m[1])); err != nil {
				t.Errorf("a configuration in %s does not load: %v", name, err)
			}
		}
	}
	if found < 4 {
		t.Errorf("only %d configurations were found: this test cannot read the documents", found)
	}
}

// A command as it is typed, in a span or on a line of a block: plimsoll, its words, and their flags.
func TestDocumentsNameCommandsAndFlagsThatExist(t *testing.T) {
	t.Parallel()
	sections := strings.Split(read(t, "docs/commands.md"), "\n## ")
	about := func(command string) string {
		for _, s := range sections {
			if title, _, _ := strings.Cut(s, "\n"); title == command {
				return s
			}
		}
		return ""
	}
	common, bare := about("Flags of every command"), about("plimsoll")
	typed := regexp.MustCompile("(?:`|\n|\\| )(plimsoll(?: [^`\n|#]+)?)")
	flag := regexp.MustCompile(`(?:^| )(--?[a-z][a-z-]*)`)
	found := 0
	for _, name := range handbook(t) {
		if name == filepath.Join("docs", "commands.md") {
			continue
		}
		for _, m := range typed.FindAllStringSubmatch(read(t, name), -1) {
			found++
			section, words := bare, strings.Fields(m[1])
			for n := len(words); n > 1; n-- {
				if s := about(strings.Join(words[:n], " ")); s != "" {
					section = s
					break
				}
			}
			if len(words) > 1 && section == bare && regexp.MustCompile(`^[a-z]+$`).MatchString(words[1]) {
				t.Errorf("%s: there is no command %q", name, m[1])
			}
			for _, f := range flag.FindAllStringSubmatch(m[1], -1) {
				if !regexp.MustCompile(`(?m)(?:^| )` + f[1] + `[ ,=\[]`).MatchString(section + common) {
					t.Errorf("%s: %q has a flag %s that the command does not have", name, m[1], f[1])
				}
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d commands were found: this test cannot read the documents", found)
	}
}

func TestDocumentsNameSlashCommandsThatExist(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(read(t, "docs/keys.md"), "<!-- slash commands")
	known := map[string]bool{}
	for _, m := range regexp.MustCompile("`(/[a-z?-]+)").FindAllStringSubmatch(table, -1) {
		known[m[1]] = true
	}
	found := 0
	for _, name := range handbook(t) {
		if name == filepath.Join("docs", "providers.md") {
			continue // its slashes begin the paths of servers
		}
		for _, m := range regexp.MustCompile("`(/[a-z-]+)[ `]").FindAllStringSubmatch(read(t, name), -1) {
			found++
			if !known[m[1]] && m[1] != "/chat" {
				t.Errorf("%s names %s, which is no slash command", name, m[1])
			}
		}
	}
	if len(known) < 20 || found < 20 {
		t.Errorf("%d slash commands and %d places were found: this test cannot read the documents", len(known), found)
	}
}

// What a key of compaction does now is told by where its field is read.
func TestDocumentsTellWhichKeysHaveNoEffect(t *testing.T) {
	t.Parallel()
	reads, want := readsOfRules(t), map[string]string{}
	keysOfCompaction(reflect.TypeFor[config.Compaction](), "compaction", "", func(key, section, field string) {
		if use := useOf(reads, section, field); use != inForce {
			want[key] = use
		}
	})
	_, text, _ := strings.Cut(read(t, "docs/configuration.md"), "\n## Keys without effect\n")
	text, _, _ = strings.Cut(text, "\n## ")
	got := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*) \\| ([^|]*) \\|$").FindAllStringSubmatch(text, -1) {
		use := inForce
		switch {
		case strings.HasPrefix(row[2], "nothing"):
			use = unread
		case strings.HasPrefix(row[2], "`plimsoll print --preset`"), strings.HasPrefix(row[2], "`plimsoll replay`"):
			use = shownOnly
		}
		for _, key := range regexp.MustCompile("`(compaction\\.[a-z_.A-Z]+)`").FindAllStringSubmatch(row[1], -1) {
			got[key[1]] = use
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/configuration.md tells otherwise than the sources which keys have an effect (-sources +document):\n%s", diff)
	}
}

// What reads a key.
const (
	unread    = "nothing"
	shownOnly = "print --preset and replay"
	inForce   = "a conversation"
)

// keysOfCompaction calls f for every key that is a value, with the field's name and that of the table it stands in.
func keysOfCompaction(typ reflect.Type, path, section string, f func(key, section, field string)) {
	for i := range typ.NumField() {
		sf := typ.Field(i)
		key := path + "." + sf.Tag.Get("yaml")
		if sf.Type.Kind() == reflect.Struct {
			keysOfCompaction(sf.Type, key, sf.Name, f)
			continue
		}
		if sf.Tag.Get("name") == "TOOL" {
			key += ".TOOL"
		}
		f(key, section, sf.Name)
	}
}

// renamed are fields that have another name in the rules.
var renamed = map[string]string{"Timeout": "TimeoutSecs"}

// alike are fields whose name others have too: they count only behind one of these names.
var alike = map[string][]string{
	".Enabled": {"rules", "r"}, "Auto.Enabled": {"Auto"}, "Auto.Profile": {"Auto"}, "Auto.Background": {"Auto"},
	"Mask.Enabled": {"Mask"}, "Micro.Enabled": {"Micro"}, "Dedupe.Enabled": {"Dedupe"}, "Summary.Review": {"Summary", "summary", "r"},
}

// previews are the files that only PresetView reaches.
var previews = []string{"compact/simulate.go"}

// carriers are the files that hand values on without a look at them.
var carriers = []string{"cli/setup/rules.go", "compact/preset/values.go", "compact/preset/adachsoft/params.go"}

// selection is a field or method of something: the file it stands in, and the name before the dot.
type selection struct{ file, behind string }

// readsOfRules finds, by name, all fields and methods outside of tests, of package config, of the replay, which holds no
// conversations, and of what only hands on.
func readsOfRules(t *testing.T) map[string][]selection {
	t.Helper()
	found := map[string][]selection{}
	for _, s := range sources(t) {
		if s.test || under("config", s.pkg) || under("compact/replay", s.pkg) || slices.Contains(carriers, s.name) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				found[sel.Sel.Name] = append(found[sel.Sel.Name], selection{s.name, nameOf(sel.X)})
			}
			return true
		})
	}
	return found
}

// useOf is who reads a field of the rules.
func useOf(reads map[string][]selection, section, field string) string {
	field = or(renamed[field], field)
	behind := alike[section+"."+field]
	use := unread
	for _, r := range reads[field] {
		switch {
		case behind != nil && !slices.Contains(behind, r.behind):
		case slices.Contains(previews, r.file):
			use = shownOnly
		default:
			return inForce
		}
	}
	return use
}

// nameOf is the name that a value goes by.
func nameOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}
