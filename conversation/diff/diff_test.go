package diff_test

import (
	"fmt"
	"math/rand/v2"
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

// For any sequence of edits, the combined diff leads from the first text to the last.
func TestCombinedDiffLeadsFromTheFirstTextToTheLast(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		first := text(r.IntN(40))
		now, details := first, []string{}
		for range 1 + r.IntN(6) {
			next := edited(r, now)
			if next == now {
				continue
			}
			details = append(details, diff.Index(diff.ID(now), diff.ID(next))+unified(now, next))
			now = next
		}
		files := diff.ChangedFiles(log(details...))
		if len(details) == 0 {
			continue
		}
		if len(files) != 1 || files[0].Edits != len(details) || len(files[0].Diffs) != len(details) {
			t.Fatalf("seed %d: %+v", seed, files)
		}
		whole, same := files[0].Whole(now)
		if d := cmp.Diff(now, applied(t, whole, first)); !same || len(whole.Diffs) != 1 || d != "" {
			t.Fatalf("seed %d: %v (-want +got)\n%s\n%s", seed, same, d, whole.Patch())
		}
		if other, same := files[0].Whole(now + "x"); same || len(other.Diffs) != len(details) {
			t.Fatalf("seed %d: a changed text is accepted as the last one: %+v", seed, other)
		}
	}
}

// applied applies a change to a text, as strictly as git does.
func applied(t *testing.T, c diff.ChangedFile, text string) string {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	var out []string
	at := 0
	for _, h := range c.Diffs[0].Hunks {
		for ; at < h.Old-1; at++ {
			out = append(out, lines[at])
		}
		if len(out) != max(0, h.New-1) {
			t.Fatalf("a hunk begins at line %d, not %d:\n%s", len(out)+1, h.New, c.Patch())
		}
		for _, l := range h.Lines {
			if l.Op != diff.Added {
				if lines[at] != l.Text {
					t.Fatalf("line %d is %q, not %q:\n%s", at+1, lines[at], l.Text, c.Patch())
				}
				at++
			}
			if l.Op != diff.Removed {
				out = append(out, l.Text)
			}
		}
	}
	return strings.Join(append(out, lines[at:]...), "")
}

// edited removes, changes and adds some lines of a text.
func edited(r *rand.Rand, text string) string {
	var b strings.Builder
	for l := range strings.Lines(text) {
		switch r.IntN(12) {
		case 0:
		case 1:
			fmt.Fprintf(&b, "new %d\n%s", r.IntN(5), l)
		case 2:
			fmt.Fprintf(&b, "other %d\n", r.IntN(5))
		default:
			b.WriteString(l)
		}
	}
	if r.IntN(4) == 0 {
		fmt.Fprintf(&b, "end %d\n", r.IntN(5))
	}
	return b.String()
}

func TestUndoneEditsLeaveNoPatch(t *testing.T) {
	t.Parallel()
	a, b := text(9), strings.Replace(text(9), "line 5", "other", 1)
	whole, same := diff.ChangedFiles(log(unified(a, b), unified(b, a)))[0].Whole(a)
	if !same || len(whole.Diffs) != 1 || whole.Patch() != "" || whole.Edits != 2 {
		t.Errorf("whole %v: %+v, want 2 edits and no patch", same, whole)
	}
}

// If another program changed the file between the edits, or a diff was shortened, the first text is unknown.
func TestEditsStaySeparateWhenTheFirstTextIsUnknown(t *testing.T) {
	t.Parallel()
	a := text(9)
	b := strings.Replace(a, "line 5", "ours", 1)
	seen := strings.Replace(b, "ours", "theirs", 1)        // the next diff shows it
	unseen := strings.Replace(b, "line 9", "elsewhere", 1) // no diff does
	again := func(text string) string { return strings.Replace(text, "line 4", "again", 1) }
	named := func(from, to string) string { return diff.Index(diff.ID(from), diff.ID(to)) + unified(from, to) }
	for name, c := range map[string]struct {
		edits []string
		now   string
	}{
		"seen":          {[]string{named(a, b), named(seen, again(seen))}, again(seen)},
		"unseen":        {[]string{named(a, b), named(unseen, again(unseen))}, again(unseen)},
		"without names": {[]string{unified(a, b), unified(seen, again(seen))}, again(seen)},
		"shortened":     {[]string{diff.Index(diff.ID(a), diff.ID(b)) + "--- a/x.go\n+++ b/x.go\n[... 9 more lines ...]\n", named(b, again(b))}, again(b)},
	} {
		if f, same := diff.ChangedFiles(log(c.edits...))[0].Whole(c.now); !same || len(f.Diffs) != 2 {
			t.Errorf("%s: whole %v: %+v, want 2 diffs", name, same, f)
		}
	}
}

func TestWithoutFileIDsTheDiffContextDecides(t *testing.T) {
	t.Parallel()
	a := text(30)
	b := strings.Replace(a, "line 5", "ours", 1)
	f := diff.ChangedFiles(log(unified(a, b)))[0]
	for text, want := range map[string]bool{b: true, strings.Replace(b, "line 30", "theirs", 1): true, a: false, "": false} {
		if _, same := f.Whole(text); same != want {
			t.Errorf("%.40q: the text fits %v, want %v", text, same, want)
		}
	}
}

func TestShortenedNewFileIsReadFromDisk(t *testing.T) {
	t.Parallel()
	content := text(50)
	cut := diff.Index(strings.Repeat("0", 12), diff.ID(content)) + "--- /dev/null\n+++ b/x.go\n@@ -0,0 +1,50 @@\n+line 1\n[... 49 more lines ...]\n"
	f := diff.ChangedFiles(log(cut))[0]
	if added, _ := f.Stat(); added != 1 || f.Cut() != 49 {
		t.Errorf("the shortened diff is %+v, want 1 added and 49 cut lines", f)
	}
	f, same := f.Whole(content)
	if added, _ := f.Stat(); !same || added != 50 || f.Cut() != 0 || !f.Created() {
		t.Errorf("whole %v: %+v, want 50 added lines and none cut", same, f)
	}
}
