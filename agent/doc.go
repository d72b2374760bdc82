// Package agent runs conversations: one goroutine owns a conversation, appends its events, sends requests to the
// model, runs the tools it calls, and publishes updates.
//
// It has two outputs: events, which are stored (in storage first, then in memory), and updates, which are for
// the screen and not stored. A streamed token is an update; the finished reply is an event.
//
// # Ownership
//
// The goroutine of [Agent.Run] owns log, view, meter and settings, and only it changes them. Methods of [Agent]
// put a command into its inbox and return at once. Updates leave through a [plimsoll/agent/updates.Mailbox]: Put
// never blocks and loses nothing, and neighboring pieces of text merge.
//
// # Two halves
//
// [Agent] runs turns: message, request, reply, tool calls. The compactor (agent/compactor) reduces what the next
// request carries; the turn loop calls it between requests and when a turn has ended. Both use the journal of
// agent/core: log, view, meter, settings and rules.
//
// The turn loop consists of parts with their own state, which do not know [Agent]: queue, requester (streams and
// retries), replyKeeper, callRunner (tool calls and approvals), windowKeeper, display and inspector.
//
// # Windows and endpoints
//
// The known size of a context window can change at any time: reports, refusals and counts of the server correct
// it. In a small window the agent sends a shorter form of prompt and tools.
//
// The package knows no wire, no file and no terminal: providers, storage and tools are ports declared in
// agent/llm and agent/core, and implemented elsewhere.
package agent
