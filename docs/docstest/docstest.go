// Package docstest compares documents with what the program makes of them, for the tests of any package: a whole file, or
// the part of one between the marks "<!-- NAME: made ... -->" and "<!-- end of NAME -->". With update it writes them instead.
// Tests in parallel may read a document while another writes it, and write two parts of it at once.
package docstest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// writing keeps the parts that are written at once from losing each other.
var writing sync.Mutex

// Part compares a part of a document, or writes it.
func Part(t *testing.T, document, name, want string, update bool) {
	t.Helper()
	if update {
		writing.Lock()
		defer writing.Unlock()
	}
	text := read(t, document)
	end := "<!-- end of " + name + " -->"
	mark := regexp.MustCompile(`<!-- ` + regexp.QuoteMeta(name) + `: made .*-->\n`).FindStringIndex(text)
	if mark == nil || !strings.Contains(text[mark[1]:], end) {
		t.Fatalf("%s has lost the marks around its part %q", document, name)
	}
	_, after, _ := strings.Cut(text[mark[1]:], end)
	whole(t, document, text, text[:mark[1]]+"\n"+strings.Trim(want, "\n")+"\n\n"+end+after, update)
}

// File compares a whole document, or writes it.
func File(t *testing.T, document, want string, update bool) {
	t.Helper()
	whole(t, document, read(t, document), want, update)
}

func read(t *testing.T, document string) string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func whole(t *testing.T, document, text, want string, update bool) {
	t.Helper()
	diff := cmp.Diff(want, text)
	switch {
	case diff == "":
	case !update:
		t.Errorf("%s: run this test with -update (-program +document):\n%s", document, diff)
	default:
		if err := replace(document, want); err != nil {
			t.Fatal(err)
		}
	}
}

// replace writes a file in one step, so that whoever reads it meanwhile has the whole old one.
func replace(document, text string) error {
	f, err := os.CreateTemp(filepath.Dir(document), ".update-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // it is gone where all went well
	if _, err := f.WriteString(text); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), document)
}
