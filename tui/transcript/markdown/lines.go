package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/tui/pane"
)

// The functions here make lines clean: no trailing spaces, even between styles; every style and link closed; SGR and
// OSC 8 the only escape sequences; not wider than the width.

// Characters with a meaning to glamour in a table are replaced by noncharacter code points, which sanitised text cannot
// contain. Like the characters they replace, they are one cell wide.
const (
	backslash = "\uFDD0"
	ampersand = "\uFDD1"
)

var (
	toGlamour   = strings.NewReplacer(`\`, backslash, "&", ampersand, "\u00a0", " ", "\t", "    ")
	fromGlamour = strings.NewReplacer(backslash, `\`, ampersand, "&", "\u00a0", " ")
)

const reset = "\x1b[m"

// clean makes one line clean, except for its width.
func clean(line string) string {
	line = fromGlamour.Replace(line)
	if strings.IndexByte(line, '\x1b') < 0 {
		return strings.TrimRight(line, " ")
	}
	out := make([]byte, 0, len(line))
	end, open, openAtEnd, link, linkAtEnd := 0, false, false, false, false
	for i := 0; i < len(line); {
		c := line[i]
		if c != '\x1b' {
			out = append(out, c)
			if c != ' ' {
				end, openAtEnd, linkAtEnd = len(out), open, link
			}
			i++
			continue
		}
		seq, isStyle, isLink := escape(line[i:])
		if isStyle {
			open = seq != reset && seq != "\x1b[0m"
		}
		if isLink {
			link = seq != endLink
		}
		if isStyle || isLink {
			out = append(out, seq...)
		}
		i += len(seq)
	}
	out = out[:end]
	if openAtEnd {
		out = append(out, reset...)
	}
	if linkAtEnd {
		out = append(out, endLink...)
	}
	return string(out)
}

// escape returns the escape sequence that a text begins with, and whether it is SGR, or begins or ends a link.
func escape(s string) (seq string, isStyle, isLink bool) {
	_, _, n, _ := ansi.DecodeSequence(s, ansi.NormalState, nil)
	n = max(n, 1)
	seq = s[:n]
	isStyle = n >= 3 && seq[1] == '[' && seq[n-1] == 'm' && strings.Trim(seq[2:n-1], "0123456789;:") == ""
	return seq, isStyle, strings.HasPrefix(seq, "\x1b]8;") && seq[n-1] == ansi.BEL
}

// fit appends line to out, broken where it is wider than width; styles are closed and opened again at the breaks.
func fit(out []string, line string, width int) []string {
	if len(line) <= width || ansi.StringWidth(line) <= width {
		return append(out, line)
	}
	var b strings.Builder
	w := lipgloss.NewWrapWriter(&b)
	_, _ = w.Write([]byte(ansi.Hardwrap(line, width, true))) // a builder never fails
	_ = w.Close()
	for part := range strings.SplitSeq(b.String(), "\n") {
		out = append(out, clean(part))
	}
	return out
}

// trimBlank cuts the empty lines at both ends.
func trimBlank(lines []string) []string {
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// prefixed puts first before the first line and rest before the others.
func prefixed(lines []string, first, rest string) []string {
	if len(lines) == 0 {
		return []string{clean(first)}
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		p := rest
		switch {
		case i == 0:
			p = first
		case strings.HasPrefix(l, flush):
			p = ""
		}
		if out[i] = p + l; l == "" {
			out[i] = clean(p)
		}
	}
	return out
}

// plainLines wraps text without markup.
func plainLines(text string, width int) []string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		out = append(out, pane.Wrap(pane.ExpandTabs(line), width)...)
	}
	return out
}
