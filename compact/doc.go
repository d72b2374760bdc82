// Package compact keeps the prompt of a conversation within the window of its model. This page
// explains how its parts work together. What acts as a tool result arrives stands here: it may be
// cut ([ArrivalCap]), or point to an earlier one with the same text ([Repeats]).
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
//  1. Someone asks for one: the user, the model by a tool call, or the planner. The
//     request names a range, a profile, or both.
//  2. Package edit works it out on a snapshot of the log and commits nothing: the range
//     as spans of events between units, and the policies ([preset.Rules.Policies]) with the
//     hints of tools frozen in them. A unit is a user message, or a reply with all its
//     calls and results; no cut parts one.
//  3. If a model has to write, there is a [summary.Job]. The caller asks the model, and
//     [summary.Accept] decides whether the answer counts: it has to be whole, and much shorter
//     than what it covers.
//  4. The caller appends the overlays in one transaction. Together they are an epoch.
//     Whatever could differ tomorrow (texts, hints, amounts) stands in them from then
//     on, so that projecting reads no rules.
//  5. Package edit also gives the overlays that undo and redo an epoch, and those of pins
//     and masks by hand. It cuts a log between units for a fork.
//
// # The planner
//
// Package planner decides when to compact automatically ([planner.Check]): above the load line,
// and earlier when the provider's cache is cold. A step evicts the oldest units down to a
// target, in one go, so that the cache breaks once and not at every request. One
// note, made by rule, stands for them: what was done, the user's own words, and an
// index of names. A summary replaces parts of it where a model wrote one in time.
//
// # Presets
//
// [preset.Rules] are the numbers and switches of a design. They start from a preset,
// whose behavior is a [preset.Design]: Plimsoll's own, or that of a source, which is a published design: JP's RFD 064
// (S64) and D17, adachsoft's tool compaction (ADA), OneClaw's FEAT-011 (ONE), J-CLI
// (JCL). Comments name these sources.
//
// # What views read
//
// Package inspect reads what views show: the breakdown of the window, what the planner
// will do next, the log of compactions.
//
// The package does no I/O and reads no clock: the caller passes times in.
package compact
