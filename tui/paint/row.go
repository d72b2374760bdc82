package paint

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// A row is written from the last place up to which it is surely the same: every
// terminal agrees about the width of what stands before, so the column is known.

// A row is never written from within a link: what stands before is not compared beyond its beginning.
const (
	beginsLink = "\x1b]8;"
	endsLink   = "\x1b]8;;\a"
)

// row changes row y of the terminal.
func (p *Painter) row(y int, old, row string) {
	row = passable(row)
	if ansi.StringWidth(row) > p.width {
		row = ansi.Truncate(row, p.width, "")
	}
	at := same(old, row)
	rest := row[at.bytes:]
	p.moveTo(at.column, y)
	uncertain := !agreed(rest) || !agreed(old[at.bytes:])
	if uncertain {
		p.out.WriteString(ansi.EraseLineRight) // what stood there may be wider than it seems
	}
	p.write(at.styles + rest)
	if (at.styles != "" || strings.Contains(rest, "\x1b")) && !strings.HasSuffix(rest, ansi.ResetStyle) {
		p.out.WriteString(ansi.ResetStyle)
	}
	if strings.Contains(rest, beginsLink) && !strings.HasSuffix(rest, endsLink) {
		p.out.WriteString(endsLink) // it may have been cut
	}
	if !uncertain && at.column+ansi.StringWidth(rest) < p.width {
		p.out.WriteString(ansi.EraseLineRight)
	}
}

// write writes part of a row in the colours that the terminal has.
func (p *Painter) write(text string) {
	if p.Profile == colorprofile.TrueColor {
		p.out.WriteString(text)
		return
	}
	w := colorprofile.Writer{Forward: &p.out, Profile: max(p.Profile, colorprofile.NoTTY)}
	_, _ = w.WriteString(text) // a buffer takes all
}

// place is somewhere in a row.
type place struct {
	bytes, column int
	styles        string // in force
}

// same is the last place up to which two rows are the same on every terminal.
func same(old, row string) place {
	n := 0
	for n < len(old) && n < len(row) && old[n] == row[n] {
		n++
	}
	var at, best place
	for at.bytes < n {
		size, cells := 1, 1
		switch c := row[at.bytes]; {
		case c == '\x1b':
			size, cells = styleLen(row[at.bytes:]), 0
			if size == 0 || at.bytes+size > n {
				return best
			}
			at.styles = inForce(at.styles, row[at.bytes:at.bytes+size])
		case c < ' ' || c == 0x7f:
			return best
		case c >= utf8.RuneSelf:
			r, w := utf8.DecodeRuneInString(row[at.bytes:])
			if size = w; at.bytes+size > n || !narrow(r) {
				return best
			}
		}
		at.bytes, at.column = at.bytes+size, at.column+cells
		if alone(old[at.bytes:]) && alone(row[at.bytes:]) {
			best = at
		}
	}
	return best
}

// styleLen is how long the sequence is that a text begins with, if it sets styles; 0
// if it is another one.
func styleLen(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c < '0' || c > ';':
			return 0
		}
	}
	return 0
}

// inForce is the styles after one more sequence.
func inForce(styles, sequence string) string {
	if sequence == "\x1b[m" || sequence == "\x1b[0m" {
		return ""
	}
	return styles + sequence
}

// alone reports whether a text does not begin with something that joins the character
// before it.
func alone(s string) bool {
	if s == "" || s[0] < utf8.RuneSelf {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s)
	return narrow(r)
}

// agreed reports whether all terminals agree about the width of a text.
func agreed(s string) bool {
	for _, r := range s {
		if r >= utf8.RuneSelf && !narrow(r) {
			return false
		}
	}
	return true
}

// narrow reports whether every terminal shows a character beyond ASCII in one cell. It
// errs on the side of no.
func narrow(r rune) bool {
	switch {
	case r >= 0xA1 && r < 0x300 && r != 0xAD, // Latin
		r >= 0x2010 && r <= 0x2027, r >= 0x2030 && r <= 0x203B, // dashes, quotes, dots
		r >= 0x2190 && r <= 0x2193, // arrows
		r >= 0x2500 && r <= 0x25A1, // boxes, blocks
		r >= 0x2800 && r <= 0x28FF: // Braille
		return true
	}
	return false
}

// passable is a row with nothing in it but text, styles and links.
func passable(row string) string {
	if !strings.ContainsFunc(row, func(r rune) bool { return r < ' ' && r != '\x1b' || r == 0x7f }) && onlyStyles(row) {
		return row
	}
	var out strings.Builder
	var state byte
	parser := ansi.GetParser()
	defer ansi.PutParser(parser)
	for row != "" {
		part, width, n, next := ansi.DecodeSequence(row, state, parser)
		if width > 0 || styleLen(part) == len(part) || ansi.HasOscPrefix(part) && parser.Command() == 8 || part[0] >= 0xC0 {
			out.WriteString(part)
		}
		state, row = next, row[n:]
	}
	return out.String()
}

// onlyStyles reports whether all sequences of a text set styles.
func onlyStyles(s string) bool {
	for {
		i := strings.IndexByte(s, '\x1b')
		if i < 0 {
			return true
		}
		n := styleLen(s[i:])
		if n == 0 {
			return false
		}
		s = s[i+n:]
	}
}
