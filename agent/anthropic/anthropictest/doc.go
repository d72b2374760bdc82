// Package anthropictest is a server for tests that implements the Messages API as documented: it gives scripted answers,
// and checks every request and the thinking in it. It shares no code with the package that makes the requests.
package anthropictest
