// Package gauge draws the gauge: one line that says how full the context
// window is, what fills it, what the draft would add, and where the load line
// is.
//
// It guarantees that the line is exactly one line, never wider than asked and
// never empty, for every width from one column up; that every estimated number
// has a ~ before it; that the same reading always gives the same line; and
// that colour changes when a reading reaches the load line or the hard line
// and at no other place. Everything reads without colour: each segment has a
// glyph of its own.
package gauge
