package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"plimsoll/conversation/plain"
)

// Output of commands. In JSON, characters that a terminal would interpret are written as \u escapes, which decode to the same
// text. Plain text is made safe for a terminal, and is unchanged in a pipe or a file.

// Note writes a message to standard error that is not a failure.
func (c *Console) Note(format string, args ...any) {
	fmt.Fprintln(c.Stderr, "plimsoll: "+plain.Text(fmt.Sprintf(format, args...)))
}

// Text is s, made safe if standard output is a terminal.
func (c *Console) Text(s string) string {
	if Terminal(c.Stdout) {
		return plain.Text(s)
	}
	return s
}

// WriteJSON writes one value as indented JSON.
func WriteJSON(w io.Writer, v any) error { return encodeJSON(w, v, "  ") }

// WriteLine writes one value as JSON on one line.
func WriteLine(w io.Writer, v any) error { return encodeJSON(w, v, "") }

func encodeJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	_, err := w.Write(EscapeControls(b.Bytes()))
	return err
}

// EscapeControls escapes the characters in encoded JSON that a terminal would interpret. They occur only inside strings.
func EscapeControls(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r < 0x7f || plain.Text(string(r)) == string(r) { // the encoder has escaped the controls of ASCII
			out = append(out, data[:size]...)
		} else {
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		}
		data = data[size:]
	}
	return out
}

// OrNull is a pointer to a value, nil for the zero value: null in JSON means unknown.
func OrNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
