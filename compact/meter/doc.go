// Package meter measures how full the context window is. A Meter is a value. It starts from the token count that the
// provider last reported for the current view, and adds a calibrated estimate of everything added since. A Reading is
// the result at one moment, together with the load line and the hard line; it marks which numbers are reported and
// which are estimated.
//
// Expect predicts the prompt count of a report, so that a prompt that the server truncated silently is detected.
package meter
