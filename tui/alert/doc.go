// Package alert decides when the user is worth calling back to the screen, and what the terminal's progress bar shows. It
// does no I/O and reads no clock; how a terminal shows either is not its business.
package alert
