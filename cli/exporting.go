package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
	"plimsoll/conversation/jsonl"
	"plimsoll/storage"
)

// exportFormat is a form in which a conversation is written out.
type exportFormat string

const (
	exportMarkdown exportFormat = "md"    // for reading
	exportJSON     exportFormat = "json"  // all of it, for another Plimsoll
	exportJSONL    exportFormat = "jsonl" // the messages, for other programs
)

// formatOf is the format that a file's ending stands for, md if none.
func formatOf(file string) exportFormat {
	switch f := exportFormat(strings.ToLower(strings.TrimPrefix(filepath.Ext(file), "."))); f {
	case exportJSON, exportJSONL:
		return f
	}
	return exportMarkdown
}

// exporter writes stored conversations out.
type exporter struct{ resources *setup.Resources }

// write writes a stored conversation to w. The notes say what could not be
// read and is not part of it. Nothing else is written anywhere, so the chat can
// call it.
func (e *exporter) write(ctx context.Context, w io.Writer, id string, format exportFormat) (notes []string, err error) {
	store, err := e.resources.Open()
	if err != nil {
		return nil, err
	}
	x, err := readExport(ctx, store, id)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	switch format {
	case exportJSON:
		err = writeDocument(shielded{out}, x)
	case exportJSONL:
		err = jsonl.Write(shielded{out}, jsonl.Of(x.events, x.text))
	default:
		err = writeMarkdown(out, x, console.Terminal(w))
	}
	if err == nil {
		err = ctx.Err() // a text that was not read for this reason is no damage
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return nil, fmt.Errorf("exporting conversation %s: %w", id, err)
	}
	return x.notes, nil
}

// exported is a conversation that is being written out.
type exported struct {
	id     string
	events []conversation.Event
	text   func(name string) (string, bool) // stored beside the events; false if it cannot be read
	notes  []string
}

// readExport reads all events of a conversation, with a reply that was arriving
// when the program ended as the last of them.
func readExport(ctx context.Context, store *storage.Store, id string) (*exported, error) {
	events, report, err := store.Load(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("reading conversation %s: %w", id, err)
	}
	r := &session.Reading{Store: store, Id: id, Events: events}
	x := &exported{id: id, events: events, notes: session.Unread(report)}
	if partial, ok := r.Orphan(ctx); ok {
		log, err := conversation.NewLog(events)
		if err != nil {
			return nil, fmt.Errorf("reading conversation %s: %w", id, err)
		}
		x.events = append(log.Events(), log.Prepare(events[len(events)-1].Time, partial)...)
	}
	missing := map[string]bool{}
	x.text = func(name string) (string, bool) {
		if name == "" {
			return "", false
		}
		text, err := store.Blob(ctx, id, name)
		if err != nil && !missing[name] {
			missing[name] = true
			x.notes = append(x.notes, fmt.Sprintf("a text could not be read and is left out: %v", err))
		}
		return text, err == nil
	}
	return x, nil
}

// shielded writes encoded JSON without anything that a terminal would act on.
// No write may end within a character.
type shielded struct{ w io.Writer }

func (s shielded) Write(p []byte) (int, error) {
	if _, err := s.w.Write(console.Shield(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
