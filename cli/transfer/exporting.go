// Package transfer exports conversations to files and imports them. An exported JSON document is imported without loss;
// recordings of other programs can be imported, too.
package transfer

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"plimsoll/cli/console"
	"plimsoll/cli/page"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
	"plimsoll/conversation/jsonl"
	"plimsoll/storage"
)

// ExportFormat is a file format of exports.
type ExportFormat string

const (
	ExportMarkdown ExportFormat = "md"    // for reading
	ExportJSON     ExportFormat = "json"  // all of it, for another Plimsoll
	ExportJSONL    ExportFormat = "jsonl" // the messages, for other programs
	ExportHTML     ExportFormat = "html"  // one page for a browser
)

// FormatOf is the format of a file's ending, md by default.
func FormatOf(file string) ExportFormat {
	switch f := ExportFormat(strings.ToLower(strings.TrimPrefix(filepath.Ext(file), "."))); f {
	case ExportJSON, ExportJSONL, ExportHTML:
		return f
	}
	return ExportMarkdown
}

// Exporter exports stored conversations.
type Exporter struct{ setup.Parts }

// Write writes a stored conversation to w; omit is what a page leaves out. The notes say what could not be read and is left out.
// It writes nothing else, so the chat can call it.
func (e *Exporter) Write(ctx context.Context, w io.Writer, id string, format ExportFormat, omit page.Omit) (notes []string, err error) {
	store, err := e.Resources.Open()
	if err != nil {
		return nil, err
	}
	export, err := ReadExport(ctx, store, id)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	switch format {
	case ExportJSON:
		err = writeDocument(escapingWriter{out}, export)
	case ExportJSONL:
		err = jsonl.Write(escapingWriter{out}, jsonl.FromLog(export.Events, export.Text))
	case ExportHTML:
		err = page.Write(out, page.Content{ID: id, Title: session.Title(export.Events), Events: export.Events, Text: export.Text,
			Omit: omit, HomeDir: e.Console.Getenv("HOME"), Keys: e.Providers.ConfiguredKeys()})
	default:
		err = writeMarkdown(out, export, console.Terminal(w))
	}
	if err == nil {
		err = ctx.Err() // texts that were not read because ctx ended are not damaged
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return nil, fmt.Errorf("exporting conversation %s: %w", id, err)
	}
	return export.Notes, nil
}

// escapingWriter writes encoded JSON with escapes for characters that a terminal would interpret. A write must not end within a
// character.
type escapingWriter struct{ w io.Writer }

func (s escapingWriter) Write(p []byte) (int, error) {
	if _, err := s.w.Write(console.EscapeControls(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

type exported struct {
	id     string
	Events []conversation.Event
	Text   func(name string) (string, bool) // stored beside the events; false if it cannot be read
	Notes  []string
}

// ReadExport reads all events of a conversation, and as the last one a reply that was interrupted when the program ended.
func ReadExport(ctx context.Context, store *storage.Store, id string) (*exported, error) {
	events, report, err := store.Load(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("reading conversation %s: %w", id, err)
	}
	snapshot := &session.Snapshot{Store: store, ID: id, Events: events}
	export := &exported{id: id, Events: events, Notes: session.DamageNotes(report)}
	if partial, ok := snapshot.InterruptedReply(ctx); ok {
		log, err := conversation.NewLog(events)
		if err != nil {
			return nil, fmt.Errorf("reading conversation %s: %w", id, err)
		}
		export.Events = append(log.Events(), log.Prepare(events[len(events)-1].Time, partial)...)
	}
	missing := map[string]bool{}
	export.Text = func(name string) (string, bool) {
		if name == "" {
			return "", false
		}
		text, err := store.Blob(ctx, id, name)
		if err != nil && !missing[name] {
			missing[name] = true
			export.Notes = append(export.Notes, fmt.Sprintf("a text could not be read and is left out: %v", err))
		}
		return text, err == nil
	}
	return export, nil
}
