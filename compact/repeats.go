package compact

import (
	"hash/maphash"

	"plimsoll/conversation"
)

// A result that repeats an earlier one to the letter may point to it, as long
// as that one is shown in full. What it repeats is decided when it arrives.

// MinRepeat is the shortest result worth pointing for, in code points: a
// pointer is half as long.
const MinRepeat = 400

// Repeats knows the results of a conversation by their text. The zero value
// knows none.
type Repeats struct {
	seed  maphash.Seed
	known map[uint64]seenResult
}

type seenResult struct {
	seq  uint64
	text string
}

// Note remembers a result in place of an earlier one with the same text, unless
// it points to one: the newest is shown in full for longest.
func (r *Repeats) Note(e conversation.Event) {
	b, ok := e.Body.(conversation.ToolResult)
	if !ok || b.Status != conversation.ResultOK || len(b.Text) < MinRepeat || b.Repeats != 0 {
		return
	}
	if r.known == nil {
		r.seed, r.known = maphash.MakeSeed(), map[uint64]seenResult{}
	}
	r.known[maphash.String(r.seed, b.Text)] = seenResult{e.Seq, b.Text}
}

// Of is the Seq of the newest earlier result with the same text that is not a
// repetition itself, 0 if there is none. Results that failed, were cut or are
// short repeat nothing.
func (r *Repeats) Of(b conversation.ToolResult) uint64 {
	if r.known == nil || b.Status != conversation.ResultOK || b.Total > 0 || b.Size.Chars() < MinRepeat {
		return 0
	}
	seen, ok := r.known[maphash.String(r.seed, b.Text)]
	if !ok || seen.text != b.Text {
		return 0
	}
	return seen.seq
}
