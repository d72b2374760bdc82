// Package setup turns what the user asked for into what a run works with: flags and
// configuration into settings, the trust in a workspace's file, the store and the
// log, and a model's name into an address, a key and a connection. It tells where a
// conversation may be sent; nothing is sent here but questions about models.
package setup
