// Package screen is the backend of the screen: it opens, follows and copies conversations, and provides everything else that
// the screen shows, from files that can be mentioned to settings and pages of text.
package screen
