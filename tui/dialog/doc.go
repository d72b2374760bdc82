// Package dialog draws what lies over the chat: questions that want an
// answer (Approve, Ask, Confirm), lists to choose from (Picker) and pages to
// read (Text), on a stack of which the top one has the keys.
//
// Every dialog fits on a screen of 20 columns and 8 lines or more, and no text
// breaks its border. All text is sanitised before it is drawn. Commands, titles
// and diffs are shown completely, by scrolling if they do not fit. Keys that were
// meant for something else do not answer a question: it accepts an answer only
// after no key was pressed for a moment since it opened.
//
// The parent pushes dialogs. Each is made with a function that turns its answer into an
// action for the parent. The package reads no clock: the parent passes the
// time.
package dialog
