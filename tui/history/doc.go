// Package history is the view that shows each event as it was recorded next to what the model is sent of it: how each part is
// sent, why, and its tokens before and after. Keys act on the event under the cursor: p pins it, so that it is always sent, m
// shortens it, u and r undo and redo a compaction, f forks the conversation there, e sends the message again.
//
// It guarantees:
//
//   - A view always fills exactly its height and width.
//   - A key takes the same time in a long conversation, since only the rows on the screen are laid out.
//   - Control characters are made visible.
//   - What is shown as sent is what package projection makes of the log, or a request as it is rebuilt from the log.
//
// [Model] turns keys into a [pane.Action] and moves the cursor. A document holds the content and its rows, a search finds texts
// in the rows, and a drawer draws them. There is no clock and no I/O here.
package history
