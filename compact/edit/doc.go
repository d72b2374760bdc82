// Package edit computes the overlays that change how a conversation is shown, and commits
// none of them: compactions that a user, a model or the planner requests, their undo and
// redo, manual pins and masks, the redo of rewound turns, and the cut of a fork.
//
// A request ([Request]) names a range of turns and a profile. [NewProposal] computes it for a
// log. [Proposal.Preview] is the dry run, and [Proposal.Bodies] are the overlays for the caller
// to append in one transaction. If a model has to write a summary, [Proposal.Job] is the
// request to send it, and [Proposal.Accept] accepts or refuses the answer.
package edit
