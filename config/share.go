package config

import (
	"strconv"
)

// Share is a share of the context window in (0, 1], or [AutoShare].
type Share float64

// AutoShare leaves a share to the size of the window. In the file it is a word, as [AutoChars] is.
const AutoShare Share = 0

// String writes the share as it stands in the file.
func (s Share) String() string {
	if s == AutoShare {
		return autoWord
	}
	return strconv.FormatFloat(float64(s), 'g', -1, 64)
}
