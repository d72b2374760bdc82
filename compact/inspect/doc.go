// Package inspect reads what views show of a conversation's compaction: what fills
// the window and what compaction saves, what the planner will do next, which
// compactions there were, how each original looks to the model, which requests were
// sent, and what a preset would make of a log.
//
// It reads logs and views that packages below make, and changes nothing.
package inspect
