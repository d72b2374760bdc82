// Package updates has the messages that the agent sends to whoever watches a conversation, usually a screen. There
// are many of them and none is stored: only [Appended] reports what is in the log.
//
// They leave the agent through a [Mailbox]. Putting one never blocks and loses nothing, and neighboring pieces of
// text merge.
package updates
