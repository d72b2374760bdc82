// Package breakdown is the context view (/context): what fills the window, by category and by
// item, where the lines are, what happens next, what compaction saves, and what requests cost.
//
// Guarantees: a view has exactly the height it is given and no line wider than its
// width; every row has an explanation; estimates begin with ~; control characters in texts
// of models, tools and files are made visible; only rows on the screen are drawn, so that
// the view can be updated for every token of a reply. It changes nothing itself: Update
// returns an action for the parent.
package breakdown
