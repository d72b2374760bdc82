// Package preview is the view that shows what a compaction would do: the gauge before and
// after, the range, the profile, what each layer saves, and what it costs.
//
// Guarantees: the request that the user accepts is valid: its bounds are turns of the
// conversation, either To or KeepLast sets the end, and only a profile that writes a
// summary has a focus or a review; the user can accept only the request whose numbers are
// on the screen; a view has exactly the lines and cells it is given; control characters of
// models and files are made visible.
//
// It is not a tea.Model: the parent calls Update, acts on the returned [pane.Action],
// computes the numbers of a changed request and calls Show.
package preview
