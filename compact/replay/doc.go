// Package replay sends recorded conversations again, request by request, under
// the rules of presets, and measures what each costs and what it hides. No model
// is asked and nothing is sent: what the recorded model did next says what it
// would have needed, and texts chosen by rule stand in for summaries.
//
// What is measured, all sizes in code points, a token being four of them without
// rounding, and a message being its text and the names and arguments of its
// calls:
//
//   - A request is a reply whose predecessor is none. It carries Overhead tokens,
//     the system prompt, and the messages of the view, hardened.
//   - A turn starts at a message of the user that follows a message of somebody
//     else. The idle gap of a request is the time from the last message of the
//     reply before to the message that triggers it, 0 where the record has no
//     times.
//   - A break is a request whose common prefix with the one before is shorter
//     than that. What it costs says a [Sheet]: of the common prefix whole steps of
//     128 tokens are read from the provider's cache, from 1,024 on, unless the gap
//     is longer than the cache lives; the rest is written.
//   - Recall is the share of identifiers in what a reply says and passes to tools
//     that stood anywhere earlier and are in the view; of those that stood in tool
//     results alone for the second figure. Edit anchors are replaced texts whose
//     lines stood earlier, written lines those of whole files that stood in
//     results, instructions sentences of the user that bind.
//   - Content is edit anchors and written lines together. What an index of names
//     shows, and nothing else, is no content: recall is told without it, too.
//   - What a reply needed and its request does not show has to be looked up, which
//     is billed as requests more: the debt.
//   - What is lost is recoverable where a stub, a cap, a block or a note names an
//     event that held it and recall gives that event's text back.
//
// Presence is an upper bound of use: that a name is in the view does not mean
// that a model would have used it, and the recorded model saw everything.
//
// The package is pure. It does no I/O, and reads a clock only if it is given one.
package replay
