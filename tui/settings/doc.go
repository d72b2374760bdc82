// Package settings is the view that shows and changes settings: the value of each, where it comes from and what it does. Before
// the user accepts another value, the view shows its effect on the gauge and on the next compaction.
//
// Guarantees: no value changes before the user accepts it; a shown effect always belongs to the value on the screen; a view has
// exactly the lines and cells it is given; control characters in values are made visible.
//
// It is not a tea.Model: the parent calls Update, acts on the returned [pane.Action] and shows the result with ShowEffect or
// Done.
package settings
