// Package llm is what the agent knows of language models: the model and its prices, a
// request and the reply that streams back, failures, and when to try again.
//
// A [Provider] sends requests; agent/openai implements it.
package llm
