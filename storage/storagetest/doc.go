// Package storagetest holds the suite that every store of conversations has to
// pass.
//
// It is about the contract the agent relies on: what was appended is
// loaded, in order and whole; a partial reply lasts until a reply replaces it;
// a text is found under its name. Files, locks and crashes are the business of
// the tests of package storage.
package storagetest
