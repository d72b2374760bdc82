// Package anthropictest has a server for tests that speaks the Messages API as its documentation has it: streams and
// failures by script, a prompt cache that keeps to the documented rules, and a check of every request that knows nothing of
// how requests are made. It listens on loopback only.
package anthropictest
