package names_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/conversation/names"
)

func TestOmittedNamesNotShown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shown, rest string
		room        int
		want        string
	}{
		"in their order":             {"a page ", "plan.go then band_of.go, plan.go", 100, "plan.go band_of.go"},
		"not what is shown":          {"see plan.go ", "plan.go band.go", 100, "band.go"},
		"shown in a word of its own": {"see compact/plan.go ", "plan.go", 100, "plan.go"},
		"cut in two":                 {"see compact/pl", "an.go and more", 100, "compact/plan.go"},
		"cut in two, but shown":      {"compact/plan.go compact/pl", "an.go and more", 100, ""},
		"cut behind a name":          {"see compact/plan.go", " and more", 100, ""},
		"none":                       {"plan.go ", "the quick brown fox", 100, ""},
		"nothing":                    {"", "", 100, ""},
		"all of it":                  {"", "plan.go", 100, "plan.go"},
		"exact room":                 {"", "plan.go band.go", 15, "plan.go band.go"},
		"one less":                   {"", "plan.go band.go", 14, "plan.go"},
		"the most often first":       {"", "plan.go band.go band.go", 14, "band.go"},
		"the short ones first":       {"", "a_very_long_name_that_takes_the_room plan.go band.go", 40, "plan.go band.go"},
		"no room":                    {"", "plan.go", 6, ""},
		"less than no room":          {"", "plan.go", -1, ""},
	} {
		if got := names.Omitted(c.shown+c.rest, len(c.shown), c.room); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestOmittedNamesAreInTheRest(t *testing.T) {
	t.Parallel()
	piece := rapid.OneOf(rapid.StringMatching(`[a-z_./]{1,20}`), rapid.StringMatching(`[A-Za-z0-9_]{4,90}`), rapid.String(),
		rapid.SampledFrom([]string{"a_b.go", "x/y/z.go", "newThing", "]", "\n", "\x1b[31m", "漢字", " "}))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), rapid.SampledFrom([]string{" ", ""}).Draw(t, "between"))
		first := rapid.IntRange(0, len(text)).Draw(t, "first")
		room := rapid.IntRange(0, 200).Draw(t, "room")
		got := names.Omitted(text, first, room)
		if got != names.Omitted(text, first, room) || len(got) > max(room, 0) {
			t.Fatalf("%d bytes, want %d at most and the same twice: %q", len(got), room, got)
		}
		var all []string
		names.Scan(text, func(name string) { all = append(all, name) })
		seen := map[string]bool{}
		for _, name := range strings.Fields(got) {
			if seen[name] || !slices.Contains(all, name) || !strings.Contains(text[max(0, first-80):], name) {
				t.Fatalf("%q is no name of the rest, or stands twice, in %q", name, got)
			}
			seen[name] = true
		}
	})
}

func TestOmittedStopsFarAfterTheShownText(t *testing.T) {
	t.Parallel()
	text := "near.go " + strings.Repeat("x ", 2<<20) + "far.go"
	if got := names.Omitted(text, 0, 100); got != "near.go" {
		t.Errorf("the omitted names are %q, want near.go", got)
	}
}

// BenchmarkBeyond lists the omitted names of 8 MiB, of which 128,000 bytes are shown. Budget: 100 ms.
func BenchmarkBeyond(b *testing.B) {
	var lines, words strings.Builder
	for i := 0; lines.Len() < 8<<20; i++ {
		fmt.Fprintf(&lines, "src/app/part%d/server_%d.go:%d:\tfunc (s *Server) handleRequest%d(w http.ResponseWriter)\n", i%50, i%1000, i, i%5000)
	}
	for i := 0; words.Len() < 8<<20; i++ {
		fmt.Fprintf(&words, "name_%d ", i)
	}
	for name, text := range map[string]string{"lines": lines.String(), "all names": words.String(), "one byte": strings.Repeat("x", 8<<20)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				names.Omitted(text, 128_000, 1200)
			}
		})
	}
}
