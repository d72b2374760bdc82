// Package compact turns a conversation's log into what the model is sent, makes
// the overlays that shorten it, and knows how full that makes the context window.
//
// # From a log to a request
//
// [Project] is a pure function of the log, its overlays included: no clock, no
// configuration, no randomness and no token counts enter it. [View.Extend] is
// the same for a log that grew, at the cost of what is new. [Harden] makes a
// view into messages that an endpoint with given [Capabilities] accepts. [Meter]
// turns the sizes a view carries into tokens, anchored on what the provider
// reported.
//
// # From a wish to overlays
//
// [NewPass] works out what a [Wish] comes to on a log under [Rules]: which turns
// ([ResolveRange]), by which policies ([Rules.Policies]), with what before and
// after ([Pass.Preview]). It commits nothing; [Pass.Bodies] is for the caller to
// append, as one epoch. Where a model has to write, the pass has a [SummaryJob],
// and [Pass.Accept] decides whether an answer counts. [Undo] and [Redo] are
// overlays too. Whatever could differ tomorrow stands in the overlay from then
// on: projecting reads no rules.
//
// Rules start from a [Preset]: Plimsoll's own, or that of a source, which is a
// published design: JP's RFD 064 (S64) and D17, adachsoft's tool compaction (ADA),
// OneClaw's FEAT-011 (ONE), J-CLI (JCL). [PresetView] shows what one would give for
// a log now.
//
// The package does no I/O and reads no clock: what depends on the time is given it.
package compact
