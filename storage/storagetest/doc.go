// Package storagetest is the conformance suite for a store of conversations.
//
// It tests the contract that the agent relies on: all appended events are loaded in order; a
// partial reply is kept until a reply replaces it; a text is found by its name. The tests of
// package storage cover files, locks and crashes.
package storagetest
