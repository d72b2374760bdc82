// Package find looks for words in texts, as a reader means them: upper and lower
// case are alike, all words have to occur, and "words in quotes" have to stand
// together. It is what searches over conversations and within one share.
package find

// Query is what is looked for.
type Query struct{ terms []string }

// Span is a place in a text, in bytes.
type Span struct{ Start, End int }
