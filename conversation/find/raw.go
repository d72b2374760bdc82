package find

import (
	"strings"
	"unicode"
	"unsafe"
)

// encoding/json, without its escaping for HTML, escapes quotation marks, backslashes, control characters, U+2028 and U+2029,
// and replaces bytes that are not UTF-8. All other text is the same in JSON. So the longest piece of a term without such
// characters, and without white space, which may be a line break, must occur in the JSON.

// MayMatchJSON reports whether raw, JSON that encoding/json made without escaping for HTML, may hold a string with all terms.
// False is certain. Names of fields do not count. raw is not kept.
func (q Query) MayMatchJSON(raw []byte) bool {
	text := view(raw)
	for _, n := range q.order {
		if p := q.terms[n].piece; p != nil && !p.inValue(text) {
			return false
		}
	}
	return len(q.terms) > 0
}

// MatchesBytes reports whether all terms occur in text. text is not kept.
func (q Query) MatchesBytes(text []byte) bool {
	for _, n := range q.order {
		if _, ok := q.terms[n].find(view(text)); !ok {
			return false
		}
	}
	return len(q.terms) > 0
}

// view returns bytes as a string without a copy, because they are many. The string must not be used after the bytes change:
// they may be memory that is mapped from a file, or a buffer.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// inValue reports whether t occurs in JSON outside the names of fields.
func (t *term) inValue(raw string) bool {
	s := t.in(raw)
	for at, ok := s.find(0); ok; at, ok = s.find(at.End) {
		if !isFieldName(raw, at) {
			return true
		}
	}
	return false
}

// isFieldName reports whether a match is inside the name of a field: between unescaped quotation marks with a colon after
// them, and only with characters of our field names between them.
func isFieldName(raw string, at Span) bool {
	for at.Start > 0 && inName(raw[at.Start-1]) {
		at.Start--
	}
	for at.End < len(raw) && inName(raw[at.End]) {
		at.End++
	}
	return strings.HasPrefix(raw[at.End:], `":`) && at.Start > 1 && raw[at.Start-1] == '"' && raw[at.Start-2] != '\\'
}

func inName(c byte) bool { return 'a' <= c && c <= 'z' || c == '_' }

// longest returns the longest piece of a term that is the same in JSON, "" if it has none.
func longest(text string) string {
	best := ""
	for piece := range strings.FieldsFuncSeq(text, isEscaped) {
		if len(piece) > len(best) {
			best = piece
		}
	}
	return best
}

// isEscaped reports whether a character can be different in the JSON of a text.
func isEscaped(r rune) bool { return r < 0x20 || r == '"' || r == '\\' || unicode.IsSpace(r) }
