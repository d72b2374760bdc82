// Package anthropic is the Messages protocol: a request becomes a body, the events of a stream become chunks. It opens
// no connection: package openai carries both, as it does for its own protocols.
//
// Guarantees:
//   - a body is a function of the request and of its [Form]: the same two give the same bytes
//   - roles alternate, all results of one message's calls stand first in the one user message behind it, and no content
//     is empty
//   - thinking and its signatures go back exactly as they came, in their place, to the model they came from and to no
//     other
//   - at most four cache breakpoints, none behind less than can be cached
//   - a reply without a stop reason is an error
package anthropic
