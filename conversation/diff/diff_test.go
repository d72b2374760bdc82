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

// text is so many lines, each with its number.
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

func TestWhatIsReadIsWrittenAgain(t *testing.T) {
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
			t.Errorf("%s: %v %q", name, ok, f.Name())
		}
		if d := cmp.Diff(text, f.String()); d != "" {
			t.Errorf("%s: (-want +got)\n%s", name, d)
		}
	}
}

func TestOtherTextsAreNoDiffs(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "exit code 1", "--- a\n", "--- a/x\n+++ b/x\n", "--- a/x\n+++ b/x\nhello\n", "--- a/x\n+++ b/x\n@@ -x +1 @@\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n"} {
		if f, ok := diff.Parse(text); ok {
			t.Errorf("%q is read as %v", text, f)
		}
	}
}

func TestAShortenedDiffSaysByHowMuch(t *testing.T) {
	t.Parallel()
	f, ok := diff.Parse("--- a/x\n+++ b/x\n@@ -1,2 +1,3000 @@\n a\n+b\n[... 2,998 more lines ...]\n")
	if added, _ := f.Stat(); !ok || f.Cut != 2998 || added != 1 {
		t.Errorf("%v %+v", ok, f)
	}
}

// Whatever edits follow each other, the joined diff leads from the first text to the last one.
func TestJoinedDiffsLeadFromTheFirstTextToTheLast(t *testing.T) {
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
		files := diff.OfLog(log(details...))
		if len(details) == 0 {
			continue
		}
		if len(files) != 1 || len(files[0].Diffs) != 1 {
			t.Fatalf("seed %d: %+v", seed, files)
		}
		patch := files[0].Patch()
		got := first
		if patch != "" {
			got = applied(t, patch, first)
		}
		if d := cmp.Diff(now, got); d != "" {
			t.Fatalf("seed %d: (-want +got)\n%s\n%s", seed, d, patch)
		}
		if !files[0].Left(now) || files[0].Left(now+"x") || files[0].Edits != len(details) {
			t.Fatalf("seed %d: what was left is not known again: %+v", seed, files[0])
		}
	}
}

// applied is a text with a patch applied, as strictly as git does it.
func applied(t *testing.T, patch, text string) string {
	t.Helper()
	f, ok := diff.Parse(patch)
	if !ok {
		t.Fatalf("no patch: %s", patch)
	}
	rest, at := strings.SplitAfter(text, "\n"), 1
	var b strings.Builder
	for _, h := range f.Hunks {
		begin := h.Old
		if strings.Contains(patch, fmt.Sprintf("@@ -%d,0 ", h.Old)) {
			begin++ // it stands behind that line
		}
		for ; at < begin; at++ {
			b.WriteString(rest[0])
			rest = rest[1:]
		}
		for _, l := range h.Lines {
			if l.Op != diff.Added {
				if rest[0] != l.Text {
					t.Fatalf("line %d is %q, not %q:\n%s", at, rest[0], l.Text, patch)
				}
				rest, at = rest[1:], at+1
			}
			if l.Op != diff.Removed {
				b.WriteString(l.Text)
			}
		}
	}
	return b.String() + strings.Join(rest, "")
}

// edited is a text with some lines removed, changed and added.
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

func TestWhatWasUndoneIsNoChange(t *testing.T) {
	t.Parallel()
	a, b := text(9), strings.Replace(text(9), "line 5", "other", 1)
	files := diff.OfLog(log(unified(a, b), unified(b, a)))
	if len(files) != 1 || files[0].Patch() != "" || files[0].Edits != 2 {
		t.Errorf("%+v", files)
	}
}

func TestAChangeBySomebodyElseBeginsAnotherDiff(t *testing.T) {
	t.Parallel()
	a := text(9)
	b := strings.Replace(a, "line 5", "ours", 1)
	seen := strings.Replace(b, "ours", "theirs", 1)        // the next diff shows it
	unseen := strings.Replace(b, "line 9", "elsewhere", 1) // no diff does
	for name, between := range map[string]string{"seen": seen, "unseen": unseen} {
		c := strings.Replace(between, "line 4", "again", 1)
		files := diff.OfLog(log(diff.Index(diff.ID(a), diff.ID(b))+unified(a, b), diff.Index(diff.ID(between), diff.ID(c))+unified(between, c)))
		if len(files) != 1 || len(files[0].Diffs) != 2 {
			t.Errorf("%s: %+v", name, files)
		}
	}
	files := diff.OfLog(log(unified(a, b), unified(seen, strings.Replace(seen, "line 4", "again", 1)))) // without names
	if len(files[0].Diffs) != 2 {
		t.Errorf("without names: %+v", files)
	}
}

func TestWithoutNamesWhatTheDiffsShowCounts(t *testing.T) {
	t.Parallel()
	a := text(30)
	b := strings.Replace(a, "line 5", "ours", 1)
	f := diff.OfLog(log(unified(a, b)))[0]
	if !f.Left(b) || f.Left(a) || f.Left("") {
		t.Error("what was left is not known again")
	}
	if !f.Left(strings.Replace(b, "line 30", "theirs", 1)) {
		t.Error("it claims to know lines that no diff shows")
	}
}

func TestALongNewFileIsTakenFromItsCall(t *testing.T) {
	t.Parallel()
	content := text(50)
	cut := diff.Index(diff.None(), diff.ID(content)) + "--- /dev/null\n+++ b/x.go\n@@ -0,0 +1,50 @@\n+line 1\n[... 49 more lines ...]\n"
	call := conversation.Event{Body: conversation.AssistantMessage{Calls: []conversation.ToolCall{
		{ID: "0", Name: "create_file", Arguments: fmt.Sprintf(`{"path":"x.go","content":%q}`, content)}}}}
	f := diff.OfLog(append([]conversation.Event{call}, log(cut)...))[0]
	if added, _ := f.Stat(); added != 50 || f.Cut() != 0 || !f.Created() || !f.Left(content) {
		t.Errorf("%+v", f)
	}
	f = diff.OfLog(log(cut))[0]
	if added, _ := f.Stat(); added != 1 || f.Cut() != 49 {
		t.Errorf("without the call: %+v", f)
	}
}
