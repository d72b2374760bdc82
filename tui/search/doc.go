// Package search is the view that looks for words in all conversations: a line to
// type in, and below it what was found, by conversation.
//
// Guarantees: a view has exactly the height it is given and no line wider than its
// width; the place that was found is in sight in every hit, whatever the width; texts
// from models, tools and files are made safe; only rows in sight are drawn. Letters
// always go into the line, so that nothing but keys without a letter moves. The view
// does not search: what is asked for comes back as an action.
package search
