// Package pane has what the full-screen views share: a [ListDetail] of rows or of a page, with its
// keys; a [Frame] with a title above and keys below; a [List] that draws only visible rows;
// functions that cut, wrap and align text by cells; bars; and the formats of numbers.
//
// Guarantees: a frame has exactly the lines and cells it is given, and what does not fit
// is cut; the cost of a list depends on its visible rows, not on their number. The package
// does not make text safe: callers pass texts of models, tools and files through package
// plain first.
package pane
