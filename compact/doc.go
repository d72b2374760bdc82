// Package compact decides when the prompt of a conversation is shortened, and how. The
// packages below it turn the log into messages, measure them, and write notes and summaries;
// those above it commit and show.
//
// Package projection turns the log into messages.
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
// [Check.Plan] decides when to compact automatically. It is pure, and the agent
// and package replay ask the same function. It gets a [Check]: the moment, log and
// view, the meter, how long nothing was sent, prices, and what earlier compactions
// left. The usual answer, nothing, reads neither log nor texts. Plimsoll's own rules
// act above the load line, and earlier when the provider's cache is cold, because
// then a new beginning costs nothing extra. A step evicts the oldest units down to a
// target, in one go, so that the cache breaks once and not at every request. One
// note, made by rule, stands for them: what was done, the user's own words, and an
// index of names. A summary replaces parts of it where a model wrote one in time.
// Above the hard line [Check.Recover] makes room without a model.
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
