// Package history shows originals next to what is sent, event by event: how each part looks to the model, why it does, and
// what it cost before and after. From here it is changed: pinned, masked, undone, redone, forked.
//
// It guarantees that a view has exactly the lines and cells it was given; that rows are laid out only when they come into
// sight, so that no step depends on how long the conversation is; that whatever models, tools and files wrote is made safe
// before it is drawn; and that what is shown as sent is what the view, or a request that was made again, holds, and never a
// guess.
//
// Its parts: the book is what there is to show, the search finds in it, the drawer draws its rows and knows which are
// expanded. [Model] turns keys into a [pane.Action] and moves the cursor. There is no clock and no reading here: the parent
// gives a Content and answers what an action asks for.
package history
