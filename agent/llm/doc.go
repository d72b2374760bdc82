// Package llm is what the agent knows of language models: the model and its prices, a
// request and the reply that streams back, failures, and when to try again.
//
// A [Provider] sends requests; agent/openai implements it. A [Lane] keeps the requests for
// summaries apart from those of the conversation where a server's requests share one cache.
package llm
