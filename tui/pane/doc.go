// Package pane is what the full-screen views share: a [Sheet] of rows with a panel below
// them and a table of keys, a [Reader] of a page, the frame with a title above and keys
// below, the list in it that draws only what is visible, the measuring of cells, and how
// numbers are written.
//
// Guarantees: a frame has exactly the lines and cells it is given; whatever does not
// fit is cut; a list costs what is visible and never what it holds. The package
// makes no text safe: what comes from models, tools and files passes package plain
// before it gets here.
package pane
