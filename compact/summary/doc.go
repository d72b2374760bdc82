// Package summary writes the texts that replace a part of a conversation.
//
// The program itself writes a note when the planner evicts the oldest units ([Note]). It lists
// what was done in each turn, quotes the user, and ends with an index of names, so that
// nothing that must be kept depends on a model.
//
// A summary is written by a model. [RawJob], [ViewJob] and [MergedJob] build the request, as a
// [Job]. [Chunks] splits one that is too long for the window. The caller sends it, and [Accept]
// accepts or refuses the [Answer]: it must be complete, and much shorter than the messages it
// covers. [Extract] answers a job without a model, by choosing sentences.
package summary
