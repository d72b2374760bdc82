// Package anthropic implements Anthropic's Messages API without the connection: a request becomes a body, and the events
// of a stream become chunks. Package openai sends both, as it does for its own protocols.
//
// Guarantees:
//   - a body depends only on the request and its [WireForm]: the same two give the same bytes
//   - roles alternate, all results of a message's calls come first in the user message after it, and no content is empty
//   - thinking and its signatures go back unchanged, in their place, and only to the model that they came from
//   - a body has at most four cache breakpoints, and none after a prefix that is too short for the cache
//   - a reply without a stop reason is an error
package anthropic
