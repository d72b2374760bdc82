// Package show writes the context view and the ledger of a conversation for the command line, as text and as JSON.
package show
