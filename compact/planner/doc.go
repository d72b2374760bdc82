// Package planner decides when to compact automatically, and what to take.
//
// [Check.Plan] is one look: it gets the moment, log and view, the meter, how long nothing was
// sent, prices, and what earlier compactions left ([PastOf]). It answers with a [Plan], and is
// pure, so that the agent and package replay ask the same function. The usual answer, nothing,
// reads neither log nor texts.
//
// Plimsoll's own rules act above the load line, and earlier when the provider's cache is cold,
// because then a new beginning costs nothing extra. A step evicts the oldest units down to a
// target, in one go, so that the cache breaks once and not at every request. A note stands for
// them; a summary replaces parts of it where a model wrote one in time. The presets of other
// designs act as these say. Above the hard line [Check.Recover] makes room without a model.
//
// [Check.Forecast] foretells what the planner does next, by asking it.
package planner
