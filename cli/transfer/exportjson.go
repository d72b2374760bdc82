package transfer

import (
	"io"

	"plimsoll/cli/session"
	"plimsoll/conversation"
)

// The JSON document of a conversation holds all of it:
//
//	{"plimsoll": 1, "id": ..., "title": ..., "events": [stored form, ...], "texts": {name: text, ...}}
//
// "plimsoll" comes first, by which such a document is recognised; it is the
// version of the form. Names of texts are those that events give.

// documentVersion is the form that is written, and the newest that is read.
const documentVersion = 1

// writeDocument writes a conversation as one JSON document, an event and a text
// at a time.
func writeDocument(w io.Writer, x *exported) error {
	d := documentWriter{w: w}
	d.raw(`{"plimsoll": `)
	d.value(documentVersion)
	d.raw(`, "id": `)
	d.value(x.id)
	d.raw(`, "title": `)
	d.value(session.Title(x.Events))
	d.raw(",\n\"events\": [")
	for i, e := range x.Events {
		d.separate(i)
		data, err := conversation.Marshal(e)
		if err != nil {
			return err
		}
		d.raw(string(data))
	}
	d.raw("\n],\n\"texts\": {")
	n := 0
	for _, name := range session.BlobsOf(x.Events) {
		if text, ok := x.Text(name); ok {
			d.separate(n)
			d.value(name)
			d.raw(": ")
			d.value(text)
			n++
		}
	}
	d.raw("\n}}\n")
	return d.err
}

// documentWriter writes until the first error.
type documentWriter struct {
	w   io.Writer
	err error
}

func (d *documentWriter) raw(s string) {
	if d.err == nil {
		_, d.err = io.WriteString(d.w, s)
	}
}

func (d *documentWriter) value(v any) {
	data, err := conversation.EncodeJSON(v)
	if err != nil && d.err == nil {
		d.err = err
	}
	d.raw(string(data))
}

// separate begins element i of a list on a line of its own.
func (d *documentWriter) separate(i int) {
	if i > 0 {
		d.raw(",")
	}
	d.raw("\n")
}
