package conversation

import (
	"errors"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// The JSON decoder unescapes a string with escapes (each text with line breaks has some)
// into a temporary copy before it allocates the string. The copies of long texts
// fragment the heap, and the operating system does not get that memory back. A
// textReader therefore unescapes all strings into one reused buffer.

// textReader reads the strings of events. Only one decoder uses it at a time.
type textReader struct {
	buffer []byte
	short  [256]string // recent short strings by a cheap hash: the same few (models, tools) recur
}

const (
	maxShort  = 64      // bytes; longer strings hardly recur
	maxBuffer = 1 << 20 // bytes; a larger buffer is not kept
)

var textReaderPool = sync.Pool{New: func() any { return new(textReader) }}

// readText reads a string as the decoder would, and leaves other values to the decoder.
func readText(d *jsontext.Decoder, to *string) error {
	if d.PeekKind() != '"' {
		return errors.ErrUnsupported
	}
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	t := textReaderPool.Get().(*textReader)
	defer textReaderPool.Put(t)
	// ReadValue has validated raw; invalid UTF-8 becomes U+FFFD.
	text, _ := jsontext.AppendUnquote(t.buffer[:0], raw)
	if cap(text) <= maxBuffer {
		t.buffer = text
	}
	*to = t.intern(text)
	return nil
}

// intern returns text as a string, and shares the memory of a short one that was read before.
func (t *textReader) intern(text []byte) string {
	if len(text) == 0 || len(text) > maxShort {
		return string(text)
	}
	known := &t.short[(len(text)*31+int(text[0])*7+int(text[len(text)-1]))%len(t.short)]
	if *known != string(text) {
		*known = string(text)
	}
	return *known
}
