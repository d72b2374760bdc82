// Package conversation is the domain model: the events of a conversation, their log and their stored form.
//
// A conversation is an append-only log of events. An event is a durable fact;
// it is never changed and never removed. Package compact computes the messages
// that the model is sent from a prefix of the log. What the screen shows while a
// reply streams is an update (package agent), not an event.
//
// # Words
//
//   - event: one entry of the log, with a gapless sequence number from 1.
//   - turn: a user message and all events until the next one, 0-based.
//     Events before the first user message belong to turn 0.
//   - step: one request inside a turn.
//   - unit: a user message, or an assistant message with all its calls and
//     their results. Cuts fall only between units.
//   - overlay: an event that changes how earlier events are shown to the model. It
//     is in force unless a later revert undoes it ([OverlaysInForce]).
//   - epoch: the overlays that one compaction made. They are undone together; the
//     ID of the epoch is the sequence number of the first.
//   - revision: the sequence number of the newest overlay, 0 without one.
//
// # Guarantees
//
// The package does no I/O and reads no clock; only [NewID] is random. [Log.Prepare]
// and [Unmarshal] normalize events: text is valid UTF-8 without NUL, the arguments
// of a call are a JSON object, the provider fields to echo are JSON, and the size of
// text is measured, so that later code need not scan it again. An event of a kind
// that this build does not know survives loading and saving ([Unknown]).
package conversation
