// Package replay replays recorded conversations, request by request, under the rules of presets, and measures what
// each preset costs and what it removes. It calls no model: the recorded replies show which texts the model needed, and
// extracts replace summaries. The definitions are those of docs/replay.md:
//
//   - Sizes are code points; a token is four of them, not rounded. A message counts its text and the names and
//     arguments of its calls. A request counts Overhead tokens, the system prompt, and the messages of the
//     view.
//   - A request is a reply that does not directly follow another reply. A turn starts at a user message that
//     follows a message of another role. The idle gap of a request is the time from the last message of the
//     previous reply to the message that triggers the request, 0 if the record has no times.
//   - A break is a request that does not begin with the whole previous request.
//
// A name in the view is not proof that a model would have used it, and the recorded model saw everything, so shares
// are upper bounds.
//
// The package is pure: no I/O, and time only from a clock in its options.
package replay
