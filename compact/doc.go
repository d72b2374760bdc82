// Package compact keeps the prompt of a conversation within the window of its model. This page
// explains how its packages work together. The package itself handles arriving tool results: they
// may be cut ([ArrivalCap]), or point to an earlier result with the same text ([Repeats]).
//
// Package projection turns the log into messages, and hardens them for an endpoint.
//
// # Meter
//
// Package meter turns the sizes that a view carries into tokens. A [meter.Meter] is a value:
// each event and each keystroke gives the next one, without reading the conversation again.
// It anchors on what the provider last reported and estimates what came after; a factor for
// the model corrects the estimate. A [meter.Reading] is what the gauge shows: used tokens by
// [projection.Segment], window, load line and hard line, and for each number whether it is
// reported or estimated.
//
// # A compaction
//
//  1. The user, the model (by a tool call), or the planner requests one. The request
//     names a range, a profile, or both.
//  2. Package edit computes it from a snapshot of the log and commits nothing: the range
//     as spans of whole units, and the policies ([preset.Rules.Policies]) with a copy of the
//     hints of tools. A unit is a user message, or a reply with all its calls and
//     results; no compaction splits one.
//  3. If a model must write a summary, there is a [summary.Job]. The caller asks the model, and
//     [summary.Accept] accepts or refuses the answer: it must be complete, and much shorter
//     than the messages it covers.
//  4. The caller appends the overlays in one transaction. Together they are an epoch.
//     The overlays contain everything that could change later (texts, hints, amounts), so
//     that the projection needs no rules.
//  5. Package edit also computes the overlays that undo and redo an epoch, and those of
//     manual pins and masks. It cuts a log between units for a fork.
//
// # The planner
//
// Package planner decides when to compact automatically ([planner.Check]): above the load line,
// and earlier when the provider's cache is cold. An eviction takes the oldest units out of the view, down to a
// target at once, so that the cached prefix changes once and not at every request. One
// note, written by the program, replaces them: what was done, quotations of the user, and an
// index of names. A summary replaces parts of it if a model wrote one in time.
//
// # Presets
//
// [preset.Rules] are the numbers and switches of a design. They start from a preset,
// whose behavior is a [preset.Design]: Plimsoll's own, or that of a source, which is a published design: JP's RFD 064
// and draft RFD D17, adachsoft's tool compaction, OneClaw's FEAT-011, J-CLI. Comments name these sources.
//
// # What views read
//
// Package inspect reads what views show: the breakdown of the window, what the planner
// will do next, the log of compactions.
//
// The package does no I/O and reads no clock: the caller passes times in.
package compact
