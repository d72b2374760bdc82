package extract_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/extract"
)

var report = []string{
	"The upload test fails on CI because two runs share port 8080. It passes on a laptop.",
	"The weather was nice. We drank coffee. Nothing else happened that morning.",
	"The upload server listens on port 8080 in upload/server.go:41. The upload test starts the upload server twice.",
	"The upload test fails on CI because both runs share port 8080.",
	"Decision: the upload test asks the kernel for a free port. The change is in upload/server_test.go.",
}

func TestKeepsWhatTheTextIsAbout(t *testing.T) {
	t.Parallel()
	got := extract.Summary(report, 220)
	for _, want := range []string{"port 8080", "upload/server"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing from %q", want, got)
		}
	}
	for _, no := range []string{"coffee", "weather"} {
		if strings.Contains(got, no) {
			t.Errorf("%q should not be in %q", no, got)
		}
	}
}

func TestSaysNothingTwice(t *testing.T) {
	t.Parallel()
	same := strings.Repeat("The parser reads config.yaml at start.\n", 30)
	got := extract.Summary([]string{same, "A cache in storage/cache.go keeps 64 entries."}, 120)
	if n := strings.Count(got, "parser"); n != 1 {
		t.Errorf("a repeated sentence was chosen %d times: %q", n, got)
	}
	if !strings.Contains(got, "64 entries") {
		t.Errorf("the sentence that says something new is missing: %q", got)
	}
}

func TestReturnsAShortTextWhole(t *testing.T) {
	t.Parallel()
	got := extract.Summary([]string{"One  fact\there.", "", "Another one."}, 100)
	if want := "One fact here.\nAnother one."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSplitsSentences(t *testing.T) {
	t.Parallel()
	got := extract.Sentences("See main.go, e.g. line 3.5 of it. Really?! Yes (so.) J. Smith said \"no.\" Then\n1. a list item\n```\n" +
		"x := y.z()\n文はここで終わる。次の文！ rest\xff")
	wrapped := extract.Sentences("A paragraph that was wrapped by hand goes on\nin the next line. But short\nlines do not.\n")
	if d := cmp.Diff([]string{"A paragraph that was wrapped by hand goes on in the next line.", "But short", "lines do not."}, wrapped); d != "" {
		t.Error(d)
	}
	want := []string{"See main.go, e.g. line 3.5 of it.", "Really?!", "Yes (so.)", "J. Smith said \"no.\"", "Then",
		"1. a list item", "x := y.z()", "文はここで終わる。", "次の文！", "rest"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestFindsIdentifiers(t *testing.T) {
	t.Parallel()
	got := extract.Identifiers("Set MAX_RETRIES to 12 in agent/demo/wire.go:88 (see newServer, --base-url, #41, 8192), again 12.", 10)
	want := []string{"MAX_RETRIES", "12", "agent/demo/wire.go", "88", "newServer", "--base-url", "#41", "8192"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := extract.Identifiers("a.go b.go c.go", 2); len(got) != 2 {
		t.Errorf("%d identifiers, want 2", len(got))
	}
}

func FuzzSummary(f *testing.F) {
	f.Add(strings.Join(report, "\n\n"), 100)
	f.Add("。。！\xff\x00 a", 1)
	f.Add(strings.Repeat("word ", 200), 50)
	f.Fuzz(func(t *testing.T, text string, n int) {
		n %= 5000
		paragraphs := strings.Split(text, "\n\n")
		got := extract.Summary(paragraphs, n)
		if chars := utf8.RuneCountInString(got); chars > max(n, 0) {
			t.Fatalf("%d code points, asked for %d", chars, n)
		}
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		if again := extract.Summary(paragraphs, n); again != got {
			t.Fatalf("a second run gives %q, the first %q", again, got)
		}
		for _, word := range strings.Fields(got) {
			if !strings.Contains(text, strings.TrimSuffix(word, "…")) && utf8.ValidString(text) {
				t.Fatalf("%q does not stand in the input", word)
			}
		}
	})
}

// BenchmarkSummary reads 1 MB, more than any band: a summary request may cost
// half a second on the deterministic path.
func BenchmarkSummary(b *testing.B) {
	var text []string
	for i := range 10_000 {
		text = append(text, "Line "+strconv.Itoa(i)+" of file"+strconv.Itoa(i%97)+".go calls parse"+strconv.Itoa(i%13)+" and keeps the error. It is tested.")
	}
	text = slices.Clip(text)
	b.ReportAllocs()
	for b.Loop() {
		extract.Summary(text, 4000)
	}
}
