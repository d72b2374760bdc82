// Package doctor looks at what the program depends on: configuration, stored
// conversations, keys, servers and the terminal. It shows no key.
package doctor
