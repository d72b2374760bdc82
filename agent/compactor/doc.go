// Package compactor reduces what the model is sent, between the requests of the turn loop.
//
// The turn loop calls [Compactor.Boundary] and [Compactor.Ready] before a request, and
// [Compactor.MakeRoomAfterTurn] when a turn has ended. What the compactor needs of the turn
// loop is [Loop]; it knows nothing else of it.
//
// A compaction happens between requests, and its overlays are one transaction. The user or
// the model asks for one, or the planner does.
//
// A summary is a job with its own goroutine, at most one for a conversation. It works on a
// copy: the snapshot of the log, model, provider, prompt and tools. The owner takes the
// answer in between two requests, and only if the view still has the revision that the
// summary was written from and the window is no smaller. Otherwise the log gets a
// [plimsoll/conversation.Attempt] that says why not. Until then nothing of the summary is in
// the log, so that Esc, quitting and a crash leave the old view. Failures in a row are
// counted from the log, nowhere else.
//
// Its states and every way between them stand in one table (state.go): idle, preparing, in
// review, ready, then applied, failed, cancelled or stale.
//
// A summary that waits for its reader is a job like any other until the user decides. A
// prepared summary waits in memory and joins the step that evicts what it covers.
package compactor
