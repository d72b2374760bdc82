// Package composer is the multi-line input at the bottom of the chat: text
// editing, prompt history, completion of commands and file mentions, folded
// pastes and shell lines.
//
// Its view is never wider than its width, and its box takes at most a third of
// the screen, but at least one line of text. The only control characters in its
// text are line ends and tabs. It counts the size of the draft while it changes,
// without reading it again. Browsing the history or clearing the composer never
// loses a draft.
//
// Its parts: [Model] routes keys and draws; package edit holds the text; history holds
// the earlier prompts, which search searches; completion lists commands and files;
// fileIndex holds the files that can be mentioned.
//
// It is not a tea.Model: the parent passes messages to Update, which returns a [pane.Action].
package composer
