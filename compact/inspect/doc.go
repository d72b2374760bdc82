// Package inspect computes what the views show about a conversation's compaction: what fills the window, what
// compaction saves, what the planner will do next, the log of compactions, how each logged message appears in a
// request, which requests were sent, and the view that a preset would give.
//
// It only reads logs and views, and changes neither.
package inspect
