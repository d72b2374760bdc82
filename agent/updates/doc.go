// Package updates is what the agent tells whoever watches a conversation. Updates are for
// the screen: they are many, and forgotten. Only [Appended] is backed by the log.
//
// They leave the agent through a [Mailbox]. Putting one never blocks and loses nothing,
// and neighboring pieces of text merge.
package updates
