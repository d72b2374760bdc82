// Package conversation is the domain: messages, and all else that happened, in order.
//
// A conversation is an append-only log of events. An event is a durable fact;
// it is never changed and never removed. Whatever the model is sent is computed
// from a prefix of the log (package compact); whatever the eye sees while a
// reply streams is an update (package agent), not an event.
//
// # Words
//
//   - event: one entry of the log, with a gapless sequence number from 1.
//   - turn: a user message and all that follows until the next one, 0-based.
//     Events before the first user message belong to turn 0.
//   - step: one request inside a turn.
//   - unit: a user message, or an assistant message with all its calls and
//     their results. Cuts fall only between units.
//   - overlay: an event that says how earlier events are shown to the model. It
//     is in force unless a later revert undoes it ([OverlaysInForce]).
//   - epoch: the overlays that one compaction made, undone together; named
//     by the sequence number of the first.
//   - revision: the sequence number of the newest overlay, 0 without one.
//
// # Guarantees
//
// Values here have no behaviour beyond their own meaning: no I/O, no clock, no
// randomness. Text is valid UTF-8 without NUL, the arguments of a call are a
// JSON object and a provider's fields to echo are JSON from the moment a Log
// prepares the event ([Log.Prepare]) or a stored one is read ([Unmarshal]), and
// the size of text is known, so nothing downstream scans it again. An event of
// a kind this build does not know survives loading and saving ([Unknown]).
package conversation
