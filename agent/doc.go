// Package agent runs conversations: one goroutine owns a conversation, appends
// its events, asks the model, runs the tools it calls, and tells whoever
// watches.
//
// Two streams leave it and are never mixed: events, which are durable and typed
// and go to the log first (storage, then memory, then the watcher), and
// updates, which are for the screen. A streamed token is an update; the finished
// reply is an event.
//
// # Ownership
//
// The goroutine of [Agent.Run] owns log, view, meter and settings, and alone
// changes them. Methods of [Agent] put an order into its inbox and return at once.
// Updates leave through a [Mailbox]: putting one never blocks and loses nothing,
// and neighboring pieces of text merge.
//
// # Two halves
//
// [Agent] runs turns: message, request, reply, tool calls. The compactor reduces what
// the next request carries; the turn loop calls it between requests and when a turn
// has ended, and it calls nothing of the turn loop. Both work on the journal: log, view,
// meter, settings and rules. It has these ways to store events:
//
//   - append stores now, or fails and changes nothing
//   - keep stores now, or with the next append where that fails
//   - keepForLater stores while idle, and with the turn's next append otherwise
//   - flush stores what still waits for an append
//
// Each half is made of parts that own their state and are handed what they need; none
// knows [Agent]. Of the turn loop: queue, requester (streams and retries), replyKeeper,
// callRunner (tool calls and approvals), windowKeeper, display and inspector. Of the
// compactor: operations that wait, the job of a summary, preparedSummaries, scheduler,
// writers, records and manualEdits. Files use what stands below them: values (provider.go,
// state.go, update.go), then the journal, the parts, the two halves, commands and turns.
//
// # Compaction
//
// A compaction, like everything that changes what the model is sent, happens
// between requests: its overlays are one transaction. The user or the model asks
// for one, or the planner of package planner does, which runs before every request
// and after every turn.
//
// A summary is a job with its own goroutine, at most one for a conversation.
// It works on a copy: the snapshot of the log, model, provider, prompt and tools. It
// reads nothing that the owner changes. The owner takes the answer in between two
// requests, and only if the view still has the revision that the summary was written
// from and the window is no smaller. The summary then applies to the log as it is
// then; newer messages stand behind what it covers. Otherwise the log gets a
// [plimsoll/conversation.Attempt] that says why not. Until then nothing of the
// summary is in the log, so that Esc, quitting and a crash leave the old view.
// Failures in a row are counted from the log, nowhere else.
//
// Its states and every way between them stand in one table (state.go): idle,
// preparing, in review, ready, then applied, failed, cancelled or stale.
//
// A summary that waits for its reader is a job like any other until the user
// decides. A prepared summary waits in memory and joins the step that evicts what it
// covers.
//
// # Windows and endpoints
//
// The size of a context window is a fact about a moment: what a server reports,
// refuses and counts corrects it. In a small window the agent sends a shorter form
// of prompt and tools. Where the requests of a server share one cache, a summary
// makes way for the conversation.
//
// The package knows no wire, no file and no terminal: providers, storage and
// tools are ports declared here and implemented elsewhere.
package agent
