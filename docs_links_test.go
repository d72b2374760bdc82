// Links of the documents lead somewhere: to a file that is there, and to a heading of it.

package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// link is one of a document to a file of the repository.
type link struct {
	document, file string // paths from the top
	heading        string // as it stands behind #, "" none
}

// documents lists those for users and those for who changes the program.
func documents(t *testing.T) []string {
	t.Helper()
	measured, err := filepath.Glob("docs/measured/*.md")
	if err != nil {
		t.Fatal(err)
	}
	all := append(append(handbook(t), workshop(t)...), measured...)
	slices.Sort(all)
	return slices.Compact(all)
}

// links lists the links of all documents that lead into the repository.
func links(t *testing.T) (found []link) {
	t.Helper()
	target := regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"`)
	for _, document := range documents(t) {
		for _, m := range target.FindAllStringSubmatch(read(t, document), -1) {
			if strings.Contains(m[1]+m[2], "://") {
				continue
			}
			file, heading, _ := strings.Cut(m[1]+m[2], "#")
			l := link{document, document, heading}
			if file != "" {
				l.file = filepath.Join(filepath.Dir(document), filepath.FromSlash(file))
			}
			found = append(found, l)
		}
	}
	if len(found) < 30 {
		t.Errorf("only %d links were found: this test cannot read the documents", len(found))
	}
	return found
}

func TestDocumentsLinkToFilesThatExist(t *testing.T) {
	t.Parallel()
	for _, l := range links(t) {
		if _, err := os.Stat(l.file); err != nil {
			t.Errorf("%s links to %s, which does not exist", l.document, l.file)
		}
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

func TestDocumentsLinkToHeadingsThatExist(t *testing.T) {
	t.Parallel()
	for _, l := range links(t) {
		if l.heading != "" && !slices.Contains(headings(t, l.file), l.heading) {
			t.Errorf("%s links to #%s of %s, which has no such heading", l.document, l.heading, l.file)
		}
	}
}

// Whoever reads one page finds the others: each document is linked from the README or from a page that is.
func TestDocumentsAreLinkedFromTheReadme(t *testing.T) {
	t.Parallel()
	leads := map[string][]string{}
	for _, l := range links(t) {
		leads[l.document] = append(leads[l.document], l.file)
	}
	reached, todo := map[string]bool{}, []string{"README.md"}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if !reached[at] {
			reached[at] = true
			todo = append(todo, leads[at]...)
		}
	}
	for _, document := range documents(t) {
		if !reached[document] {
			t.Errorf("no way leads from the README to %s", document)
		}
	}
}
