package find_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
	"plimsoll/conversation/find"
)

// foldedRune returns the least rune that folds to r, which is the same for all of them.
func foldedRune(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

// matchesAt is a simple search: it reports whether text begins with a term, and where the
// match ends. A space in the term matches any white space.
func matchesAt(term, text string) (int, bool) {
	i := 0
	for _, want := range term {
		if want == ' ' {
			rest := strings.TrimLeftFunc(text[i:], unicode.IsSpace)
			if len(rest) == len(text)-i {
				return 0, false
			}
			i = len(text) - len(rest)
			continue
		}
		r, w := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && w <= 1 || foldedRune(r) != foldedRune(want) {
			return 0, false
		}
		i += w
	}
	return i, true
}

func firstMatch(term, text string) (find.Span, bool) {
	for i := range text {
		if n, ok := matchesAt(term, text[i:]); ok {
			return find.Span{Start: i, End: i + n}, true
		}
	}
	return find.Span{}, false
}

// pieces are the parts of random texts and queries: few, so that queries often match, and
// with all difficult characters.
var pieces = []string{"a", "k", "K", "\u212a", "s", "ſ", "S", "ab", "x", " ", "  ", "\n", "\t", "\u2028", "\u00a0", `"`, `\`, `\n`, "<", "é", "É", "Σ", "ς", "σ",
	"漢", "字", "ͅ", "ι", "👍", "\x00", "\x1f", "\x7f", "\xff", "\xe6\xbc", "\uFFFD", "status", `"status":`, "text", ":", "1"}

func drawText(t *rapid.T, label string, most int) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, most).Draw(t, label), "")
}

func TestFindAgreesWithASimpleSearch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t, "text", 30)
		terms := strings.Fields(strings.ToValidUTF8(drawText(t, "query", 3), "\uFFFD"))
		terms = slices.DeleteFunc(terms, func(term string) bool { return strings.HasPrefix(term, `"`) })
		query := strings.Join(terms, " ")
		phrase := rapid.Bool().Draw(t, "phrase") && !strings.Contains(query, `"`)
		if phrase {
			terms = []string{query}
			query = `"` + query + `"`
		}
		q, err := find.Parse(query)
		if err != nil {
			return
		}
		want := true
		for _, term := range terms {
			_, ok := firstMatch(term, text)
			want = want && ok
		}
		at, got := q.Find(text)
		if got != want || q.MatchesBytes([]byte(text)) != want {
			t.Fatalf("found %v, want %v", got, want)
		}
		if !got {
			return
		}
		if place, ok := firstMatch(strings.Join(terms, " "), text); ok && at != place && (phrase || len(terms) == 1) {
			t.Fatalf("found at %v, want %v", at, place)
		}
		if !slices.ContainsFunc(q.All(text), func(s find.Span) bool { return s.Start <= at.Start && at.End <= s.End }) && !phrase && len(terms) == 1 {
			t.Fatalf("the match %v is not among all matches %v", at, q.All(text))
		}
	})
}

// A query that matches a text also matches the JSON of any event with that text.
func TestMayMatchJSONAcceptsEveryMatch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t, "text", 30)
		q, err := find.Parse(drawText(t, "query", 4))
		if err != nil {
			return
		}
		if _, ok := q.Find(text); !ok {
			return
		}
		for _, body := range []conversation.Body{
			conversation.UserMessage{Text: text},
			conversation.AssistantMessage{Reasoning: text, Stop: conversation.StopEnd},
			conversation.ToolResult{CallID: "a", Tool: "b", Text: text, Detail: "c"},
			conversation.Renamed{Title: text},
		} {
			raw, err := conversation.Marshal(conversation.Event{Seq: 1, Body: body})
			conversationtest.Must(t, err)
			if !q.MayMatchJSON(raw) {
				t.Fatalf("%q is missed in %s", q, raw)
			}
		}
		raw, err := conversation.EncodeJSON(text)
		if err != nil || !q.MayMatchJSON(raw) {
			t.Fatalf("%q is missed in %s, %v", q, raw, err)
		}
	})
}

func TestQueriesRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		checkRoundTrip(t, drawText(t, "query", 12))
	})
}

func checkRoundTrip(t interface{ Fatalf(string, ...any) }, text string) {
	q, err := find.Parse(text)
	if err != nil {
		return
	}
	again, err := find.Parse(q.String())
	if err != nil || again.String() != q.String() {
		t.Fatalf("%q became %q and then %q, %v", text, q, again, err)
	}
}

func TestMatchesAreAscendingAndApart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t, "text", 30)
		if q, err := find.Parse(drawText(t, "query", 4)); err == nil {
			checkApart(t, text, q.All(text))
		}
	})
}

func checkApart(t interface{ Fatalf(string, ...any) }, text string, all []find.Span) {
	end := -1
	for _, at := range all {
		if at.Start <= end || at.End <= at.Start || at.End > len(text) {
			t.Fatalf("the matches %v overlap, or are not within %d bytes", all, len(text))
		}
		end = at.End
	}
}

// An excerpt is one line of the text around the match, within its length.
func TestExcerptsStayWithinTheirLength(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t, "text", 40)
		q, err := find.Parse(drawText(t, "query", 2))
		if err != nil {
			return
		}
		at, ok := q.Find(text)
		if !ok {
			return
		}
		checkExcerpt(t, text, at, rapid.IntRange(0, 30).Draw(t, "chars"))
	})
}

func checkExcerpt(t interface{ Fatalf(string, ...any) }, text string, at find.Span, chars int) {
	excerpt, place := find.Excerpt(text, at, chars)
	if place.Start < 0 || place.End < place.Start || place.End > len(excerpt) {
		t.Fatalf("the match %v is not within the excerpt of %d bytes", place, len(excerpt))
	}
	if n := utf8.RuneCountInString(excerpt); n > max(chars, 0)+2 || strings.ContainsAny(excerpt, "\n\t\r\u2028") {
		t.Fatalf("the excerpt has %d characters, want %d, on one line: %q", n, chars, excerpt)
	}
	if line := strings.Join(strings.FieldsFunc(text[at.Start:at.End], unicode.IsSpace), " "); utf8.RuneCountInString(line) <= chars && utf8.ValidString(text) {
		if d := cmp.Diff(line, excerpt[place.Start:place.End]); d != "" {
			t.Fatalf("the match in the excerpt (-want +got): %s", d)
		}
	}
}

// The search supports at most four case foldings of a letter.
func TestNoRuneHasMoreThanFourFoldings(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		forms := 1
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			forms++
		}
		if forms > 4 {
			t.Errorf("%U has %d forms", r, forms)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("port in use", "the port is\nin use")
	f.Add(`"in use" k`, "IN\u2028USE \u212a")
	f.Add(`a"b`, `{"a\"b":1}`)
	f.Add("漢字", "\xe6\xbc漢字")
	f.Fuzz(func(t *testing.T, query, text string) {
		checkRoundTrip(t, query)
		q, err := find.Parse(query)
		if err != nil {
			return
		}
		checkApart(t, text, q.All(text))
		at, ok := q.Find(text)
		if !ok {
			return
		}
		if at.Start < 0 || at.End <= at.Start || at.End > len(text) {
			t.Fatalf("found at %v of %d bytes", at, len(text))
		}
		checkExcerpt(t, text, at, 40)
		raw, err := conversation.EncodeJSON(map[string]any{"text": text, "n": json.Number("1")})
		if err != nil || !q.MayMatchJSON(raw) {
			t.Fatalf("%q is missed in %s, %v", q, raw, err)
		}
	})
}
