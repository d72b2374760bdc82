package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"sync"

	"plimsoll/cli/session"
	"plimsoll/conversation"
	"plimsoll/conversation/jsonl"
	"plimsoll/storage"
)

// The JSON document of a conversation holds all of it:
//
//	{"plimsoll": 1, "id": ..., "title": ..., "events": [stored form, ...], "texts": {name: text, ...}}
//
// "plimsoll" is the version of the format; it comes first, so that import recognises the document by it. Texts have the names
// by which events refer to them.
//
// Import creates the same conversation under another ID: the same events with their numbers and times, overlays included,
// and the same texts. It checks the document like a stored log. A document can come from anybody, so addresses and settings
// that only the user may decide are left out (importguard.go).

// documentVersion is the format that is written, and the newest that can be read.
const documentVersion = 1

// document is the JSON of the file.
type document struct {
	Version int               `json:"plimsoll"`
	ID      string            `json:"id"`
	Title   string            `json:"title"`
	Events  []json.RawMessage `json:"events"`
	Texts   map[string]string `json:"texts"`
}

func writeDocument(w io.Writer, export *exported) error {
	d := document{Version: documentVersion, ID: export.id, Title: session.Title(export.Events), Texts: map[string]string{}}
	for _, e := range export.Events {
		data, err := conversation.Marshal(e)
		if err != nil {
			return err
		}
		d.Events = append(d.Events, data)
	}
	for _, name := range session.BlobsOf(export.Events) {
		if text, ok := export.Text(name); ok {
			d.Texts[name] = text
		}
	}
	data, err := conversation.EncodeJSON(d)
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// IsDocument recognises the document that export writes, by its first key.
var IsDocument = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\x{feff})?\s*\{\s*"plimsoll"\s*:`)
})

type parsedDocument struct {
	Log     conversation.Log
	Texts   map[string]string
	omitted omissions
}

// ParseDocument reads and checks a document, and lists its missing texts.
func ParseDocument(r io.Reader) (d parsedDocument, missing []jsonl.Problem, err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return parsedDocument{}, nil, err
	}
	var raw document
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &raw); err != nil {
		return parsedDocument{}, nil, fmt.Errorf("the document cannot be read: %w", err)
	}
	if raw.Version != documentVersion {
		return parsedDocument{}, nil, fmt.Errorf("the document has format %d and is %w", raw.Version, storage.ErrNewer)
	}
	d.Texts = raw.Texts
	for i, event := range raw.Events {
		if err := d.appendEvent(event); err != nil {
			return parsedDocument{}, nil, fmt.Errorf("event %d: %w", i+1, err)
		}
	}
	for _, name := range session.BlobsOf(d.Log.Events()) {
		if _, ok := d.Texts[name]; !ok {
			missing = append(missing, jsonl.Problem{Reason: fmt.Sprintf("the text %.12s is not in the document", name)})
		}
	}
	return d, missing, nil
}

func (p *parsedDocument) appendEvent(raw json.RawMessage) error {
	e, err := conversation.Unmarshal(raw)
	if err != nil {
		return err
	}
	turns := p.Log.Turns()
	if e.Body.Kind() == conversation.KindUser {
		turns++
	}
	if e.Turn > max(0, turns-1) {
		return fmt.Errorf("it is of turn %d, which has not begun there", e.Turn)
	}
	e.Body = p.omitted.omitUnsafe(e.Body)
	return p.Log.Commit([]conversation.Event{e})
}

// storeTexts stores the texts in w and returns the events, with a title at their end if it is not "".
func (p *parsedDocument) storeTexts(ctx context.Context, w *storage.Writer, title string) ([]conversation.Event, error) {
	events := p.Log.Events()
	for _, name := range session.BlobsOf(events) {
		text, ok := p.Texts[name]
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
	if title == "" || len(events) == 0 {
		return events, nil
	}
	last := events[len(events)-1].Time
	return append(events, p.Log.Prepare(last, conversation.Renamed{Title: title, By: "user"})...), nil
}
