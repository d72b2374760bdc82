// Package edit works out what changes how a conversation is shown, and commits none of
// it: compactions that somebody asks for or that a plan calls for, their undo and redo,
// pins and masks by hand, turns that are rewound, and the cut of a fork.
//
// A request ([Wish]) names a range of turns and a profile. [NewPass] works it out on a
// log. [Pass.Preview] is the dry run, and [Pass.Bodies] are the overlays for the caller
// to append in one transaction. If a model has to write, [Pass.Job] says what to ask,
// and [Pass.Accept] decides whether the answer counts.
package edit
