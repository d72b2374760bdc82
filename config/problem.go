// Problems are read by people. Rules:
//
//   - The first line says where and what, the second shows the offending line, the third what to do.
//   - Text of the file is hostile: control characters, bidirectional overrides and very long lines never reach the
//     terminal as they are, and what may be a secret is hidden.

package config

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Problem is one thing wrong with the configuration. Its Error is several lines of text for people, without a final
// newline, safe for a terminal and free of secrets.
type Problem struct {
	File    string // the file as opened, or "--cfg" for an override
	Line    int    // 1-based; 0 when the problem is about the file as a whole
	Column  int    // 1-based, in characters; 0 when unknown
	Key     string // dotted path, such as compaction.trigger_ratio; "" when there is none
	Message string // what is wrong
	Hint    string // what to do, or the nearest known key as a question; may be ""
	Text    string // the offending line without its indentation, made safe to print; "" when there is none
}

// Error is the whole text: place and message, the offending line, the hint.
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(printable(p.File))
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Key != "" {
		b.WriteString(printable(p.Key) + ": ")
	}
	b.WriteString(p.Message)
	if p.Text != "" {
		b.WriteString("\n    " + p.Text)
	}
	if p.Hint != "" {
		b.WriteString("\n  " + p.Hint)
	}
	return b.String()
}

// Problems is everything wrong with a load, in the order of layers and lines. [errors.As] finds the first [Problem].
type Problems []*Problem

// Error is the text of every problem, one after the other.
func (ps Problems) Error() string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap gives the single problems.
func (ps Problems) Unwrap() []error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errs
}

// maxProblems is how many problems of one file are worth reading.
const maxProblems = 20

// err is the problems as an error: nil for none, and at most maxProblems of them.
func (ps Problems) err() error {
	switch {
	case len(ps) == 0:
		return nil
	case len(ps) > maxProblems:
		more := &Problem{File: ps[maxProblems].File, Message: fmt.Sprintf("%d more problems", len(ps)-maxProblems)}
		return append(ps[:maxProblems:maxProblems], more)
	}
	return ps
}

// maxQuoted is how many characters of a line or value are shown.
const maxQuoted = 120

// printable makes text safe for a terminal and cuts it when it is long.
func printable(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxQuoted {
			return escape(s[:i]) + "…"
		}
	}
	return escape(s)
}

// escape makes text safe for a terminal: what is not a graphic character is shown as an escape.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t':
			b.WriteString("→   ")
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// quote is a word of the file inside a message.
func quote(s string) string { return `"` + printable(keyShaped().ReplaceAllString(s, hidden)) + `"` }
