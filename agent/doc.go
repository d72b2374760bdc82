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
// Updates leave through a [plimsoll/agent/updates.Mailbox]: putting one never blocks and loses nothing,
// and neighboring pieces of text merge.
//
// # Two halves
//
// [Agent] runs turns: message, request, reply, tool calls. The compactor (agent/compactor)
// reduces what the next request carries; the turn loop calls it between requests and when a
// turn has ended. Both work on the journal of agent/core: log, view, meter, settings and
// rules.
//
// The turn loop is made of parts that own their state and are handed what they need; none
// knows [Agent]: queue, requester (streams and retries), replyKeeper, callRunner (tool calls
// and approvals), windowKeeper, display and inspector.
//
// # Windows and endpoints
//
// The size of a context window is a fact about a moment: what a server reports,
// refuses and counts corrects it. In a small window the agent sends a shorter form
// of prompt and tools.
//
// The package knows no wire, no file and no terminal: providers, storage and
// tools are ports declared in agent/llm and agent/core, and implemented elsewhere.
package agent
