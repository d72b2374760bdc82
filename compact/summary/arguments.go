package summary

import (
	"encoding/json"
	"slices"
	"strings"
)

// Arguments of calls hold whole files. What is wanted of them is a path, so the
// rest is passed over and never decoded.

// field is a field of a JSON object.
type field struct {
	rank  int
	value any
}

// fieldsIn is the fields of a JSON object that have a rank by their names other than
// 0, in the order of their ranks; of those with one rank the last. It is nil if the
// text is no such object.
func fieldsIn(raw string, rank func(name string) int) []field {
	const space = " \t\r\n"
	rest, ok := strings.CutPrefix(strings.TrimSpace(raw), "{")
	var fields []field
	for ok {
		rest = strings.TrimLeft(rest, space+",")
		if strings.HasPrefix(rest, "}") {
			slices.SortFunc(fields, func(a, b field) int { return a.rank - b.rank })
			return fields
		}
		n := valueEnd(rest)
		name, isName := decoded(rest[:n]).(string)
		if !isName {
			return nil
		}
		if rest, ok = strings.CutPrefix(strings.TrimLeft(rest[n:], space), ":"); !ok {
			return nil
		}
		rest = strings.TrimLeft(rest, space)
		if n = valueEnd(rest); n == 0 {
			return nil
		}
		if r := rank(name); r != 0 {
			fields = slices.DeleteFunc(fields, func(f field) bool { return f.rank == r })
			fields = append(fields, field{r, decoded(rest[:n])})
		}
		rest = rest[n:]
	}
	return nil
}

// decoded is a JSON value, nil if it is none.
func decoded(raw string) any {
	if len(raw) >= 2 && raw[0] == '"' && !strings.ContainsFunc(raw, func(r rune) bool { return r == '\\' || r < ' ' }) {
		return raw[1 : len(raw)-1]
	}
	var v any
	if json.Unmarshal([]byte(raw), &v) != nil {
		return nil
	}
	return v
}

// valueEnd is how many bytes the JSON value takes that a text begins with; 0 if it
// does not end.
func valueEnd(text string) int {
	depth := 0
	for i := 0; i < len(text); {
		switch text[i] {
		case '"':
			n := stringEnd(text[i:])
			if n == 0 {
				return 0
			}
			if i += n; depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return 0
}

// stringEnd is how many bytes the JSON string takes that a text begins with; 0 if
// it does not end.
func stringEnd(text string) int {
	for i := 1; ; i++ {
		n := strings.IndexByte(text[i:], '"')
		if n < 0 {
			return 0
		}
		i += n
		escapes := 0
		for text[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}
