// Package planner decides when to compact automatically, and which events.
//
// [Check.Plan] makes one decision from the moment, the log and its view, the meter, the idle
// time, prices, and the history of earlier compactions ([HistoryOf]). It returns a [Plan]. It is
// pure, so that the agent and package replay can call the same function. While no compaction
// is due, it reads neither the log nor any text.
//
// Plimsoll's own rules act above the load line, and earlier when the provider's cache is cold,
// because changing the prefix then costs nothing extra. They evict the oldest units down to a
// target at once, so that the cached prefix changes once and not at every request. A note
// replaces the units, and a summary replaces some of them if a model wrote one in time. The presets
// of other designs follow their own rules. Above the hard line [Check.Recover] frees space without a model.
//
// [Check.Forecast] predicts the next compaction, with the same functions.
package planner
