package find

import (
	"strings"
	"unicode"
	"unsafe"
)

// What JSON leaves as it is: encoding/json without its escaping for HTML writes
// quotation marks, backslashes, control characters, U+2028 and U+2029 otherwise, and
// bytes that are not UTF-8. All else stands in the JSON of a text as in the text. So
// of each term the longest piece without such characters, and without white space,
// which may be a line break, has to stand there.

// May reports whether raw, the JSON of a value made by encoding/json without the
// escaping for HTML, may hold a string in which all terms occur. False is certain.
// Names of fields do not count. raw is not kept.
func (q Query) May(raw []byte) bool {
	text := view(raw)
	for _, n := range q.order {
		if p := q.terms[n].piece; p != nil && !p.inValue(text) {
			return false
		}
	}
	return len(q.terms) > 0
}

// Within reports whether all terms occur in text. text is not kept.
func (q Query) Within(text []byte) bool {
	for _, n := range q.order {
		if _, ok := q.terms[n].find(view(text)); !ok {
			return false
		}
	}
	return len(q.terms) > 0
}

// view is bytes as a string, which is to be forgotten before they change: they may be
// memory that is mapped from a file, or used again, and far too many to copy.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// inValue reports whether t stands somewhere in JSON but in the name of a field.
func (t *term) inValue(raw string) bool {
	s := t.in(raw)
	for at, ok := s.find(0); ok; at, ok = s.find(at.End) {
		if !named(raw, at) {
			return true
		}
	}
	return false
}

// named reports whether a place lies in the name of a field: between quotation marks
// that are not escaped, with a colon behind them, and with nothing between them but
// what our names are made of.
func named(raw string, at Span) bool {
	for at.Start > 0 && inName(raw[at.Start-1]) {
		at.Start--
	}
	for at.End < len(raw) && inName(raw[at.End]) {
		at.End++
	}
	return strings.HasPrefix(raw[at.End:], `":`) && at.Start > 1 && raw[at.Start-1] == '"' && raw[at.Start-2] != '\\'
}

func inName(c byte) bool { return 'a' <= c && c <= 'z' || c == '_' }

// longest is the longest piece of a term that JSON leaves as it is, "" if there is
// none.
func longest(said string) string {
	best := ""
	for piece := range strings.FieldsFuncSeq(said, rewritten) {
		if len(piece) > len(best) {
			best = piece
		}
	}
	return best
}

// rewritten reports whether a character may stand otherwise in the JSON of a text.
func rewritten(r rune) bool { return r < 0x20 || r == '"' || r == '\\' || unicode.IsSpace(r) }
