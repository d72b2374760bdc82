// Package find looks for words in texts, as a reader means them: upper and lower
// case are alike, all words have to occur, and "words in quotes" have to stand
// together. It is what searches over conversations and within one share.
//
// It keeps no index, on purpose. Texts are read as they are, a gigabyte in a second
// or two: nothing has to be kept in step with the log, nothing is stale, nothing
// needs more disk, and what is damaged in part, or was written by another program a
// moment ago, is found as well.
//
// # Guarantees
//
// A word occurs wherever its letters do, also inside a longer word. Letters are alike
// by Unicode simple folding. What stands in stored JSON is never missed: where
// [Query.Find] finds something in a text, [Query.May] says yes to the JSON of it.
// Looking copies no text.
package find

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// What a query may be:
//   - Words stand between white space. A quotation mark at the beginning of a word
//     starts a phrase, which ends at the next one, or at the end. Elsewhere a quotation
//     mark is a character like others.
//   - White space in a phrase is any white space, line breaks too.
//   - What is looked for twice counts once.

// MaxTerms is how many words and phrases a query may have.
const MaxTerms = 20

// ErrEmpty says that a query has no word in it.
var ErrEmpty = errors.New("type a word to search for")

// Query is what is looked for. The zero value finds nothing.
type Query struct {
	terms []term // as they were given
	order []int  // the terms, those first that a text is least likely to hold
	whole *term  // all of them as one phrase, nil for one term
}

// Span is a place in a text, in bytes.
type Span struct{ Start, End int }

// Hit is an event of a stored conversation in which something was found. Its texts are
// not made safe for a terminal.
type Hit struct {
	Conversation string    // ID
	Title        string    // its heading, as a list shows it
	Event        uint64    // Seq
	Turn         int       // 0-based
	Time         time.Time // of the event
	Who          string    // user, assistant, reasoning, title, or the name of a tool
	Excerpt      string    // the text around the place, on one line
	At           Span      // the place in Excerpt
	Stored       bool      // it is only in the full text of a result that was cut
}

// Parse reads what somebody typed. A text without a word is ErrEmpty; one of more
// than MaxTerms words and phrases is an error, too.
func Parse(text string) (Query, error) {
	var q Query
	rest := strings.ToValidUTF8(text, "\uFFFD")
	for {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if rest == "" {
			break
		}
		var said string
		if said, rest = next(rest); said == "" {
			continue
		}
		t := newTerm(said)
		if slices.ContainsFunc(q.terms, func(o term) bool { return strings.EqualFold(t.said, o.said) }) {
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

// next takes the first word or phrase off text, which does not begin with white
// space. White space in a phrase becomes one space; an empty one is "".
func next(text string) (said, rest string) {
	if text[0] != '"' {
		i := strings.IndexFunc(text, unicode.IsSpace)
		if i < 0 {
			i = len(text)
		}
		return text[:i], text[i:]
	}
	said, rest, _ = strings.Cut(text[1:], `"`)
	return strings.Join(strings.Fields(said), " "), rest
}

// arrange works out in which order terms are looked for.
func (q *Query) arrange() {
	q.order = make([]int, len(q.terms))
	words := make([]string, len(q.terms))
	for i, t := range q.terms {
		q.order[i], words[i] = i, t.said
	}
	slices.SortStableFunc(q.order, func(a, b int) int { return q.terms[a].rarer(&q.terms[b]) })
	if len(q.terms) > 1 {
		whole := newTerm(strings.Join(words, " "))
		q.whole = &whole
	}
}

// String is the query as it could be typed: Parse makes the same query of it.
func (q Query) String() string {
	var words []string
	for _, t := range q.terms {
		if strings.Contains(t.said, " ") {
			words = append(words, `"`+t.said+`"`)
		} else {
			words = append(words, t.said)
		}
	}
	return strings.Join(words, " ")
}

// Find reports whether all terms occur in text, and the place to show: where they
// stand together as they were typed, else the first of the term that is rarest.
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

// All returns the places of all terms in text, ascending, to highlight them. Places
// that touch are one. A term that does not occur has none, whatever the others do.
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
