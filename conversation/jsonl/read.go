package jsonl

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"plimsoll/conversation"
)

// Rules of reading:
//   - A line that cannot be read is left out and reported.
//   - The fields role, content and tool_calls must have the right types; any other field of a wrong type is ignored.
//   - A result without an id answers the oldest unanswered call of the newest reply; a call without an id gets one.

const (
	maxLine     = 64 << 20 // the longest line that is read, in bytes
	maxProblems = 1000     // lines that may be left out of a file
)

// Errors of files without a conversation.
var (
	ErrEmpty      = errors.New("the file is empty")
	ErrNoMessages = errors.New("the file has no messages")
)

// Problem is the error of a line that cannot be read.
type Problem struct {
	Line   int // from 1; 0 if it is not about one line
	Reason string
}

// MarshalJSON writes the line, null if the problem is not about one, and the reason.
func (p Problem) MarshalJSON() ([]byte, error) {
	fields := map[string]any{"line": p.Line, "reason": p.Reason}
	if p.Line == 0 {
		fields["line"] = nil
	}
	return conversation.EncodeJSON(fields)
}

// Error returns the line number and the reason.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.Reason
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Reason)
}

// Read reads a file. It returns the lines that cannot be read as problems. The error is ErrEmpty, ErrNoMessages, or that
// of r.
func Read(r io.Reader) (Document, []Problem, error) {
	f := file{names: map[string]string{}}
	problems, err := EachLine(r, func(number int, text []byte) error {
		f.number = number
		return f.addLine(text)
	})
	switch {
	case err != nil:
		return Document{}, nil, err
	case len(f.doc.Messages) == 0:
		return Document{}, problems, ErrNoMessages
	}
	return f.doc, problems, nil
}

// EachLine calls add with each line of r that is not blank, and its number from 1. The text is valid until add returns. It
// returns the errors of add as problems. The error is ErrEmpty, that there are too many problems, or that of r.
func EachLine(r io.Reader, add func(number int, text []byte) error) ([]Problem, error) {
	var problems []Problem
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	begun, number := false, 0
	for lines.Scan() {
		number++
		text := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(text) == 0 {
			continue
		}
		begun = true
		if err := add(number, text); err != nil {
			problems = append(problems, Problem{number, Reason(err).Error()})
		}
		if len(problems) > maxProblems {
			return nil, fmt.Errorf("more than %d lines cannot be read; the first is %w", maxProblems, &problems[0])
		}
	}
	switch err := lines.Err(); {
	case err != nil:
		return nil, fmt.Errorf("reading line %d: %w", number+1, err)
	case !begun:
		return nil, ErrEmpty
	}
	return problems, nil
}

// file is the state of reading a file.
type file struct {
	number int // of the current line
	doc    Document
	names  map[string]string // names of the called tools by call id
	open   []string          // ids of calls of the newest reply without a result
}

func (f *file) addLine(text []byte) error {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	if l.Meta != nil && l.Role == nil {
		m := l.Meta.value
		f.doc.Meta = Meta{Title: m.Title.value, Model: m.Model.value, Created: m.Created.value.UTC(), Stitched: m.Stitched.value}
		return nil
	}
	if l.Role == nil {
		return errors.New(`it has no "role", so it is not a chat-completions message`)
	}
	m := Message{Line: f.number, Role: Role(*l.Role)}
	if ms := l.Time.value; ms > 0 && ms < timesEnd {
		m.Time = time.UnixMilli(ms).UTC()
	}
	if l.Content != nil {
		m.Text, m.Images = l.Content.text, l.Content.pictures
	}
	switch m.Role {
	case "developer":
		m.Role = RoleSystem
	case RoleSystem, RoleUser:
	case RoleAssistant:
		m.Reply = f.reply(&l)
	case RoleTool:
		m.Result = f.result(&l)
	default:
		return fmt.Errorf("the role %q is not one of system, developer, user, assistant, tool", conversation.OneLine(*l.Role, maxQuoted))
	}
	f.doc.Messages = append(f.doc.Messages, m)
	return nil
}

// timesEnd is the year 10000 in milliseconds: JSON cannot represent later times.
const timesEnd = 253402300800000

func (f *file) reply(l *line) Reply {
	r := Reply{Reasoning: l.Reasoning.value, Stop: conversation.StopEnd}
	f.open = nil
	for i, c := range l.Calls {
		r.Stop = conversation.StopCalls
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d_%d", f.number, i+1)
		}
		f.names[c.ID] = c.Function.Name
		f.open = append(f.open, c.ID)
		r.Calls = append(r.Calls, conversation.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: arguments(c.Function.Arguments)})
	}
	if u := l.Usage.value; u.Prompt != nil || u.Completion != nil {
		r.Usage = &conversation.Usage{Prompt: tokens(u.Prompt), Cached: tokens(u.Details.Cached), CacheWrite: -1,
			Completion: tokens(u.Completion), Reasoning: -1}
	}
	return r
}

// tokens returns a reported number, -1 if it is missing.
func tokens(n *uint32) int {
	if n == nil {
		return -1
	}
	return int(*n)
}

// result returns the fields of a tool result.
func (f *file) result(l *line) Result {
	r := Result{CallID: l.CallID, Status: conversation.ResultOK}
	if r.CallID == "" && len(f.open) > 0 {
		r.CallID = f.open[0]
	}
	if i := slices.Index(f.open, r.CallID); i >= 0 {
		f.open = slices.Delete(f.open, i, i+1)
	}
	r.Tool = conversation.Clean(cmp.Or(f.names[r.CallID], l.Name.value))
	switch {
	case l.Synthetic.value:
		r.Status = conversation.ResultInterrupted
	case l.IsError.value:
		r.Status = conversation.ResultError
	}
	return r
}

// arguments returns the arguments of a call, usually a JSON object as text.
func arguments(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text // null reads as ""
	}
	var b bytes.Buffer
	_ = json.Compact(&b, raw) // it is JSON
	return b.String()
}

// Reason returns what is wrong with a line, if err is of its JSON; else err.
func Reason(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON: %w", err)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("a JSON %s, not an object; write each message on its own line", kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("%q is of the wrong type: %s", kind.Field, kind.Value)
	}
	return err
}
