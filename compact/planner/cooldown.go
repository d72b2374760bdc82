package planner

import "plimsoll/compact/preset"

// cooldown decides whether enough tokens were added since an earlier compaction to allow
// another one. A stride is the number of tokens that the rules require after an undo.
type cooldown struct {
	history   History
	used      int // tokens of the request
	stride    int // tokens to add after an undo
	minGrowth int // tokens to add between two compactions at the load line
}

// retriesPerStride is how often a failed compaction is tried again while a stride is added.
const retriesPerStride = 4

// NextTry returns the size of a request, in tokens, at which to prepare a summary again after one failed
// at size used: the load line, but at least a quarter stride and at most rules.MinGrowth above used.
func NextTry(rules *preset.Rules, used, window, line int) int {
	return min(max(used+rules.Stride(window)/retriesPerStride, line), used+rules.MinGrowth(window))
}

// hasGrown reports whether the request grew by so many tokens since an earlier event, when
// its size was before. A size of 0 means that the event never happened.
func (c *cooldown) hasGrown(before, by int) bool { return before == 0 || c.used >= before+by }

// allowsEviction reports whether the request grew enough for an eviction at the load line: since the
// last compaction, since a failed one, and since an undo.
func (c *cooldown) allowsEviction() bool {
	return c.hasGrown(c.history.After, c.minGrowth) && c.mayRetry() && !c.isAfterUndo()
}

// mayRetry reports whether the request grew by a quarter stride since a compaction failed.
func (c *cooldown) mayRetry() bool {
	return c.hasGrown(c.history.FailedAt, c.stride/retriesPerStride)
}

// isAfterUndo reports whether the user undid a compaction less than a stride ago.
func (c *cooldown) isAfterUndo() bool { return !c.hasGrown(c.history.UndoneAt, c.stride) }

// allowsColdEviction reports whether the request grew enough for an eviction with a cold cache. The
// quarter stride since the last compaction prevents repeating at once one that saved little.
func (c *cooldown) allowsColdEviction() bool {
	return !c.isAfterUndo() && c.hasGrown(c.history.After, c.stride/retriesPerStride)
}
