// Package projection turns a conversation's log into the messages that a model is sent. It knows no preset by name, no
// rules and no tokens.
//
// A log is events in the order in which they happened, overlays among them. An
// overlay is an event that says how earlier events are shown. [Project] is a pure
// function of the log: no clock, no configuration, no randomness and no token
// counts enter it. It first decides for each event what counts, in the order pin,
// summary, drop, mask, cap, original, and then writes the texts. Every [Message] of
// the [View] names the events it stands for, in which state, and by which overlay.
// [View.Extend] gives the same for a log that grew, at the cost of what is new.
//
// [Harden] makes a view valid for an endpoint with given [Capabilities]: calls and
// results in pairs, roles in an accepted order, ids in an accepted form.
//
// [Summaries] and [Pinned] say what of a log is in force, for those who make further overlays. A view counts its text by
// [Segment].
package projection
