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

// What commands write. JSON holds no character that a terminal would act on:
// such characters are written as \u escapes, which changes nothing for whoever
// decodes it. Plain text is made safe where it goes to a terminal and stays
// the text where it goes to a pipe or a file.

// Note tells something on standard error that is no failure.
func (c *Console) Note(format string, args ...any) {
	fmt.Fprintln(c.Stderr, "plimsoll: "+plain.Text(fmt.Sprintf(format, args...)))
}

// Text is s as standard output may have it.
func (c *Console) Text(s string) string {
	if Terminal(c.Stdout) {
		return plain.Text(s)
	}
	return s
}

// WriteJSON writes one indented value.
func WriteJSON(w io.Writer, v any) error { return encodeJSON(w, v, "  ") }

// WriteLine writes one value on a line of its own.
func WriteLine(w io.Writer, v any) error { return encodeJSON(w, v, "") }

func encodeJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	_, err := w.Write(Shield(b.Bytes()))
	return err
}

// Shield escapes what a terminal would act on in encoded JSON. Such characters
// stand only inside strings there.
func Shield(data []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if harmless(r) {
			i += size
			continue
		}
		out = append(out, data[done:i]...)
		for _, unit := range utf16.Encode([]rune{r}) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
		i += size
		done = i
	}
	if out == nil {
		return data
	}
	return append(out, data[done:]...)
}

// harmless reports whether a character can be shown as it is.
func harmless(r rune) bool {
	if r < 0x7f {
		return true // the encoder has escaped the controls
	}
	s := string(r)
	return plain.Text(s) == s
}

// Or is a value, or null in JSON if it is the zero value: what is not known.
func Or[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
