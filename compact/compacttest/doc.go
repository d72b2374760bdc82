// Package compacttest holds what the tests of package compact and of the packages below it share: conversations
// written in a line each, random logs, a check of requests, and golden files. Only tests import it.
package compacttest
