// Package summary writes what stands for a part of a conversation.
//
// A note is written by the program, when the planner evicts the oldest units ([Note]). It lists
// what was done by turn, quotes the user, and ends with an index of names, so that nothing
// that must be kept depends on a model.
//
// A summary is written by a model. [RawJob], [ViewJob] and [MergedJob] build the request, as a
// [Job]. [Chunks] splits one that is too long for the window. The caller sends it, and [Accept]
// decides whether the [Answer] counts: it has to be whole, and much shorter than what it
// covers. [Extract] answers a job without a model, by picking sentences.
package summary
