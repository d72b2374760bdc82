// Package review is the view in which a summary is read, and may be changed, before it
// takes effect.
//
// Guarantees: a text that nobody changed is taken in byte for byte; one that was changed
// stays while the view is closed; what the program adds cannot be changed; no text is
// taken in that says nothing or makes no room; a view has exactly the lines and cells it
// is given; text of others is made safe before it is drawn.
//
// It is not a tea.Model: the parent gives it messages and gets a [pane.Action] back.
package review
