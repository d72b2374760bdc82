// Package markdown renders Markdown to lines for a terminal, whole or while it streams.
//
// Guarantees, for any source and a width of 10 or more:
//   - no line is wider than the width, measured with ansi.StringWidth; no line ends in an open style, none but code on a surface in spaces
//   - prose keeps to 100 cells of a wider width
//   - lines hold no control sequence but SGR, and OSC 8 where links are asked for: the source is sanitised first; each link
//     ends with its line
//   - nothing that was written is dropped: HTML is shown as it stands, a link shows its text and its address
//   - the same source, width and style give the same lines, and a stream ends in the lines of the whole source
//   - cost grows with the length of the source, also for one huge fence, list or table
//
// Goldmark parses, glamour renders tables, chroma colours code. Blocks are rendered one by one and kept, so that a stream
// costs what its newest block costs. All else is drawn here, because glamour indents neither the second line of an item
// nor the blocks in it, and takes five times as long for a paragraph.
package markdown
