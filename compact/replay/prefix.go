package replay

import (
	"unicode/utf8"

	"plimsoll/compact/projection"
)

// commonChars returns the length of the common prefix of two different messages, in code points.
func commonChars(a, b *projection.Message) int {
	if a.Role != b.Role || a.CallID != b.CallID {
		return 0
	}
	texts := [][2]string{{a.Text, b.Text}}
	for i := 0; i < min(len(a.Calls), len(b.Calls)) && a.Calls[i].ID == b.Calls[i].ID; i++ {
		texts = append(texts, [2]string{a.Calls[i].Name, b.Calls[i].Name}, [2]string{a.Calls[i].Arguments, b.Calls[i].Arguments})
	}
	n := 0
	for _, pair := range texts {
		n += commonTextChars(pair[0], pair[1])
		if pair[0] != pair[1] {
			break
		}
	}
	return n
}

// commonTextChars returns the length of the common prefix of two texts, in code points.
func commonTextChars(a, b string) int {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	for i > 0 && i < len(a) && !utf8.RuneStart(a[i]) {
		i--
	}
	return utf8.RuneCountInString(a[:i])
}
