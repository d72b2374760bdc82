// Package anthropictest has a server for tests that speaks the Messages API as its documentation has it: answers by
// script, and a check of every request and of the thinking in it that knows nothing of how requests are made.
package anthropictest
