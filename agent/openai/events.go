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

// A reply arrives as server-sent events. The rules for reading them:
//
//   - a blank line ends an event, and so does a further line after complete data: some servers leave blank lines out
//   - several data lines of one event are joined; CR, LF and CRLF all end lines
//   - comments and pings are keep-alives
//   - a body that begins with { [ or < is not a stream: it is one event
//   - if the connection ends inside an event, the event counts only if its data is complete

type eventKind byte

const (
	eventData  eventKind = '='
	eventError eventKind = '!' // an event with the name "error"
	eventAlive eventKind = ':' // a keep-alive
	eventBody  eventKind = '~' // a whole body that is not a stream
	eventJunk  eventKind = '#' // the beginning of a body in an unknown format
)

const (
	maxLine = 4 << 20
	maxBody = 16 << 20
	maxJunk = 512
)

// event is one event of a stream, or a whole body. Its data is valid until the next one is read.
type event struct {
	kind eventKind
	data []byte
}

type eventReader struct {
	src    io.Reader
	lines  *bufio.Scanner // nil before the first byte
	skipLF bool           // the last byte was a CR
	cut    bool           // the body ended inside its last line
	held   bool           // the last line belongs to the next event
	seen   bool           // an event other than a keep-alive came
	junk   []byte

	// The event that is being read.
	name  string
	data  []byte
	has   bool // it has data, which may be empty
	tries int  // how often its data was checked for being complete
}

// next returns the next event, io.EOF after the last one.
func (s *eventReader) next() (event, error) {
	if s.lines == nil {
		if body, err := s.skipToFirst(); body != nil || err != nil {
			return event{eventBody, body}, err
		}
	}
	for s.held || s.lines.Scan() {
		s.held = false
		e, ok := s.addLine(s.lines.Bytes())
		if len(s.data) > maxLine {
			return event{}, tooLongError("an event of the stream is longer than 4 MiB")
		}
		if ok {
			s.seen = s.seen || e.kind != eventAlive
			return e, nil
		}
	}
	return s.atEnd()
}

// skipToFirst skips white space and a byte order mark before the first event. It returns the body if that is not a stream.
func (s *eventReader) skipToFirst() (body []byte, err error) {
	src := bufio.NewReader(s.src)
	first, err := src.ReadByte()
	for err == nil && bytes.IndexByte([]byte(" \t\r\n\x00\xEF\xBB\xBF"), first) >= 0 {
		first, err = src.ReadByte()
	}
	if err != nil && err != io.EOF {
		return nil, brokenError(err)
	}
	if err == nil {
		_ = src.UnreadByte() // fails only where nothing was read
	}
	if first == '{' || first == '[' || first == '<' {
		if body, err = io.ReadAll(io.LimitReader(src, maxBody+1)); err != nil {
			return nil, brokenError(err)
		}
		if len(body) > maxBody {
			return nil, tooLongError("the answer is no stream and longer than 16 MiB")
		}
	}
	s.lines = bufio.NewScanner(src)
	s.lines.Buffer(make([]byte, 16<<10), maxLine)
	s.lines.Split(s.split)
	return body, nil
}

// split is the bufio.SplitFunc for lines that end with CR, LF or CRLF.
func (s *eventReader) split(data []byte, atEOF bool) (advance int, line []byte, err error) {
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

// addLine adds a line to the current event. It returns an event if the line ends one, or is one itself.
func (s *eventReader) addLine(line []byte) (e event, ok bool) {
	if len(line) == 0 {
		return s.dispatch()
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	// JSON on a line of its own is an event: errors in the middle of a stream come like that, Gemini's as a list.
	bare := (line[0] == '{' || line[0] == '[') && json.Valid(line)
	field := string(name)
	if (bare || field == "data" || field == "event") && s.isComplete() {
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

// isComplete reports whether the data so far is a whole event. It checks the last byte first, because scanning is slow, and
// scans an event of many lines only a few times.
func (s *eventReader) isComplete() bool {
	d := bytes.TrimRight(s.data, " \t")
	if !s.has || s.tries > 16 || !bytes.HasSuffix(d, []byte("}")) && !bytes.HasSuffix(d, []byte("]")) {
		return false
	}
	s.tries++
	return isDone(d) || json.Valid(d)
}

func isDone(d []byte) bool { return string(d) == "[DONE]" }

// dispatch ends the current event, and reports whether it has data.
func (s *eventReader) dispatch() (e event, ok bool) {
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

// atEnd returns what is left when the body has ended: an event, the junk, or the error.
func (s *eventReader) atEnd() (event, error) {
	err := s.lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		return event{}, tooLongError("a line of the stream is longer than 4 MiB")
	}
	if s.isComplete() || err == nil && !s.cut {
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
	return event{}, brokenError(err)
}

func brokenError(err error) error { return fmt.Errorf("the connection broke: %w", err) }

func tooLongError(what string) error {
	return &llm.Error{Class: llm.Malformed, Message: what, NoRetry: true}
}
