// Package tui is the screen: a Bubble Tea program that shows one conversation
// and its load line, and takes the keyboard.
//
// Update does no I/O, waits for nothing and starts nothing: what takes time is
// a command (effects.go) with a context, and everything outside the screen is
// reached through the ports of ports.go. Only Model is a tea.Model; its parts
// have methods and return typed actions. View is a function of the model.
package tui
