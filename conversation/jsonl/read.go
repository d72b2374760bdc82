package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Rules of reading:
//   - One line is held at a time. One longer than the limit is passed over
//     without being held.
//   - What a message is made of (role, content, calls) has to have the right types;
//     any other field of a wrong type is ignored.
//   - A line that cannot be read ends the reading, or, where that is asked for,
//     is left out and reported.
//   - Results find their call by its id; without one they answer the oldest
//     open call of the newest reply, and calls without an id get one.

// MaxLine is the longest line that is read, in bytes, unless the caller says otherwise.
const MaxLine = 64 << 20

// maxProblems is how many problems are reported; all are counted.
const maxProblems = 1000

// Errors of files that hold no conversation.
var (
	ErrEmpty      = errors.New("the file is empty")
	ErrNoMessages = errors.New("the file has no messages")
)

// Problem is a line that cannot be read. It is an error.
type Problem struct {
	Line   int // from 1
	Reason string
}

// Error names the line and what is wrong with it.
func (p *Problem) Error() string { return fmt.Sprintf("line %d: %s", p.Line, p.Reason) }

// ReadOptions say how to read. The zero value stops at the first problem.
type ReadOptions struct {
	Lenient bool // leave out lines that cannot be read
	MaxLine int  // bytes, 0: MaxLine
}

// Read reads a file. The error is a *Problem, ErrEmpty, ErrNoMessages, or that
// of r. Where problems are left out, the first thousand are returned, also
// together with ErrNoMessages.
func Read(r io.Reader, o ReadOptions) (Document, []Problem, error) {
	if o.MaxLine <= 0 {
		o.MaxLine = MaxLine
	}
	f := file{lines: lines{from: bufio.NewReaderSize(r, 1<<16), max: o.MaxLine}, open: newOpenCalls()}
	for {
		line, state, err := f.lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Document{}, nil, fmt.Errorf("reading line %d: %w", f.lines.number, err)
		}
		p := f.take(line, state)
		if p == nil {
			continue
		}
		if !o.Lenient {
			return Document{}, nil, p
		}
		f.doc.Skipped++
		if len(f.problems) < maxProblems {
			f.problems = append(f.problems, *p)
		}
	}
	switch {
	case len(f.doc.Messages) > 0:
		return f.doc, f.problems, nil
	case !f.begun:
		return Document{}, nil, ErrEmpty
	}
	return Document{}, f.problems, ErrNoMessages
}

// file is a file that is being read.
type file struct {
	lines    lines
	doc      Document
	problems []Problem
	open     *openCalls
	begun    bool // a line that is not blank has come
}

// take reads a line; nil if it is right or blank.
func (f *file) take(line []byte, state lineState) *Problem {
	fail := func(reason string) *Problem { return &Problem{Line: f.lines.number, Reason: reason} }
	if state == lineTooLong {
		f.begun = true
		return fail(fmt.Sprintf("longer than %d bytes", f.lines.max))
	}
	if !f.begun {
		if bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff")) {
			f.begun = true
			return fail("the file is UTF-16; it has to be UTF-8")
		}
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	first := !f.begun
	f.begun = true
	var w wireLine
	if err := json.Unmarshal(line, &w); err != nil {
		p := fail(reason(err))
		if state == lineUnended && endsEarly(line, err) {
			p.Reason = "the file ends in the middle of this line"
		}
		return p
	}
	if w.Meta != nil && w.Role == nil {
		if !first {
			return fail("a meta line comes before all messages; these may be two files in one")
		}
		f.doc.Meta = metaOf(w.Meta)
		return nil
	}
	m, err := w.message()
	if err != nil {
		return fail(err.Error())
	}
	m.Line = f.lines.number
	f.open.match(&m)
	f.doc.Messages = append(f.doc.Messages, m)
	return nil
}

// reason says what is wrong with a line that is no JSON of the right form.
func reason(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return "not JSON: " + syntax.Error()
	case errors.As(err, &kind) && kind.Field == "":
		return "a JSON " + kind.Value + ", not an object; write each message on its own line"
	case errors.As(err, &kind):
		return fmt.Sprintf("%q is of the wrong type: %s", kind.Field, kind.Value)
	}
	return err.Error()
}

// endsEarly reports whether text is JSON up to where it ends.
func endsEarly(text []byte, err error) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax) && syntax.Offset >= int64(len(text))
}
