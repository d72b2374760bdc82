package extract_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/extract"
)

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

func FuzzSentences(f *testing.F) {
	f.Add("The upload test fails on CI because two runs share port 8080. It passes on a laptop.")
	f.Add("。。！\xff\x00 a")
	f.Add(strings.Repeat("word ", 200))
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range extract.Sentences(text) {
			if !utf8.ValidString(s) || strings.TrimSpace(s) == "" {
				t.Fatalf("%q is no sentence", s)
			}
			for _, word := range strings.Fields(s) {
				if !strings.Contains(strings.ToValidUTF8(text, ""), word) {
					t.Fatalf("%q does not stand in the text", word)
				}
			}
		}
	})
}
