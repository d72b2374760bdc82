package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/conversation/diff"
)

func unified(before, after string) string { return udiff.Unified("a/x.go", "b/x.go", before, after) }

// text returns that many numbered lines.
func text(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func log(details ...string) []conversation.Event {
	var out []conversation.Event
	for i, d := range details {
		out = append(out, conversation.Event{Seq: uint64(i + 1), Body: conversation.ToolResult{CallID: fmt.Sprint(i), Status: conversation.ResultOK, Detail: d}})
	}
	return out
}

func TestDiffsRoundTrip(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"change":      unified(text(9), strings.Replace(text(9), "line 5", "other", 1)),
		"two hunks":   unified(text(30), strings.NewReplacer("line 5\n", "", "line 25\n", "25\nmore\n").Replace(text(30))),
		"one line":    unified("a\n", "b\n"),
		"no last end": unified("a\nb", "a\nc"),
		"new":         udiff.Unified("/dev/null", "b/x.go", "", "a\nb\n"),
		"gone":        udiff.Unified("a/x.go", "/dev/null", "a\nb\n", ""),
		"like a head": unified("-- a\n", "++ b\n"),
	} {
		f, ok := diff.Parse(text)
		if !ok || f.Name() != "x.go" {
			t.Errorf("%s: parsed %v, of the file %q", name, ok, f.Name())
		}
		if d := cmp.Diff(text, f.String()); d != "" {
			t.Errorf("%s: (-want +got)\n%s", name, d)
		}
	}
}

func TestParseRefusesOtherTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "exit code 1", "--- a\n", "--- a/x\n+++ b/x\n", "--- a/x\n+++ b/x\nhello\n", "--- a/x\n+++ b/x\n@@ -x +1 @@\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n"} {
		if f, ok := diff.Parse(text); ok {
			t.Errorf("%q is parsed as %v, want refused", text, f)
		}
	}
}

func TestShortenedDiffHasTheNumberOfMissingLines(t *testing.T) {
	t.Parallel()
	f, ok := diff.Parse("--- a/x\n+++ b/x\n@@ -1,2 +1,3000 @@\n a\n+b\n[... 2,998 more lines ...]\n")
	if added, _ := f.Stat(); !ok || f.Cut != 2998 || added != 1 {
		t.Errorf("parsed %v: %+v, want 2998 cut lines and one added", ok, f)
	}
}

func TestEditsOfAFileAreListedInOrder(t *testing.T) {
	t.Parallel()
	a := text(9)
	b := strings.Replace(a, "line 5", "other", 1)
	version := func(text string) diff.Version { return diff.Version{Name: "x.go", Text: text} }
	for name, c := range map[string]struct {
		edits []string
		now   map[string]bool
	}{
		"with ids":    {[]string{diff.Unified(version(text(3)), version(a)), diff.Unified(version(a), version(b))}, map[string]bool{b: true, a: false}},
		"without ids": {[]string{unified(text(3), a), unified(a, b)}, map[string]bool{b: true, a: true}},
	} {
		files := diff.ChangedFiles(log(c.edits...))
		if len(files) != 1 || files[0].Edits != 2 || files[0].Last != 2 || len(files[0].Diffs) != 2 {
			t.Fatalf("%s: got %+v, want one file with two edits", name, files)
		}
		if added, removed := files[0].Stat(); added != 7 || removed != 1 {
			t.Errorf("%s: %d lines added and %d removed, want 7 and 1", name, added, removed)
		}
		for text, want := range c.now {
			if got := files[0].IsNow(text); got != want {
				t.Errorf("%s: IsNow(%.20q) is %v, want %v", name, text, got, want)
			}
		}
	}
}
