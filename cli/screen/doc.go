// Package screen serves the screen: it opens, follows and copies conversations, and
// gives what surrounds them, from files that can be named to the ledger's pages.
package screen
