package compact

import (
	"hash/maphash"

	"plimsoll/conversation"
)

// A tool result with the same text as an earlier one may be shown as a pointer to it, while
// the view shows the earlier one in full. Which result it repeats is decided when it arrives.

// MinRepeat is the shortest result worth replacing by a pointer, in code points: a
// pointer is half as long.
const MinRepeat = 400

// Repeats finds results of a conversation by their text. The zero value has no results.
type Repeats struct {
	seed  maphash.Seed
	known map[uint64]seenResult
}

type seenResult struct {
	seq  uint64
	text string
}

// Note records a result in place of an earlier one with the same text, unless it is itself
// a repetition: the newest result is shown in full for the longest time.
func (r *Repeats) Note(e conversation.Event) {
	b, ok := e.Body.(conversation.ToolResult)
	if !ok || b.Status != conversation.ResultOK || len(b.Text) < MinRepeat || b.Repeats != 0 || len(b.Images) > 0 {
		return
	}
	if r.known == nil {
		r.seed, r.known = maphash.MakeSeed(), map[uint64]seenResult{}
	}
	r.known[maphash.String(r.seed, b.Text)] = seenResult{e.Seq, b.Text}
}

// Of returns the Seq of the newest recorded result with the same text, or 0. Results that
// failed, were cut or are short count as no repetition.
func (r *Repeats) Of(b conversation.ToolResult) uint64 {
	if r.known == nil || b.Status != conversation.ResultOK || b.Total > 0 || b.Size.Chars() < MinRepeat || len(b.Images) > 0 {
		return 0
	}
	seen, ok := r.known[maphash.String(r.seed, b.Text)]
	if !ok || seen.text != b.Text {
		return 0
	}
	return seen.seq
}
