package planner

import "plimsoll/compact/preset"

// rests tells whether enough was added since earlier compactions for another one.
type rests struct {
	past   Past
	used   int // tokens of the request
	stride int // tokens
	rearm  int // tokens that are added between two compactions at the load line
}

// triesPerStride is how often a compaction that failed is tried again while a stride is
// added.
const triesPerStride = 4

// NextTry is the size of a request from which on a model is asked again after a summary that was written ahead failed at
// a size: at the load line, or ahead of it when enough was added.
func NextTry(rules *preset.Rules, used, window, line int) int {
	return min(max(used+rules.Stride(window)/triesPerStride, line), used+rules.Rearm(window))
}

// grown reports whether a request holds so many tokens more than at some time
// before, which 0 says never was.
func (r *rests) grown(before, by int) bool { return before == 0 || r.used >= before+by }

// armed reports whether enough was added since the last compaction, and since the user
// undid one; and a little since one failed.
func (r *rests) armed() bool { return r.grown(r.past.After, r.rearm) && r.mayTry() && !r.held() }

// mayTry reports whether a little was added since a compaction failed.
func (r *rests) mayTry() bool { return r.grown(r.past.Tried, r.stride/triesPerStride) }

// held reports whether the user undid a compaction and little was added since.
func (r *rests) held() bool { return !r.grown(r.past.Undone, r.stride) }

// settled reports whether a little was added since the newest step, so that one which
// left more than it was meant to is not made again at once, and since an undo.
func (r *rests) settled() bool { return !r.held() && r.grown(r.past.After, r.stride/triesPerStride) }
