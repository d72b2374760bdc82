// Package demo is the built-in demo model: an HTTP server on 127.0.0.1 that implements OpenAI chat completions, so that
// a user without a key or a server sees the whole program work.
//
// It answers by six fixed rules, and says so in its first reply. It calls the tools that a request offers, on real files,
// streams, reports usage with cached tokens, has a small window, and refuses an overflow as llama.cpp does.
//
// Guarantees: nothing leaves the machine; this package reads and writes no files, its only effects are the tool calls
// that it asks the client for; it serves only requests with its random token and a loopback host name; the same request
// gives the same reply, except ids and time; a turn takes at most three steps; when a client disconnects, its reply stops
// at once.
package demo
