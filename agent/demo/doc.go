// Package demo is the built-in demo model: an HTTP server on 127.0.0.1 that
// speaks OpenAI chat completions, so that someone without a key or a server
// sees the whole program work.
//
// It is a table of six rules and says so in its first words. It drives the tools
// that a request offers, on real files, streams, reports usage with cached tokens,
// has a small window, and answers overflow as llama.cpp does.
//
// Guarantees: nothing leaves the machine and nothing is read or written by this
// package itself, the only effects are the calls it asks the client for; it
// serves only requests that carry its random token and name a loopback host;
// the same request gives the same reply, save ids and time; a turn takes at
// most three steps; a client that goes away stops its reply at once.
package demo
