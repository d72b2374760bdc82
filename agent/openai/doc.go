// Package openai talks to any endpoint of OpenAI's protocols: chat completions
// everywhere, and the Responses API where a model needs it.
//
// It is the only importer of github.com/sashabaranov/go-openai, whose types requests
// and replies have. It sends and reads them itself: failures are values of
// [llm.Error] with what the server said of retrying, and comments, cut connections,
// error events and bodies that are no streams are all seen for what they are.
//
// # Guarantees
//
//   - A [Client] is an [llm.Provider]: what arrives is yielded as it
//     arrives, a failure comes once and last, a reply without a stop reason is
//     never taken for a whole one.
//   - Whatever a server sends, in whatever pieces, reading it ends: by its
//     end, by a limit on what is kept, or by a limit on silence.
//   - No key and no secret header value appears in an error.
//   - Every reply says in what form its request was put into bytes; with the
//     request, [Client.Body] makes the same bytes of it, in any later version.
//   - Ending the context or breaking the loop closes the connection; no
//     goroutine outlives the loop.
//
// [Discover] asks an endpoint for its models and the window it really serves,
// [Local] finds servers on this machine.
package openai
