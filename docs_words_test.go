// Words of the documents that the program has to know: commands, flags, slash commands and configurations. They are compared with the sources and with the pages that are made from the program.

package main_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"plimsoll/config"
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
