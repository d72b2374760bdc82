package replay

import (
	"unicode/utf8"

	"plimsoll/compact/projection"
)

// same reports whether two messages are the same on the wire.
func same(a, b *projection.Message) bool {
	if a.Role != b.Role || a.CallID != b.CallID || len(a.Calls) != len(b.Calls) || a.Text != b.Text {
		return false
	}
	for i := range a.Calls {
		if a.Calls[i].ID != b.Calls[i].ID || a.Calls[i].Name != b.Calls[i].Name || a.Calls[i].Arguments != b.Calls[i].Arguments {
			return false
		}
	}
	return true
}

// inCommon is how many code points two messages that differ begin with alike.
func inCommon(a, b *projection.Message) int {
	if a.Role != b.Role || a.CallID != b.CallID {
		return 0
	}
	n, whole := alike(a.Text, b.Text)
	for i := 0; whole && i < min(len(a.Calls), len(b.Calls)); i++ {
		if a.Calls[i].ID != b.Calls[i].ID {
			break
		}
		var more int
		if more, whole = alike(a.Calls[i].Name, b.Calls[i].Name); !whole {
			return n + more
		}
		n += more
		more, whole = alike(a.Calls[i].Arguments, b.Calls[i].Arguments)
		n += more
	}
	return n
}

// alike is how many code points two texts begin with alike, and whether they are
// the same.
func alike(a, b string) (chars int, whole bool) {
	if a == b {
		return utf8.RuneCountInString(a), true
	}
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	for i > 0 && i < len(a) && !utf8.RuneStart(a[i]) {
		i--
	}
	return utf8.RuneCountInString(a[:i]), false
}
