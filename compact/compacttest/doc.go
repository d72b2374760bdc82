// Package compacttest has shared helpers for the tests of package compact and the packages below it: a builder for
// conversation logs, generators of random logs, a check of requests, and golden files. Only tests import it.
package compacttest
