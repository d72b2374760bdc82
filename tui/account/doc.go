// Package account is the context view: what fills the window, by category and by
// item, where the lines are, what happens next, what overlays save, and what it cost.
//
// Guarantees: a view has exactly the height it is given and no line wider than its
// width; every number can be explained where it stands; estimates bear a ~; texts from
// models, tools and files are made safe; only rows in sight are drawn, so that a view
// can be shown anew for every token of a reply. It carries nothing out: what is
// asked for comes back as an action.
package account
