package conversation

import (
	"errors"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// The decoder makes a copy of each string that holds an escape before it makes the
// string, and texts with line breaks do. The copies are as long as the texts, so they lie
// between them in memory and leave holes there that the system does not get back. Here
// one buffer takes all those copies.

// textReader reads the strings of events. It is used by one decoding at a time.
type textReader struct {
	buffer []byte
	short  [256]string // those read before, by a rough sum: the same few come over and over
}

const (
	maxShort  = 64      // bytes; longer strings hardly come again
	maxBuffer = 1 << 20 // bytes; a longer text takes its buffer along
)

var textReaderPool = sync.Pool{New: func() any { return new(textReader) }}

// readText reads a string as the decoder would. What is no string is left to it.
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
	// The decoder has checked it, by rules that mend what is no UTF-8.
	text, _ := jsontext.AppendUnquote(t.buffer[:0], raw)
	if cap(text) <= maxBuffer {
		t.buffer = text
	}
	*to = t.keep(text)
	return nil
}

// keep is text as a string, a short one only once.
func (t *textReader) keep(text []byte) string {
	if len(text) == 0 || len(text) > maxShort {
		return string(text)
	}
	known := &t.short[(len(text)*31+int(text[0])*7+int(text[len(text)-1]))%len(t.short)]
	if *known != string(text) {
		*known = string(text)
	}
	return *known
}
