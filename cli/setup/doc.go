// Package setup prepares a run of the program: it loads settings from flags and configuration, keeps the trust in a
// workspace's file, opens the store and the log, and resolves a model's name to an address, a key and a connection. It
// decides where a conversation may be sent, and itself only requests information about models.
package setup
