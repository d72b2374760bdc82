// Package gauge draws the gauge: one line that shows how full the context
// window is, what fills it, what the draft would add, and where the load line
// is.
//
// It guarantees that the result is exactly one line, never wider than asked and
// never empty, for every width from one column up; that every estimated number
// has a ~ before it; that the same reading always gives the same line; and
// that the colors change only when a reading reaches the load line or the hard
// line. The gauge can be read without color: each segment has its own glyph.
package gauge
