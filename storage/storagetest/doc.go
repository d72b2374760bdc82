// Package storagetest holds what tests of and around the store share: a suite
// every store of conversations has to pass, and a store in memory that passes
// it.
//
// The suite is about the contract the agent relies on: what was appended is
// loaded, in order and whole; a partial reply lasts until a reply replaces it;
// a text is found under its name. Files, locks and crashes are the business of
// the tests of package storage.
//
// [Memory] uses neither files nor goroutines nor the clock, so it may be used
// inside a testing/synctest bubble.
package storagetest
