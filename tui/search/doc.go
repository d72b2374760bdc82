// Package search is the view that searches all conversations: a field for the query,
// and below it the hits, grouped by conversation.
//
// Guarantees: a view has exactly the height it is given and no line wider than its
// width; every hit shows the matching words, whatever the width; control characters of
// models, tools and files are made visible; only rows on the screen are drawn. Letters
// always go into the field, so only keys without a letter move the cursor. The view
// does not search: Update returns the query for the parent.
package search
