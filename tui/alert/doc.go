// Package alert decides when to send the user a notification, and what the terminal's progress bar shows. It does no I/O and
// reads no clock. How the terminal shows notifications is up to the caller.
package alert
