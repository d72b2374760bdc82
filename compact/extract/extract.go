// Package extract takes the sentences out of texts: what a summary without a model is
// made of.
//
// Guarantees: every sentence stands in the text, in its order, but for white space that
// is folded; no input makes it panic, and its cost grows in proportion to the input.
package extract

import (
	"strings"
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
