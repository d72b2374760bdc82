// Package composer is the multi-line input at the bottom of the chat: text
// editing, prompt history, completion of commands and file mentions, folded
// pastes and shell lines.
//
// It guarantees that its view never is wider than its width and that its box
// takes a third of the screen at most (one line of text at least); that text
// that enters it holds no control characters but line ends and tabs; that the
// size of the draft is known at every moment without reading it again; and that
// no draft is lost by browsing history or by clearing.
//
// Its parts: [Model] routes keys and draws; package edit holds the text; history
// is the prompts of before, search looks in them; completion is the list of
// commands and files, fileIndex what files there are.
//
// It is not a tea.Model: the parent gives it messages and gets a [pane.Action] back.
package composer
