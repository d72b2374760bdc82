// Package history shows what was said beside what the model is sent, event by
// event: how each part looks to the model, why it does, and what it cost before and
// after. From here it is changed: pinned, masked, undone, brought back, forked from.
//
// It guarantees that a view has exactly the lines and cells it was given; that rows
// are laid out only when they come into sight, so that no step depends on how long
// the conversation is; that whatever models, tools and files said is made safe before
// it is drawn; and that what is shown as sent is what the view, or a request that was
// made again, holds, and never a guess.
//
// There is no clock and no reading here: the parent gives a Content and answers what
// a [pane.Action] asks for.
package history
