// Package replay sends recorded conversations again, request by request, under
// the rules of presets, and measures what each costs and what it hides. No model
// is asked and nothing is sent: what the recorded model did next says what it
// would have needed, and texts chosen by rule stand in for summaries. The
// definitions are those of docs/replay.md:
//
//   - Sizes are in code points, a token being four of them without rounding. A
//     message is its text and the names and arguments of its calls. A request
//     carries Overhead tokens, the system prompt, and the messages of the view.
//   - A request is a reply that does not directly follow another. A turn starts at a
//     message of the user that follows a message of somebody else. The idle gap of a
//     request is the time from the last message of the reply before to the message
//     that triggers it, 0 where the record has no times.
//   - A break is a request whose common prefix with the one before is shorter than
//     that.
//
// That a name is in the view does not mean that a model would have used it, and the
// recorded model saw everything: shares are upper bounds.
//
// The package is pure. It does no I/O, and reads a clock only if it is given one.
package replay
