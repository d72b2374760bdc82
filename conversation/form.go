package conversation

import (
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"
)

// FormField is one field of a form that the user fills in.
type FormField struct {
	Name, Title, Description string
	Type                     string   // string, number, integer, boolean, choice or choices
	Format                   string   // email, uri, date, date-time or ""
	Options                  []string // values of a choice
	Labels                   []string // what is shown of them; as long as Options
	Required                 bool
	Default                  any      // nil: none
	Min, Max                 *float64 // of a number, or of the length of a string in characters; nil: none
}

// Value converts what the user typed into a field with a text or a number. The error says what the field takes.
func (f FormField) Value(text string) (any, error) {
	var value any = text
	var err error
	size := float64(utf8.RuneCountInString(text))
	switch f.Type {
	case "integer":
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		value, size = n, float64(n)
	case "number":
		size, err = strconv.ParseFloat(text, 64)
		value = size
	}
	switch f.Format {
	case "email":
		_, err = mail.ParseAddress(text)
	case "uri":
		_, err = url.ParseRequestURI(text)
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
	}
	if err != nil || math.IsNaN(size) || math.IsInf(size, 0) {
		return nil, fmt.Errorf("%q is no %s", text, f.kind())
	}
	unit := ""
	if f.Type == "string" {
		unit = " characters"
	}
	if f.Min != nil && size < *f.Min {
		return nil, fmt.Errorf("at least %g%s", *f.Min, unit)
	}
	if f.Max != nil && size > *f.Max {
		return nil, fmt.Errorf("at most %g%s", *f.Max, unit)
	}
	return value, nil
}

// kind names what the field takes.
func (f FormField) kind() string {
	switch {
	case f.Format == "date":
		return "date such as 2026-01-31"
	case f.Format == "date-time":
		return "time such as 2026-01-31T15:04:05Z"
	case f.Format != "":
		return f.Format
	}
	return f.Type
}
