// Package edit is the text editor of the composer, the dialogs, the review of a summary and all searches.
//
//   - [Buffer] is a text with a cursor, laid out in rows. A change updates only the changed lines.
//   - [Editor] is a buffer with undo, redo, and yank of cut text.
//   - [Field] is an editor with keys and a size on the screen.
//
// Characters, emoji and folded pastes are never split, and there is always a cell for the cursor.
// The package sanitises text only if the caller says how: see [Clean] and [Field.Safe].
//
// The text area and the text input of charm.land/bubbles are not used: on a text of 8 KB a key took 2.6 to 6.7 ms where it
// takes a fraction of one here, they edit code points instead of characters, and an input method would open beside the text.
package edit
