// Package openai is the client of all endpoints: chat completions, the Responses API for models that need it, and
// Anthropic's Messages API through package anthropic.
//
// Requests and replies have the types of github.com/sashabaranov/go-openai, which no other package imports, but this
// package sends and reads them itself. So a failure is an [llm.Error] with the server's wishes about retrying, and
// keep-alives, broken connections, error events and bodies that are not streams are all recognised.
//
// # Guarantees
//
//   - A [Client] is an [llm.Provider]: it yields what arrives when it arrives. A failure comes once and last. A reply
//     without a stop reason never counts as complete.
//   - Whatever a server sends, in whatever pieces, reading it ends: at its end, at a size limit, or at a time limit.
//   - No key and no secret header value appears in an error.
//   - Every reply comes with the form of its request, which records all choices made for the body. From the request and
//     the form [Client.Body] makes the same bytes again, also in later versions.
//   - Ending the context or breaking the loop closes the connection; no goroutine outlives the loop.
//
// [Discover] asks an endpoint for its models and its window. [LocalServers] finds servers on this machine.
package openai
