// Package review is the view in which the user reads a summary, and may edit it, before it
// is applied.
//
// Guarantees: a summary without edits is applied byte for byte; edits are kept while the
// view is closed; the program's note below it cannot be edited; an empty summary, and one
// that is longer than what it replaces, cannot be applied; a view has exactly the lines and
// cells it is given; control characters of the model are made visible.
//
// It is not a tea.Model: the parent calls Update and acts on the returned [pane.Action].
package review
