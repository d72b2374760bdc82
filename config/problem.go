// Problems are messages for the user. Rules:
//
//   - The first line says where and what, the second quotes the offending line, the third says what to do.
//   - Text of the file is not trusted: control characters, bidirectional overrides and very long lines never reach the
//     terminal unescaped, and possible secrets are hidden.

package config

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Problem is one error in the configuration. Its Error is a message for the user of one to three lines, without a final
// newline, safe for a terminal and without secrets.
type Problem struct {
	File    string // the file as opened, or "--cfg" for an override
	Line    int    // 1-based; 0 when the problem is about the file as a whole
	Key     string // dotted path, such as compaction.trigger_ratio; "" if no key is affected
	Message string // what is wrong
	Hint    string // what to do, or the nearest known key as a question; may be ""
	Text    string // the offending line without its indentation, made safe to print; "" if there is no line
}

// Error joins file, line and message, the offending line, and the hint.
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

// Problems are all problems of a load, in the order of layers and lines. [errors.As] finds the first [Problem].
type Problems []*Problem

// Error joins the messages of all problems.
func (ps Problems) Error() string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap returns the problems as errors.
func (ps Problems) Unwrap() []error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errs
}

// maxProblems is how many problems are reported.
const maxProblems = 20

// asError returns the problems as an error: at most maxProblems and the count of the others, or nil without a problem.
func (ps Problems) asError() error {
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

// printable makes text safe for a terminal and cuts it after maxQuoted characters.
func printable(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxQuoted {
			return escape(s[:i]) + "…"
		}
	}
	return escape(s)
}

// escape makes text safe for a terminal: characters that are not printable become escape sequences.
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

// quote quotes a word of the file for a message, and hides API keys in it.
func quote(s string) string { return `"` + printable(keyShaped().ReplaceAllString(s, hidden)) + `"` }
