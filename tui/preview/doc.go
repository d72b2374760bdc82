// Package preview is the view in which a compaction is looked at before it is made:
// the gauge now and then, the range, the profile, what each layer saves, what it costs.
//
// Guarantees: a request that comes out of it can be made: its bounds are
// turns of the conversation, one of To and KeepLast says where it ends, and only a
// profile that makes a summary has a focus or a review; what is accepted is what the
// numbers on the screen are about; a view has exactly the lines and cells it is given;
// text of others is made safe before it is drawn.
//
// It is not a tea.Model: the parent gives it messages and gets a [pane.Action] back, works a
// changed request out and shows it again.
package preview
