package config

import (
	"encoding/json"
	"log/slog"
	"strings"
)

// Headers are HTTP headers by name. Their values may be secrets and never print.
type Headers map[string]string

func (h Headers) redacted() map[string]string {
	if h == nil {
		return nil
	}
	out := make(map[string]string, len(h))
	for name := range h {
		out[name] = hidden
	}
	return out
}

// String shows the names only.
func (h Headers) String() string {
	names := make([]string, 0, len(h))
	for _, name := range sortedKeys(h) {
		names = append(names, name+": "+hidden)
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// GoString shows the names only.
func (h Headers) GoString() string { return "config.Headers" + h.String() }

// LogValue shows the names only.
func (h Headers) LogValue() slog.Value { return slog.StringValue(h.String()) }

// MarshalJSON writes the names with hidden values.
func (h Headers) MarshalJSON() ([]byte, error) { return json.Marshal(h.redacted()) }
