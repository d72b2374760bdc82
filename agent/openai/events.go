package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"plimsoll/agent/llm"
)

// A reply arrives as events. Their rules:
//
//   - a blank line ends an event, and so does a further line where its data is complete: some servers leave blank lines out
//   - several data lines of one event are joined; CR, LF and CRLF all end lines
//   - comments and pings are keep-alives
//   - a body that begins with { [ or < is no stream: it is one event
//   - what a connection that ends cuts off counts only where its data is complete

type eventKind byte

const (
	eventData  eventKind = '='
	eventError eventKind = '!' // named error
	eventAlive eventKind = ':' // a keep-alive
	eventBody  eventKind = '~' // the whole body
	eventJunk  eventKind = '#' // the beginning of a body that is nothing known
)

const (
	maxLine = 4 << 20
	maxBody = 16 << 20
	maxJunk = 512
)

// event is one event of a body, or all of it. Its data is good until the next one is read.
type event struct {
	kind eventKind
	data []byte
}

type events struct {
	src    io.Reader
	lines  *bufio.Scanner // nil before the first byte
	skipLF bool           // the last byte was a CR
	cut    bool           // the end of the body cut the last line off
	held   bool           // the last line belongs to the next event
	seen   bool           // something but keep-alives came
	junk   []byte

	// Of the event that arrives.
	name  string
	data  []byte
	has   bool // it has data, even if that is empty
	tries int  // how often data was looked at to see whether it is complete
}

func (s *events) next() (event, error) {
	if s.lines == nil {
		if body, err := s.begin(); body != nil || err != nil {
			return event{eventBody, body}, err
		}
	}
	for s.held || s.lines.Scan() {
		s.held = false
		e, ok := s.line(s.lines.Bytes())
		if len(s.data) > maxLine {
			return event{}, tooLong("an event of the stream is longer than 4 MiB")
		}
		if ok {
			s.seen = s.seen || e.kind != eventAlive
			return e, nil
		}
	}
	return s.end()
}

// begin skips what may stand before the first byte that counts, a byte order mark among it. It returns the body if that is
// no stream.
func (s *events) begin() (body []byte, err error) {
	src := bufio.NewReader(s.src)
	first, err := src.ReadByte()
	for err == nil && bytes.IndexByte([]byte(" \t\r\n\x00\xEF\xBB\xBF"), first) >= 0 {
		first, err = src.ReadByte()
	}
	if err != nil && err != io.EOF {
		return nil, broke(err)
	}
	if err == nil {
		_ = src.UnreadByte() // fails only where nothing was read
	}
	if first == '{' || first == '[' || first == '<' {
		if body, err = io.ReadAll(io.LimitReader(src, maxBody+1)); err != nil {
			return nil, broke(err)
		}
		if len(body) > maxBody {
			return nil, tooLong("the answer is no stream and longer than 16 MiB")
		}
	}
	s.lines = bufio.NewScanner(src)
	s.lines.Buffer(make([]byte, 16<<10), maxLine)
	s.lines.Split(s.split)
	return body, nil
}

func (s *events) split(data []byte, atEOF bool) (advance int, line []byte, err error) {
	if s.skipLF && len(data) > 0 {
		if s.skipLF = false; data[0] == '\n' {
			advance, data = 1, data[1:]
		}
	}
	if end := bytes.IndexAny(data, "\r\n"); end >= 0 {
		s.skipLF = data[end] == '\r'
		return advance + end + 1, data[:end], nil
	}
	if !atEOF || len(data) == 0 {
		return advance, nil, nil
	}
	s.cut = true
	return advance + len(data), data, nil
}

// line takes a line in, and returns the event that it ends, or is.
func (s *events) line(line []byte) (e event, ok bool) {
	if len(line) == 0 {
		return s.dispatch()
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	// JSON on a line of its own is an event: errors in the middle of a stream come like that, Gemini's as a list.
	bare := (line[0] == '{' || line[0] == '[') && json.Valid(line)
	field := string(name)
	if (bare || field == "data" || field == "event") && s.complete() {
		s.held = true
		return s.dispatch()
	}
	switch {
	case bare:
		return event{eventData, line}, true
	case line[0] == ':':
		return event{kind: eventAlive}, true
	case field == "data":
		if s.has {
			s.data = append(s.data, ' ') // a line's end is white space in JSON
		}
		s.data, s.has = append(s.data, value...), true
	case field == "event":
		s.name = string(value)
	case field == "id" || field == "retry" || s.seen || strings.HasPrefix("data:", string(line)) || strings.HasPrefix("event:", string(line)):
	default: // it is shown if nothing better comes
		s.junk = append(append(s.junk, line...), ' ')
		s.junk = s.junk[:min(maxJunk, len(s.junk))]
	}
	return event{}, false
}

// complete reports whether the data so far is a whole event. The cheap look at its end spares scanning what cannot be; an
// event of many lines is scanned only a few times.
func (s *events) complete() bool {
	d := bytes.TrimRight(s.data, " \t")
	if !s.has || s.tries > 16 || !bytes.HasSuffix(d, []byte("}")) && !bytes.HasSuffix(d, []byte("]")) {
		return false
	}
	s.tries++
	return isDone(d) || json.Valid(d)
}

func isDone(d []byte) bool { return string(d) == "[DONE]" }

// dispatch ends the event that arrives, and reports whether there is one.
func (s *events) dispatch() (e event, ok bool) {
	e = event{eventData, s.data}
	switch {
	case s.name == "ping" || s.name == "keepalive" || len(s.data) == 0:
		e = event{kind: eventAlive}
	case s.name == "error":
		e.kind = eventError
	}
	ok = s.has
	s.name, s.data, s.has, s.tries = "", s.data[:0], false, 0
	return e, ok
}

func (s *events) end() (event, error) {
	err := s.lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		return event{}, tooLong("a line of the stream is longer than 4 MiB")
	}
	if s.complete() || err == nil && !s.cut {
		if e, ok := s.dispatch(); ok {
			s.seen = true
			return e, nil
		}
	}
	if junk := s.junk; !s.seen && len(junk) > 0 {
		s.junk = nil
		return event{eventJunk, junk}, nil
	}
	if err == nil {
		return event{}, io.EOF
	}
	return event{}, broke(err)
}

func broke(err error) error { return fmt.Errorf("the connection broke: %w", err) }

func tooLong(what string) error {
	return &llm.Error{Class: llm.Malformed, Message: what, NoRetry: true}
}
