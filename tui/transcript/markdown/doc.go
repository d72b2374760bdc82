// Package markdown renders Markdown to lines for a terminal, whole or while it streams.
//
// Guarantees, for any source and a width of 10 or more:
//   - no line is wider than the width, measured with ansi.StringWidth; every line closes its styles; only code on a
//     background ends in spaces
//   - text other than code and tables uses at most 100 cells
//   - the only control sequences are SGR, and OSC 8 if links are enabled: the source is sanitised first; each link
//     ends with its line
//   - no text of the source is dropped: HTML is shown as source, a link shows its text and its address
//   - the same source, width and style give the same lines, and a stream ends in the lines of the whole source
//   - cost grows with the length of the source, also for one huge fence, list or table
//
// Goldmark parses, glamour renders tables, chroma colours code. Blocks are rendered one by one and cached, so that a stream
// costs only what its newest block costs. This package draws the rest, because glamour indents neither the second line of an item
// nor the blocks in it, and takes five times as long for a paragraph.
package markdown
