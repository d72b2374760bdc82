package config

import (
	"fmt"
	"reflect"
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

func decodeShare(n *node, v reflect.Value) error {
	if n.kind == textNode && n.text == autoWord {
		v.SetFloat(float64(AutoShare))
		return nil
	}
	if n.kind == textNode {
		return &valueError{fmt.Sprintf("%s is no share of the window", quote(n.text)), "write a share above 0 and up to 1, or " + autoWord}
	}
	return decodeFloat(n, v, field{tag: `check:"ratio"`})
}
