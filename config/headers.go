package config

import (
	"fmt"
	"strings"
)

// Headers are HTTP headers by name. Their values may be secret, so printing them shows only the names.
type Headers map[string]string

// MarshalText returns the names only, for JSON and logs.
func (h Headers) MarshalText() ([]byte, error) {
	names := make([]string, 0, len(h))
	for _, name := range sortedKeys(h) {
		names = append(names, name+": "+hidden)
	}
	return []byte("{" + strings.Join(names, ", ") + "}"), nil
}

// Format prints the names only.
func (h Headers) Format(f fmt.State, _ rune) {
	text, _ := h.MarshalText()
	_, _ = f.Write(text) // the printer reports its own errors
}
