// Package find searches texts as a reader expects: upper and lower case are equal, all words must occur, and "words in
// quotes" must occur together. It is used for the search over all conversations and for the search in one.
//
// On purpose it keeps no index. It reads the texts themselves, a gigabyte in a second or two: no index has to follow the
// log or becomes stale, none takes disk space, and logs that are damaged or were just written by another program are
// searched as well.
//
// # Guarantees
//
// A word also matches inside a longer word. Letters are compared by Unicode simple folding. Text in stored JSON is never
// missed: if [Query.Find] matches a text, [Query.MayMatchJSON] returns true for its JSON. Searching copies no text.
package find

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// The syntax of a query:
//   - White space separates words. A quotation mark at the beginning of a word starts a phrase, which ends at the next
//     quotation mark or at the end. In other places a quotation mark is an ordinary character.
//   - White space in a phrase matches any white space, also line breaks.
//   - A repeated word counts once.

// MaxTerms is the largest number of words and phrases in a query.
const MaxTerms = 20

// ErrEmpty is the error of a query without a word.
var ErrEmpty = errors.New("type a word to search for")

// Query is a parsed query. The zero value matches nothing.
type Query struct {
	terms []term // in the order of the query
	order []int  // indices of terms, the rarest first
	whole *term  // all terms as one phrase, nil if there is only one term
}

// Span is a position in a text, in bytes.
type Span struct{ Start, End int }

// Hit is an event of a stored conversation that matches a query. Its texts are not made safe for a terminal.
type Hit struct {
	Conversation string    // ID
	Title        string    // its title in lists
	Event        uint64    // Seq
	Turn         int       // 0-based
	Time         time.Time // of the event
	Who          string    // user, assistant, reasoning, title, or the name of a tool
	Excerpt      string    // the text around the match, on one line
	At           Span      // the match in Excerpt
	Stored       bool      // the match is only in the stored full text of a shortened tool result
}

// Parse reads a query as the user typed it. A text without a word gives ErrEmpty; more than MaxTerms words and phrases are
// an error, too.
func Parse(text string) (Query, error) {
	var q Query
	rest := strings.ToValidUTF8(text, "\uFFFD")
	for {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if rest == "" {
			break
		}
		var word string
		if word, rest = next(rest); word == "" {
			continue
		}
		t := newTerm(word)
		if slices.ContainsFunc(q.terms, func(o term) bool { return strings.EqualFold(t.text, o.text) }) {
			continue
		}
		if q.terms = append(q.terms, t); len(q.terms) > MaxTerms {
			return Query{}, fmt.Errorf("a search takes at most %d words: leave some out, or put \"quotes\" around a phrase", MaxTerms)
		}
	}
	if len(q.terms) == 0 {
		return Query{}, ErrEmpty
	}
	q.arrange()
	return q, nil
}

// next returns the first word or phrase of text, which does not begin with white space, and the rest. White space in a
// phrase becomes one space. An empty phrase is "".
func next(text string) (word, rest string) {
	if text[0] != '"' {
		i := strings.IndexFunc(text, unicode.IsSpace)
		if i < 0 {
			i = len(text)
		}
		return text[:i], text[i:]
	}
	word, rest, _ = strings.Cut(text[1:], `"`)
	return strings.Join(strings.Fields(word), " "), rest
}

// arrange sets the order in which terms are searched for.
func (q *Query) arrange() {
	q.order = make([]int, len(q.terms))
	words := make([]string, len(q.terms))
	for i, t := range q.terms {
		q.order[i], words[i] = i, t.text
	}
	slices.SortStableFunc(q.order, func(a, b int) int { return q.terms[a].rarer(&q.terms[b]) })
	if len(q.terms) > 1 {
		whole := newTerm(strings.Join(words, " "))
		q.whole = &whole
	}
}

// String returns the query as it could be typed: Parse gives the same query.
func (q Query) String() string {
	var words []string
	for _, t := range q.terms {
		if strings.Contains(t.text, " ") {
			words = append(words, `"`+t.text+`"`)
		} else {
			words = append(words, t.text)
		}
	}
	return strings.Join(words, " ")
}

// Find reports whether all terms occur in text, and the match to show: the place where they occur together in the order of
// the query, otherwise the first occurrence of the rarest term.
func (q Query) Find(text string) (Span, bool) {
	if len(q.terms) == 0 {
		return Span{}, false
	}
	var best Span
	for i, n := range q.order {
		at, ok := q.terms[n].find(text)
		if !ok {
			return Span{}, false
		}
		if i == 0 {
			best = at
		}
	}
	if q.whole != nil {
		if at, ok := q.whole.find(text); ok {
			return at, true
		}
	}
	return best, true
}

// All returns the matches of all terms in text, ascending, to highlight them. Adjacent matches become one. A term's matches
// count even if the other terms do not occur.
func (q Query) All(text string) []Span {
	var all []Span
	for i := range q.terms {
		s := q.terms[i].in(text)
		for at, ok := s.find(0); ok; at, ok = s.find(at.End) {
			all = append(all, at)
		}
	}
	slices.SortFunc(all, func(a, b Span) int { return a.Start - b.Start })
	merged := all[:0]
	for _, at := range all {
		if last := len(merged) - 1; last >= 0 && at.Start <= merged[last].End {
			merged[last].End = max(merged[last].End, at.End)
			continue
		}
		merged = append(merged, at)
	}
	return merged
}
