// Package edit works out what changes how a conversation is shown, and commits none of
// it: compactions that somebody asks for or that a plan calls for, their undo and redo,
// pins and masks by hand, turns that are rewound, and the cut of a fork.
//
// A request ([Request]) names a range of turns and a profile. [NewProposal] works it out on a
// log. [Proposal.Preview] is the dry run, and [Proposal.Bodies] are the overlays for the caller
// to append in one transaction. If a model has to write, [Proposal.Job] says what to ask,
// and [Proposal.Accept] decides whether the answer counts.
package edit
