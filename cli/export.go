package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/conversation"
	"plimsoll/conversation/jsonl"
	"plimsoll/storage"
)

// What an export holds is what the log holds: every message, also those that
// compaction hides from the model, and the full text of results that were cut.
// No key is ever part of a log.

// exportFormat is a form in which a conversation is written out.
type exportFormat string

const (
	exportMarkdown exportFormat = "md"    // for reading
	exportJSON     exportFormat = "json"  // all of it, for another Plimsoll
	exportJSONL    exportFormat = "jsonl" // the messages, for other programs
)

// exportOptions says how a conversation is written out, and where to.
type exportOptions struct {
	format string
	file   string
	named  bool // a file was named
	force  bool
}

// exportCommand writes a conversation out.
type exportCommand struct {
	console       *console
	conversations *conversations
	exporter      *exporter

	options exportOptions
}

func (cmd *exportCommand) cobra() *cobra.Command {
	o := &cmd.options
	c := &cobra.Command{
		Use:   "export [ID]",
		Short: "Write a conversation out as Markdown, JSON or JSONL",
		Long: `Export writes a whole conversation to standard output, or to a file that only you
may read. Results that were cut are written with their full text.

--format md is for reading. json is one document with every event, compactions
included, and every text: import makes the same conversation of it again. jsonl
is the messages, one a line in the form of chat completions, for other programs;
import reads that as well. Without --format the ending of FILE decides, or md.

` + idHelp,
		Example: `  plimsoll export > talk.md
  plimsoll export 3kq7 -o talk.json
  plimsoll export --format jsonl | jq -r 'select(.role == "user").content'`,
		Args: positional(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			o.named = c.Flags().Changed("output")
			return cmd.Run(c.Context(), args)
		},
	}
	c.Flags().StringVar(&o.format, "format", "", "form of it: `md|json|jsonl`")
	c.Flags().StringVarP(&o.file, "output", "o", "", "write to `FILE` instead of standard output")
	c.Flags().BoolVar(&o.force, "force", false, "overwrite FILE if it exists")
	return c
}

func (cmd *exportCommand) Run(ctx context.Context, args []string) error {
	o := cmd.options
	if o.named && o.file == "" { // an unset variable in a script
		return usageError{withHint(errors.New("--output is empty"), "write -o FILE, or leave it out for standard output")}
	}
	format, err := o.chosen()
	if err != nil {
		return err
	}
	_, id, err := cmd.conversations.resolve(ctx, args)
	if err != nil {
		return err
	}
	var notes []string
	write := func(w io.Writer) error {
		notes, err = cmd.exporter.write(ctx, w, id, format)
		return err
	}
	if o.file == "" || o.file == "-" {
		err = write(cmd.console.Stdout)
	} else {
		err = writeNew(o.file, o.force, write)
	}
	if err != nil {
		return err
	}
	for _, n := range notes {
		cmd.console.note("%s", n)
	}
	return nil
}

// chosen is the format that is asked for.
func (o exportOptions) chosen() (exportFormat, error) {
	switch f := exportFormat(o.format); f {
	case exportMarkdown, exportJSON, exportJSONL:
		return f, nil
	case "":
		return formatOf(o.file), nil
	}
	return "", wrongUse("--format is md, json or jsonl, not %q", o.format)
}

// formatOf is the format that a file's ending stands for, md if none.
func formatOf(file string) exportFormat {
	switch f := exportFormat(strings.ToLower(strings.TrimPrefix(filepath.Ext(file), "."))); f {
	case exportJSON, exportJSONL:
		return f
	}
	return exportMarkdown
}

// exporter writes stored conversations out.
type exporter struct{ resources *resources }

// write writes a stored conversation to w. The notes say what could not be
// read and is not part of it. Nothing else is written anywhere, so the chat can
// call it.
func (e *exporter) write(ctx context.Context, w io.Writer, id string, format exportFormat) (notes []string, err error) {
	store, err := e.resources.open()
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
		err = writeMarkdown(out, x, terminal(w))
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
	r := &reading{store: store, id: id, events: events}
	x := &exported{id: id, events: events, notes: unread(report)}
	if partial, ok := r.orphan(ctx); ok {
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
	if _, err := s.w.Write(shield(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
