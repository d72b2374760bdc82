package planner

import "plimsoll/compact/preset"

// cooldown decides whether enough tokens were added since earlier compactions for another
// one.
type cooldown struct {
	past   Past
	used   int // tokens of the request
	stride int // tokens to add after an undo
	rearm  int // tokens to add between two compactions at the load line
}

// triesPerStride is how often a failed compaction is tried again while a stride is added.
const triesPerStride = 4

// NextTry returns the size of a request, in tokens, at which to prepare a summary again after one failed
// at size used: the load line, but a quarter stride to one rearm distance above used.
func NextTry(rules *preset.Rules, used, window, line int) int {
	return min(max(used+rules.Stride(window)/triesPerStride, line), used+rules.MinGrowth(window))
}

// hasGrown reports whether the request grew by so many tokens since it had a size, or
// whether that size is 0, which means never.
func (r *cooldown) hasGrown(before, by int) bool { return before == 0 || r.used >= before+by }

// allowsStep reports whether enough was added for a step at the load line: since the last
// compaction, since an undo, and a little since a failed compaction.
func (r *cooldown) allowsStep() bool {
	return r.hasGrown(r.past.After, r.rearm) && r.mayRetry() && !r.afterUndo()
}

// mayRetry reports whether a little was added since a compaction failed.
func (r *cooldown) mayRetry() bool { return r.hasGrown(r.past.Tried, r.stride/triesPerStride) }

// afterUndo reports whether the user undid a compaction and little was added since.
func (r *cooldown) afterUndo() bool { return !r.hasGrown(r.past.Undone, r.stride) }

// allowsColdStep reports whether a little was added since the last compaction, so that one
// that saved less than planned is not repeated at once, and enough since an undo.
func (r *cooldown) allowsColdStep() bool {
	return !r.afterUndo() && r.hasGrown(r.past.After, r.stride/triesPerStride)
}
