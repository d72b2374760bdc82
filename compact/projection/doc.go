// Package projection turns the log of a conversation into the messages that a model is sent. It depends on no preset, no
// rules and no token counts.
//
// A log is a list of events in the order in which they happened, overlays among
// them. An overlay is an event that changes how earlier events are shown. [Project]
// is a pure function of the log: it uses no clock, no configuration and no randomness.
// It first decides for each event how to show it, with the precedence pin, summary,
// drop, mask, cap, original, and then writes the texts. Every [Message] of the [View]
// names the events that it shows or replaces, its state, and the overlay that shaped it.
// [View.Extend] returns the same for a log that grew, at the cost of the new events.
//
// [Harden] makes a view valid for an endpoint with given [Capabilities]: calls and
// results in pairs, roles in an accepted order, ids in an accepted form.
//
// [Summaries] and [Pinned] return the summaries and pins in force, for code that makes further overlays. A view counts
// its text by [Segment].
package projection
