package storage

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/conversation"
)

// Rules of checking the texts that events name:
//   - Every text that is stored is read and compared with its name.
//   - Every name in an event needs its text. A result without a name never had more
//     than it shows, or was stored where full texts are not kept: nothing is missing.
//   - A text that is missing is reported and cannot be repaired. The event stays as it is:
//     what it shows is all that is left.

// checkTexts compares every text with its name, one transaction each so that no other
// program waits long.
func (d *doctor) checkTexts(ctx context.Context, f dbfile, id string, names []string) []Finding {
	for _, name := range names {
		_, err := d.blobs.get(ctx, id, name)
		if len(name) != 64 {
			err = damaged(f.path, fmt.Errorf("%q is not the name of a text", name))
		}
		if errors.Is(err, ErrDamaged) {
			return []Finding{found(f, id, cureRewrite, "a stored text cannot be read: %v", cause(err))}
		}
	}
	return nil
}

// texts are the names of texts in events of one sort: all of them, each once, and those
// that are missing.
type texts struct {
	seen, missing map[string]bool
	first         uint64 // event that names the first missing one
}

// add notes what an event names.
func (t *texts) add(seq uint64, name string, stored map[string]bool) {
	if name == "" || t.seen[name] {
		return
	}
	if t.seen == nil {
		t.seen, t.missing = map[string]bool{}, map[string]bool{}
	}
	t.seen[name] = true
	if stored[name] {
		return
	}
	if len(t.missing) == 0 {
		t.first = seq
	}
	t.missing[name] = true
}

// missingTexts looks for texts that events name and that are not there.
func missingTexts(f dbfile, id string, events []conversation.Event, names []string) []Finding {
	stored := make(map[string]bool, len(names))
	for _, name := range names {
		stored[name] = true
	}
	var results, instructions texts
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.ToolResult:
			results.add(e.Seq, b.Blob, stored)
		case conversation.Instructions:
			instructions.add(e.Seq, b.System, stored)
			instructions.add(e.Seq, b.Tools, stored)
		}
	}
	var out []Finding
	if n := len(results.missing); n > 0 {
		out = append(out, found(f, id, cureNone, "%d of %d full texts of results are missing, the first is that of event %d; "+
			"the part the model was shown is intact, the rest is lost", n, len(results.seen), results.first))
	}
	if n := len(instructions.missing); n > 0 {
		out = append(out, found(f, id, cureNone, "%d of %d texts of system prompts and tools are missing, the first is that of event %d; "+
			"all messages are intact, but requests from that time cannot be rebuilt", n, len(instructions.seen), instructions.first))
	}
	return out
}
