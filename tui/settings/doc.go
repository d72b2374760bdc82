// Package settings is the view in which settings are seen and changed: what each is, where its value comes from, what it
// does, and what another value would make of the gauge and of the next compaction before it is accepted.
//
// Guarantees: nothing changes before it is accepted; what is shown of a value that is being changed is about that value and
// no earlier one; a view has exactly the lines and cells it is given; texts of others are made safe before they are drawn.
//
// It is not a tea.Model: the parent gives it messages and gets a [pane.Action] back, works out what it asks for and shows it
// the answer.
package settings
