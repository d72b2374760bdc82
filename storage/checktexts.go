package storage

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/conversation"
)

// Rules of checking the texts that events name:
//   - Every stored text is read and compared with its name.
//   - Every name in an event must have its text. A result without a name needs none: it was
//     not cut, or full texts are not kept.
//   - A missing text is reported and cannot be repaired. The event remains, with the
//     part that was shown to the model.

// checkTexts compares every text with its name, each in a separate transaction so that no other
// program waits long.
func (s *Store) checkTexts(ctx context.Context, f dbfile, id string, names []string) []Finding {
	for _, name := range names {
		_, err := s.Blob(ctx, id, name)
		if len(name) != 64 {
			err = damaged(f.path, fmt.Errorf("%q is not the name of a text", name))
		}
		if errors.Is(err, ErrDamaged) {
			return []Finding{newFinding(f, id, remedyRewrite, "a stored text cannot be read: %v", cause(err))}
		}
	}
	return nil
}

// textReferences collects the text names in events of one kind, and counts those whose text is
// missing.
type textReferences struct {
	seen    map[string]bool
	missing int
	first   uint64 // number of the event that names the first missing text
}

// add adds a name in event seq. An empty name is ignored.
func (t *textReferences) add(seq uint64, name string, stored map[string]bool) {
	if name == "" || t.seen[name] {
		return
	}
	if t.seen == nil {
		t.seen = map[string]bool{}
	}
	t.seen[name] = true
	if stored[name] {
		return
	}
	if t.missing++; t.missing == 1 {
		t.first = seq
	}
}

// missingTexts reports texts that events name and that are not stored.
func missingTexts(f dbfile, id string, events []conversation.Event, names []string) []Finding {
	stored := make(map[string]bool, len(names))
	for _, name := range names {
		stored[name] = true
	}
	var results, images, instructions textReferences
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.ToolResult:
			results.add(e.Seq, b.Blob, stored)
		case conversation.Instructions:
			instructions.add(e.Seq, b.System, stored)
			instructions.add(e.Seq, b.Tools, stored)
		}
		for _, m := range conversation.ImagesOf(e.Body) {
			images.add(e.Seq, m.Blob, stored)
		}
	}
	var out []Finding
	for _, r := range []struct {
		textReferences
		what, effect string
	}{
		{results, "full texts of results", "; the part the model was shown is intact, the rest is lost"},
		{images, "images", "; requests name them in their place"},
		{instructions, "texts of system prompts and tools", "; all messages are intact, but requests from that time cannot be rebuilt"},
	} {
		if n := r.missing; n > 0 {
			out = append(out, newFinding(f, id, remedyNone, "%d of %d %s are missing, the first is that of event %d%s", n, len(r.seen), r.what, r.first, r.effect))
		}
	}
	return out
}
