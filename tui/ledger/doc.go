// Package ledger is the view of all that compaction did to a conversation: every
// compaction, every one that failed, what was undone, redone, rewound and restored,
// and pins, the newest first.
//
// Guarantees: a view has exactly the height it is given and no line wider than its
// width; estimates bear a ~; texts from models, tools and files are made safe; only
// entries in sight are drawn. It changes nothing: what is asked for comes
// back as an action.
package ledger
