// Package history is the view that shows, event by event, the originals next to what the model is sent: how each part is sent,
// why, and its tokens before and after. Its keys pin, mask, undo, redo, fork and resend.
//
// It guarantees that a view has exactly its lines and cells; that only rows on the screen are laid out, so that no step depends
// on the length of the conversation; that control characters are made visible; and that what is shown as sent is the content of
// the projection or of a rebuilt request. [Model] turns keys into a [pane.Action] and moves the cursor; a document has the content
// and its rows, a search finds in them, and a drawer draws them. There is no clock and no I/O here.
package history
