// Package show is how a conversation looks outside the screen: the context view and
// the ledger, for people and as JSON.
package show
