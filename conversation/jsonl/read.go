package jsonl

import (
	"bufio"
	"bytes"
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
//   - What a message is made of (role, content, calls) has to have the right types;
//     any other field of a wrong type is ignored.
//   - Results without an id answer the oldest open call of the newest reply, and
//     calls without an id get one.

const (
	maxLine     = 64 << 20 // the longest line that is read, in bytes
	maxProblems = 1000     // lines that may be left out of a file
)

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

// Read reads a file and returns the lines that were left out with it. The error
// is ErrEmpty, ErrNoMessages, or that of r.
func Read(r io.Reader) (Document, []Problem, error) {
	f := file{names: map[string]string{}}
	var problems []Problem
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	begun := false
	for lines.Scan() {
		f.number++
		text := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(text) == 0 {
			continue
		}
		begun = true
		if err := f.take(text); err != nil {
			problems = append(problems, Problem{f.number, err.Error()})
		}
		if len(problems) > maxProblems {
			return Document{}, nil, fmt.Errorf("more than %d lines cannot be read; the first is %w", maxProblems, &problems[0])
		}
	}
	switch err := lines.Err(); {
	case err != nil:
		return Document{}, nil, fmt.Errorf("reading line %d: %w", f.number+1, err)
	case !begun:
		return Document{}, nil, ErrEmpty
	case len(f.doc.Messages) == 0:
		return Document{}, problems, ErrNoMessages
	}
	return f.doc, problems, nil
}

// file is a file that is being read.
type file struct {
	number int // of the line
	doc    Document
	names  map[string]string // tools of calls
	open   []string          // calls of the newest reply that have no result yet
}

// take reads a line.
func (f *file) take(text []byte) error {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return reason(err)
	}
	if l.Meta != nil && l.Role == nil {
		m := l.Meta.v
		f.doc.Meta = Meta{Title: m.Title.v, Model: m.Model.v, Created: m.Created.v.UTC()}
		return nil
	}
	if l.Role == nil {
		return errors.New(`it has no "role", so it is not a chat-completions message`)
	}
	m := Message{Line: f.number, Role: Role(*l.Role)}
	if ms := l.Time.v; ms > 0 && ms < timesEnd {
		m.Time = time.UnixMilli(ms).UTC()
	}
	if l.Content != nil {
		m.Text = string(*l.Content)
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
		return fmt.Errorf("the role %q is not one of system, developer, user, assistant, tool", conversation.OneLine(*l.Role, mostShown))
	}
	f.doc.Messages = append(f.doc.Messages, m)
	return nil
}

// timesEnd is the year 10000 in milliseconds: JSON cannot write later times.
const timesEnd = 253402300800000

// reply is what only replies have.
func (f *file) reply(l *line) Reply {
	r := Reply{Reasoning: l.Reasoning.v, Stop: conversation.StopEnd}
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
	if u := l.Usage.v; u.Prompt != nil || u.Completion != nil {
		r.Usage = &conversation.Usage{Prompt: tokens(u.Prompt), Cached: tokens(u.Details.Cached), CacheWrite: -1,
			Completion: tokens(u.Completion), Reasoning: -1}
	}
	return r
}

// tokens is a number that was reported, -1 if it is unknown.
func tokens(n *uint32) int {
	if n == nil {
		return -1
	}
	return int(*n)
}

// result is what only results have.
func (f *file) result(l *line) Result {
	r := Result{CallID: l.CallID, Status: conversation.ResultOK}
	if r.CallID == "" && len(f.open) > 0 {
		r.CallID = f.open[0]
	}
	if i := slices.Index(f.open, r.CallID); i >= 0 {
		f.open = slices.Delete(f.open, i, i+1)
	}
	r.Tool = f.names[r.CallID]
	if r.Tool == "" {
		r.Tool = l.Name.v
	}
	r.Tool = conversation.Clean(r.Tool)
	switch {
	case l.Synthetic.v:
		r.Status = conversation.ResultInterrupted
	case l.IsError.v:
		r.Status = conversation.ResultError
	}
	return r
}

// arguments is what a call passes, usually a text that holds a JSON object.
func arguments(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text // null reads as ""
	}
	var b bytes.Buffer
	_ = json.Compact(&b, raw) // it is JSON
	return b.String()
}

// reason says what is wrong with a line that is no JSON of the right form.
func reason(err error) error {
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
