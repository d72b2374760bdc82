// Package compact turns a conversation's log into what the model is sent, and
// knows how full that makes its context window.
//
// [Project] is a pure function of the log: no clock, no configuration, no
// randomness and no token counts enter it. [Harden] makes a view into messages
// that an endpoint with given [Capabilities] accepts. [Meter] turns the sizes a
// view carries into tokens, anchored on what the provider reported.
//
// The package does no I/O and reads no clock: what depends on the time is given it.
package compact
