// Package choices sorts the rows of the pickers of models, conversations and themes, and formats
// the columns of a row. It does not draw and reads no files.
package choices
