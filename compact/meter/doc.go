// Package meter says how full the context window is. A Meter is a value: it anchors on the
// prompt that the provider last reported for the view in force, and adds a calibrated
// estimate of what came after. A Reading is what it says at one moment, with the load line
// and the hard line; each number tells whether it is reported or estimated.
//
// Expect compares what a server reports with what was sent, and finds prompts that were
// cut silently.
package meter
