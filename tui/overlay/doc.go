// Package overlay draws what lies over the chat: questions that want an
// answer (Approve, Ask, Confirm), lists to choose from (Picker) and pages to
// read (Text), on a stack of which the top one has the keys.
//
// It guarantees that every dialog fits on the screen from 20 columns and 8
// lines up and that its border holds whatever it shows; that all text it is
// given is made safe before it is drawn; that what is shown of a command, a
// title or a diff is all of it, by scrolling if need be; and that a question is
// not answered by keys that were meant for something else: it takes an answer
// only when no key was pressed for a moment after it came up.
//
// Dialogs are values the parent pushes. Each is made with a function that turns its
// answer into the action that the parent does. There is no clock here: the parent says
// what time it is.
package overlay
