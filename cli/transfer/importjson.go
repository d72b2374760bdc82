package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/storage"
)

// A document that export wrote becomes the same conversation under another ID:
// the same events with their numbers and times, overlays included, and the same
// Texts beside them. It is checked like a stored log: gapless, in turns, every
// Text under its own name. A document can come from anybody, so what it records
// of addresses and settings is left out where only the user decides it
// (importguard.go).

// document is what export wrote, in memory.
type document struct {
	version int
	Log     conversation.Log
	Texts   map[string]string
	left    leftOut
}

// readDocument reads a document for import.
func readDocument(r io.Reader, o ImportOptions) (recording, error) {
	d, missing, err := ParseDocument(r)
	if err != nil {
		return recording{}, err
	}
	rec := recording{problems: missing, notes: d.left.notes()}
	for _, e := range d.Log.Events() {
		switch e.Body.(type) {
		case conversation.UserMessage, conversation.AssistantMessage, conversation.ToolResult:
			rec.messages++
		}
	}
	if n := len(missing); n > 0 {
		rec.left = numbers.Count(n, "text")
		if !o.Lenient {
			return recording{}, console.WithHint(errors.New(missing[0].Reason), "--lenient imports the conversation without it")
		}
	}
	rec.events = func(ctx context.Context, w *storage.Writer) ([]conversation.Event, error) {
		return d.store(ctx, w, o.Title)
	}
	return rec, nil
}

// ParseDocument reads a document, an event and a text at a time, and tells
// which texts are missing.
func ParseDocument(r io.Reader) (d document, missing []ImportProblem, err error) {
	d.Texts = map[string]string{}
	if err := d.read(json.NewDecoder(r)); err != nil {
		var syntax *json.SyntaxError
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			err = errors.New("the file ends in the middle of the document")
		case errors.As(err, &syntax):
			err = fmt.Errorf("the document is not JSON at byte %d: %w", syntax.Offset, err)
		}
		return document{}, nil, err
	}
	for _, name := range session.BlobsOf(d.Log.Events()) {
		if _, ok := d.Texts[name]; !ok {
			missing = append(missing, ImportProblem{Reason: fmt.Sprintf("the text %.12s is not in the document", name)})
		}
	}
	return d, missing, nil
}

func (d *document) read(dec *json.Decoder) error {
	err := members(dec, func(key string) error {
		switch key {
		case "plimsoll":
			return d.readVersion(dec)
		case "events":
			return elements(dec, func() error { return d.readEvent(dec) })
		case "texts":
			return members(dec, func(name string) error {
				var text string
				err := dec.Decode(&text)
				d.Texts[name] = text
				return err
			})
		}
		var other json.RawMessage
		return dec.Decode(&other)
	})
	if err != nil {
		return err
	}
	if d.Log.Len() == 0 {
		return errors.New("the document holds no events")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the file has more text after the document")
	}
	return nil
}

func (d *document) readVersion(dec *json.Decoder) error {
	if err := dec.Decode(&d.version); err != nil {
		return fmt.Errorf("the version of the document: %w", err)
	}
	if d.version < 1 {
		return fmt.Errorf("the document has format %d, which does not exist", d.version)
	}
	if d.version > documentVersion {
		return fmt.Errorf("the document has format %d and is %w", d.version, storage.ErrNewer)
	}
	return nil
}

func (d *document) readEvent(dec *json.Decoder) error {
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return err
	}
	n := d.Log.Len() + 1
	e, err := conversation.Unmarshal(raw)
	if err != nil {
		return fmt.Errorf("event %d: %w", n, err)
	}
	begun := d.Log.Turns()
	if e.Body.Kind() == conversation.KindUser {
		begun++
	}
	if e.Turn > max(0, begun-1) {
		return fmt.Errorf("event %d is of turn %d, which has not begun there", n, e.Turn)
	}
	e.Body = d.left.guard(e.Body)
	return d.Log.Commit([]conversation.Event{e})
}

// store keeps the texts in w and gives the events, with a title at their end if
// there is one.
func (d *document) store(ctx context.Context, w *storage.Writer, title string) ([]conversation.Event, error) {
	events := d.Log.Events()
	for _, name := range session.BlobsOf(events) {
		text, ok := d.Texts[name]
		if !ok {
			continue
		}
		stored, err := w.PutBlob(ctx, text)
		if err != nil {
			return nil, err
		}
		if stored != name {
			return nil, fmt.Errorf("the text %.12s is not the one that was exported", name)
		}
	}
	if title == "" {
		return events, nil
	}
	last := events[len(events)-1].Time
	return append(events, d.Log.Prepare(last, conversation.Renamed{Title: title, By: "user"})...), nil
}

// members calls f for each member of the object that comes next, with dec at
// its value.
func members(dec *json.Decoder, f func(key string) error) error {
	return inside(dec, '{', func() error {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		key, _ := t.(string) // members have names
		return f(key)
	})
}

// elements calls f for each element of the array that comes next.
func elements(dec *json.Decoder, f func() error) error { return inside(dec, '[', f) }

func inside(dec *json.Decoder, begin json.Delim, f func() error) error {
	t, err := dec.Token()
	if err != nil {
		return err
	}
	if t != begin {
		return fmt.Errorf("the document has %v where %v belongs", t, begin)
	}
	for dec.More() {
		if err := f(); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}
