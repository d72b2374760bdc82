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
	var out []byte
	copied := 0
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if isHarmless(r) {
			i += size
			continue
		}
		out = append(out, data[copied:i]...)
		for _, unit := range utf16.Encode([]rune{r}) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
		i += size
		copied = i
	}
	if out == nil {
		return data
	}
	return append(out, data[copied:]...)
}

// isHarmless reports whether a character is safe on a terminal.
func isHarmless(r rune) bool {
	if r < 0x7f {
		return true // the encoder has escaped the controls
	}
	s := string(r)
	return plain.Text(s) == s
}

// OrNull is a pointer to a value, nil for the zero value: null in JSON means unknown.
func OrNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
