// Links in the documents lead to existing files and headings.

package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plimsoll/config"
)

func documents(t *testing.T) (names []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, _ := filepath.Glob(pattern) // the patterns are valid
		names = append(names, found...)
	}
	return names
}

func TestDocumentsLinkToWhatExists(t *testing.T) {
	t.Parallel()
	target := regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"`)
	found := 0
	for _, document := range documents(t) {
		for _, m := range target.FindAllStringSubmatch(read(t, document), -1) {
			if strings.Contains(m[1]+m[2], "://") {
				continue
			}
			found++
			name, heading, _ := strings.Cut(m[1]+m[2], "#")
			file := document
			if name != "" {
				file = filepath.Join(filepath.Dir(document), filepath.FromSlash(name))
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s, which does not exist", document, file)
			} else if heading != "" && !slices.Contains(headings(t, file), heading) {
				t.Errorf("%s links to #%s of %s, which has no such heading", document, heading, file)
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d links were found: this test cannot read the documents", found)
	}
}

// headings are those of a document, as links name them.
func headings(t *testing.T, document string) (names []string) {
	t.Helper()
	apart := regexp.MustCompile(`[^\pL\pN _-]`)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(read(t, document), -1) {
		name := strings.ToLower(apart.ReplaceAllString(m[1], ""))
		names = append(names, strings.ReplaceAll(strings.TrimSpace(name), " ", "-"))
	}
	return names
}

func TestDocumentsHoldConfigurationsThatLoad(t *testing.T) {
	t.Parallel()
	found := 0
	for _, name := range documents(t) {
		for _, m := range regexp.MustCompile("(?s)\n```yaml\n(.*?)```").FindAllStringSubmatch(read(t, name), -1) {
			found++
			file := filepath.Join(t.TempDir(), "config.yaml")
			_ = config.ReplaceFile(file, []byte(m[1])) // Load tells of a missing file
			if _, err := config.Load(config.LoadOptions{File: file}); err != nil {
				t.Errorf("a configuration in %s does not load: %v", name, err)
			}
		}
	}
	if found < 4 {
		t.Errorf("only %d configurations were found: this test cannot read the documents", found)
	}
}
