package extract

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// A sentence ends at . ! ? followed by white space, at 。！？ anywhere, and at
// the end of a line: lines of code, lists and tool results are sentences of
// their own. Prose wrapped by hand runs on: a long line without an end goes on
// in a line that starts with a small letter. A full stop inside a path, a
// number or a common abbreviation ends nothing.

// minWrap is the least length in bytes of a line that was wrapped by hand.
const minWrap = 40

// abbreviations end in a full stop that ends no sentence.
var abbreviations = map[string]bool{
	"e.g.": true, "i.e.": true, "etc.": true, "cf.": true, "vs.": true, "dr.": true, "mr.": true,
	"mrs.": true, "no.": true, "approx.": true, "fig.": true, "st.": true, "z.b.": true, "bzw.": true,
}

// Sentences splits text into its sentences, trimmed and with white space
// folded. Lines without a letter or a digit (rules, fences) are left out, and
// so are bytes that are no UTF-8.
func Sentences(text string) []string {
	var out, open []string
	long := false
	for line := range strings.Lines(strings.ToValidUTF8(text, "")) {
		if len(open) > 0 && !(long && line[0] >= 'a' && line[0] <= 'z') {
			out, open = appendSentence(out, strings.Join(open, " ")), nil
		}
		long = len(line) >= minWrap
		for _, w := range strings.Fields(line) {
			open = append(open, w)
			if ends(w) {
				out, open = appendSentence(out, strings.Join(open, " ")), nil
			}
		}
	}
	return appendSentence(out, strings.Join(open, " "))
}

// ends reports whether a word closes the sentence it stands in.
func ends(word string) bool {
	bare := strings.TrimRight(word, `"'”’)]*_`)
	switch {
	case strings.HasSuffix(bare, "!"), strings.HasSuffix(bare, "?"):
		return true
	case !strings.HasSuffix(bare, "."), strings.HasSuffix(bare, ".."):
		return false
	case abbreviations[strings.ToLower(strings.TrimLeft(bare, "(["))]:
		return false
	}
	// "1." opens a list item, "J." is an initial.
	stem := []rune(strings.TrimSuffix(bare, "."))
	if len(stem) == 1 && (unicode.IsUpper(stem[0]) || unicode.IsDigit(stem[0])) {
		return false
	}
	return true
}

// appendSentence adds s, cut further at the full stops of CJK text, which no
// space follows.
func appendSentence(out []string, s string) []string {
	for s != "" {
		i := strings.IndexAny(s, "。！？")
		if i < 0 {
			break
		}
		i += len("。") // all three take as many bytes
		out = appendText(out, s[:i])
		s = strings.TrimSpace(s[i:])
	}
	return appendText(out, s)
}

func appendText(out []string, s string) []string {
	if strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return out
	}
	return append(out, s)
}

// stop are English words too common to say what a text is about.
var stop = wordSet(`a about above after again all also am an and any are as at be because been before being below
between both but by can could did do does doing don down during each few for from further had has have having he
her here hers him his how i if in into is isn it its itself just let like ll me more most my no nor not now of off
on once only or other our out over own re s same she should so some such t than that the their them then there
these they this those through to too under until up us ve very was we were what when where which while who whom
why will with would you your`)

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// terms returns the words of a sentence that count, in lower case. CJK text,
// which has no spaces, counts by pairs of characters.
func terms(s string) []string {
	var out []string
	for _, field := range strings.FieldsFunc(strings.ToLower(s), notWord) {
		if runes := []rune(field); cjk(runes[0]) {
			for i := range len(runes) - 1 {
				out = append(out, string(runes[i:i+2]))
			}
			continue
		}
		if len(field) > 1 && !stop[field] {
			out = append(out, field)
		}
	}
	return out
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func cjk(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// identifier matches what a summary must keep letter for letter: paths, file
// names, calls, qualified, camel-case and snake-case names, hashes, flags, and
// numbers of two digits and more with their unit.
var identifier = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`[A-Za-z0-9_.~-]*/[A-Za-z0-9_./~-]*[A-Za-z0-9_]` + // path
			`|[A-Za-z0-9_-]+(?:\.[A-Za-z][A-Za-z0-9_]*)+(?::\d+)?(?:\(\))?` + // file.ext, pkg.Name, file.go:12
			`|[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+` + // snake_case, CONSTANT_CASE
			`|[a-z]+[A-Z][A-Za-z0-9]*|(?:[A-Z][a-z0-9]+){2,}` + // camelCase, PascalCase
			`|--[a-z][a-z0-9-]+` + // flag
			`|#\d+|[0-9]+(?:[.,:][0-9]+)*[A-Za-z%]{0,4}`) // number, code, size
})

// Identifiers returns what in text has to be kept literally, each once, in
// order of first appearance, at most n of them.
func Identifiers(text string, n int) []string {
	var out []string
	seen := make(map[string]bool)
	for len(text) > 0 && len(out) < n {
		at := identifier().FindStringIndex(text)
		if at == nil {
			break
		}
		found := strings.TrimRight(text[at[0]:at[1]], ".,:")
		text = text[at[1]:]
		if len(found) < 2 || seen[found] {
			continue
		}
		seen[found] = true
		out = append(out, found)
	}
	return out
}
