package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"plimsoll/agent/llm"
)

// Whatever a server sends comes as frames:
//
//   - events are separated by blank lines, or by the end of a line whose data
//     is complete (some servers leave the blank lines out)
//   - several data lines of one event are joined; CR, LF and CRLF all end lines
//   - comments and pings become frameAlive
//   - a body that begins with { [ or < is no stream: it is one frame
//   - a last line without its newline is marked, because it may be half
//
// The result does not depend on how the bytes were cut into reads.

// frameKind says what a frame is.
type frameKind byte

const (
	frameData  frameKind = '=' // the data of an event
	frameError frameKind = '!' // the data of an event named error
	frameCut   frameKind = '-' // data whose line the connection's end cut off
	frameAlive frameKind = ':' // a keep-alive
	frameBody  frameKind = '~' // the whole body
	frameJunk  frameKind = '#' // the beginning of a body that is nothing known
)

const (
	maxLine = 4 << 20
	maxBody = 16 << 20
	maxJunk = 512
)

// frame is one event of a body, or all of it.
type frame struct {
	kind frameKind
	data []byte
}

// frames reads a body frame by frame.
type frames struct {
	src io.Reader
	buf []byte
	out []frame // that were read and not taken
	err error

	begun  bool // something but space has come
	whole  bool // the body is no stream
	skipLF bool // the last byte was a CR
	seen   bool // a frame of data has been put out

	line  []byte
	data  []byte
	has   bool // data is an event's, even if empty
	tries int  // how often data was looked at to see whether it is complete
	event string
	body  []byte
	junk  []byte
}

func newFrames(src io.Reader) *frames {
	return &frames{src: src, buf: make([]byte, 16<<10)}
}

// next returns the next frame. At the end of the body the error is io.EOF.
func (f *frames) next() (frame, error) {
	for len(f.out) == 0 {
		if f.err != nil {
			return frame{}, f.err
		}
		n, err := f.src.Read(f.buf)
		f.feed(f.buf[:n])
		if err != nil && f.err == nil {
			f.finish(err)
		}
	}
	first := f.out[0]
	f.out = f.out[1:]
	return first, nil
}

// feed takes bytes as they come.
func (f *frames) feed(b []byte) {
	if f.err != nil {
		return
	}
	if !f.begun {
		if b = f.begin(b); len(b) == 0 {
			return
		}
	}
	if f.whole {
		f.body = append(f.body, b...)
		if len(f.body) > maxBody {
			f.fail("the answer is no stream and longer than 16 MiB")
		}
		return
	}
	for len(b) > 0 && f.err == nil {
		if f.skipLF {
			f.skipLF = false
			if b[0] == '\n' {
				b = b[1:]
				continue
			}
		}
		end := bytes.IndexAny(b, "\r\n")
		if end < 0 {
			f.extend(b)
			return
		}
		f.extend(b[:end])
		f.skipLF = b[end] == '\r'
		b = b[end+1:]
		f.endLine()
	}
}

// byteOrderMark may stand before a stream.
var byteOrderMark = []byte("\xEF\xBB\xBF")

// begin skips what may stand before the first byte that counts and looks at
// that byte. It returns what is left.
func (f *frames) begin(b []byte) []byte {
	f.line = append(f.line, b...)
	if len(f.line) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, f.line) {
		return nil
	}
	b = bytes.TrimLeft(bytes.TrimPrefix(f.line, byteOrderMark), " \t\r\n")
	if len(b) == 0 {
		f.line = f.line[:0]
		return nil
	}
	f.line = nil // b is its array
	f.begun = true
	f.whole = b[0] == '{' || b[0] == '[' || b[0] == '<'
	return b
}

func (f *frames) extend(b []byte) {
	if len(f.line)+len(b) > maxLine {
		f.fail("a line of the stream is longer than 4 MiB")
		return
	}
	f.line = append(f.line, b...)
}

func (f *frames) fail(what string) {
	f.err = &llm.Error{Class: llm.Malformed, Message: what, NoRetry: true}
}

func (f *frames) endLine() {
	line := f.line
	f.line = f.line[:0]
	if len(line) == 0 {
		f.dispatch(frameData)
		return
	}
	if line[0] == ':' {
		f.put(frameAlive, nil)
		return
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		f.addData(value)
	case "event":
		if f.complete() {
			f.dispatch(frameData)
		}
		f.event = string(value)
	case "id", "retry":
	default:
		f.stray(line)
	}
}

func (f *frames) addData(value []byte) {
	if f.complete() {
		f.dispatch(frameData)
	}
	if f.has {
		f.data = append(f.data, ' ') // a line's end is white space in JSON
	}
	if len(f.data)+len(value) > maxLine {
		f.fail("an event of the stream is longer than 4 MiB")
		return
	}
	f.data = append(f.data, value...)
	f.has = true
}

// complete reports whether the data so far is a whole event. The cheap
// look at its end spares scanning what cannot be; an event of many lines is
// scanned only a few times.
func (f *frames) complete() bool {
	if !f.has || f.tries > 16 {
		return false
	}
	d := bytes.TrimRight(f.data, " \t")
	if len(d) == 0 {
		return false
	}
	if last := d[len(d)-1]; last != '}' && last != ']' {
		return false
	}
	f.tries++
	return isDone(d) || json.Valid(d)
}

func isDone(d []byte) bool { return string(d) == "[DONE]" }

// stray takes a line that is no field: JSON is an event (errors in mid-stream
// come like that), anything else is kept to be shown if nothing better comes.
func (f *frames) stray(line []byte) {
	if (line[0] == '{' || line[0] == '[') && json.Valid(line) { // Gemini's is a list
		f.dispatch(frameData)
		f.put(frameData, line)
		return
	}
	if room := maxJunk - len(f.junk); room > 0 && !f.seen {
		f.junk = append(f.junk, line[:min(room, len(line))]...)
		f.junk = append(f.junk, ' ')
	}
}

// dispatch ends the event under way.
func (f *frames) dispatch(kind frameKind) {
	if f.has {
		switch {
		case f.event == "ping" || f.event == "keepalive" || len(f.data) == 0:
			kind = frameAlive
			f.data = f.data[:0]
		case f.event == "error":
			kind = frameError
		}
		f.put(kind, f.data)
	}
	f.data, f.has, f.event, f.tries = f.data[:0], false, "", 0
}

func (f *frames) put(kind frameKind, data []byte) {
	f.seen = f.seen || kind != frameAlive
	f.out = append(f.out, frame{kind, bytes.Clone(data)})
}

// finish takes the end of the body, err being io.EOF for a clean one.
func (f *frames) finish(err error) {
	clean := err == io.EOF
	switch {
	case f.whole && clean:
		f.put(frameBody, f.body)
	case f.whole:
	default:
		f.finishStream(clean)
	}
	if f.err == nil {
		f.err = err
	}
	if !clean && f.err == err {
		f.err = fmt.Errorf("the connection broke: %w", err)
	}
}

func (f *frames) finishStream(clean bool) {
	kind := frameData
	if len(f.line) > 0 && clean && !beginsField(f.line) {
		f.endLine()
		kind = frameCut
	}
	if f.has && (clean || f.complete()) {
		f.dispatch(kind)
	}
	if !f.seen && len(f.junk) > 0 {
		f.put(frameJunk, f.junk)
	}
}

// beginsField reports whether a line that the connection's end cut off is the
// beginning of a field: nothing of the stream came with it, and it is not junk.
func beginsField(line []byte) bool {
	return slices.ContainsFunc([]string{"data", "event", "id", "retry"}, func(name string) bool {
		return strings.HasPrefix(name, string(line))
	})
}
