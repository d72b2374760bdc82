package find

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How a term is found:
//   - Each of its letters is the set of characters that fold to it. The rarest letter is the anchor: its forms are found
//     by a fast byte search, and at each of them the other letters are compared.
//   - The forms of one letter can have different lengths (k and the Kelvin sign), and so can white space in a phrase. So
//     a match is extended from the anchor in both directions, character by character.
//   - A byte that is not UTF-8 equals no letter.

// term is a word or a phrase.
type term struct {
	text    string // each run of white space as one space
	letters []letter
	anchor  int      // index of the letter that is searched for
	forms   []string // of the anchor
	piece   *term    // its longest piece that is the same in JSON, nil if it has none
}

// letter is a character with all characters that fold to it.
type letter struct {
	space bool   // a run of white space
	ascii bool   // has forms below U+0080
	a, b  byte   // the ASCII forms, equal if there is only one
	other []rune // the other forms
}

func newTerm(text string) term {
	t := withoutPiece(text)
	if piece := longest(text); piece != "" {
		t.piece = new(withoutPiece(piece))
	}
	return t
}

func withoutPiece(text string) term {
	t := term{text: text}
	best := 0
	for _, r := range text {
		l := letterOf(r)
		if common := l.commonness(); !l.space && (len(t.forms) == 0 || common < best) {
			best, t.anchor, t.forms = common, len(t.letters), l.forms()
		}
		t.letters = append(t.letters, l)
	}
	return t
}

func letterOf(r rune) letter {
	l := letter{space: unicode.IsSpace(r)}
	for f := r; ; {
		switch {
		case f >= utf8.RuneSelf:
			l.other = append(l.other, f)
		case l.ascii:
			l.b = byte(f)
		default:
			l.ascii, l.a, l.b = true, byte(f), byte(f)
		}
		if f = unicode.SimpleFold(f); f == r {
			return l
		}
	}
}

func (l letter) forms() []string {
	var out []string
	if l.ascii {
		out = append(out, string(l.a))
		if l.b != l.a {
			out = append(out, string(l.b))
		}
	}
	for _, r := range l.other {
		out = append(out, string(r))
	}
	return out
}

// byCommonness lists the characters of English, code and JSON, the most frequent first.
const byCommonness = "\"etaionsrlcdmpuhgfy,:_bv1.0w(){};-/2=k3x45968*7jzq<>'[]&+`!#%$?@|^~\\"

// commonness ranks letters by how often texts contain them, roughly. All letters above ASCII are rare; of those, the ones
// with fewer forms rank lower, because they need fewer searches.
func (l letter) commonness() int {
	if !l.ascii {
		return len(l.other)
	}
	c := l.a
	if l.b != l.a {
		c = l.a | 0x20
	}
	if i := strings.IndexByte(byCommonness, c); i >= 0 {
		return 10 + len(byCommonness) - i
	}
	return 10
}

// rarer compares terms by how rarely texts contain them, the rarest first: the longest, and of equally long ones the one
// with the rarest letter.
func (t *term) rarer(o *term) int {
	if d := len(o.letters) - len(t.letters); d != 0 {
		return d
	}
	return t.letters[t.anchor].commonness() - o.letters[o.anchor].commonness()
}

// maxForms is the largest number of forms of a letter; a test checks it against Unicode.
const maxForms = 4

// search finds the matches of a term in a text, one after another. It remembers the next position of each form of the
// anchor, so that it reads the text once per form.
type search struct {
	t    *term
	text string
	next [maxForms]int
}

func (t *term) in(text string) search {
	s := search{t: t, text: text}
	for i, f := range t.forms {
		s.next[i] = index(text, 0, f)
	}
	return s
}

func (t *term) find(text string) (Span, bool) {
	s := t.in(text)
	return s.find(0)
}

// find returns the first match that begins at from or later. from must not decrease from call to call.
func (s *search) find(from int) (Span, bool) {
	forms := s.t.forms
	for {
		n := 0
		for i := 1; i < len(forms); i++ {
			if s.next[i] < s.next[n] {
				n = i
			}
		}
		at := s.next[n]
		if at >= len(s.text) {
			return Span{}, false
		}
		s.next[n] = index(s.text, at+1, forms[n])
		if at < from {
			continue
		}
		if end, ok := s.t.forward(s.text, at+len(forms[n])); ok {
			if start, ok := s.t.backward(s.text, from, at); ok {
				return Span{start, end}, true
			}
		}
	}
}

// index returns the position of form in text at from or later, len(text) if there is none.
func index(text string, from int, form string) int {
	if i := strings.Index(text[from:], form); i >= 0 {
		return from + i
	}
	return len(text)
}

// forward compares the letters after the anchor, which ends at i, and returns where they end.
func (t *term) forward(text string, i int) (int, bool) {
	for n := t.anchor + 1; n < len(t.letters); n++ {
		w := t.letters[n].width(text[i:], false)
		if w == 0 {
			return 0, false
		}
		i += w
	}
	return i, true
}

// backward compares the letters before the anchor, which starts at i, and returns where they start, not before from.
func (t *term) backward(text string, from, i int) (int, bool) {
	for n := t.anchor - 1; n >= 0; n-- {
		w := t.letters[n].width(text[from:i], true)
		if w == 0 {
			return 0, false
		}
		i -= w
	}
	return i, true
}

// width returns how many bytes l takes at the beginning of text, or at its end; 0 if it is not there.
func (l *letter) width(text string, atEnd bool) int {
	if text == "" {
		return 0
	}
	c := text[0]
	if atEnd {
		c = text[len(text)-1]
	}
	if c < utf8.RuneSelf && !l.space {
		if l.is(c) {
			return 1
		}
		return 0
	}
	for size := 0; ; {
		r, w := utf8.DecodeRuneInString(text[size:])
		if atEnd {
			r, w = utf8.DecodeLastRuneInString(text[:len(text)-size])
		}
		if !l.holds(r, w) {
			return size
		}
		if size += w; !l.space {
			return size
		}
	}
}

func (l *letter) is(c byte) bool { return l.ascii && (c == l.a || c == l.b) }

// holds reports whether r, decoded from w bytes, is a form of l.
func (l *letter) holds(r rune, w int) bool {
	switch {
	case w == 0 || r == utf8.RuneError && w == 1:
		return false
	case l.space:
		return unicode.IsSpace(r)
	case r < utf8.RuneSelf:
		return l.is(byte(r))
	}
	return slices.Contains(l.other, r)
}
