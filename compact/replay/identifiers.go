package replay

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Identifiers are the exact names in a text: paths, names with dots or underscores, names in camel case, hexadecimal
// ids of 7 to 40 digits with at least one decimal digit, and issue numbers. They have 6 to 120 characters, without
// trailing punctuation and line numbers. Only ASCII letters are part of one.

const (
	minIdentifierChars = 6
	maxIdentifierChars = 120
)

// The first matching alternative wins. No match begins within a word: SessionID is one name, and essionID is no name.
var identifierPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?:~|\.{1,2})?/?[A-Za-z0-9_@.+-]+(?:/[A-Za-z0-9_@.+-]+)+/?` + // path
			`|[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+` + // file.ext, pkg.Name
			`|\b[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+\b` + // snake_case
			`|\b_*[a-z]+[a-z0-9]*(?:[A-Z][a-z0-9]*)+` + // camelCase
			`|\b_*[A-Z]+[a-z0-9]+(?:[A-Z]+[a-z0-9]*)+` + // PascalCase, SessionID
			`|\b[0-9a-f]{7,40}\b` + // hexadecimal
			`|#[0-9]+`) // issue
})

// identifiers calls found for every identifier in text, repeats included.
func identifiers(text string, found func(string)) {
	for _, at := range identifierPattern().FindAllStringIndex(text, -1) {
		id := strings.TrimRight(text[at[0]:at[1]], ".,:;/-")
		if len(id) >= minIdentifierChars && len(id) <= maxIdentifierChars && strings.Trim(id, "abcdef") != "" { // facade is a word
			found(id)
		}
	}
}

// texts calls found for every string and number in arguments.
func texts(arguments string, found func(string)) {
	d := json.NewDecoder(strings.NewReader(arguments))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		found(arguments)
		return
	}
	eachText(v, found)
}

func eachText(v any, found func(string)) {
	switch v := v.(type) {
	case string:
		found(v)
	case json.Number:
		found(v.String())
	case []any:
		for _, one := range v {
			eachText(one, found)
		}
	case map[string]any:
		for _, one := range v {
			eachText(one, found)
		}
	}
}

// asJSON returns text as an ASCII-only JSON string without the quotes, as it would appear in arguments.
func asJSON(text string) string {
	quoted, _ := jsontext.AppendQuote(nil, text) // recorded texts are valid UTF-8
	var b strings.Builder
	for _, r := range string(quoted[1 : len(quoted)-1]) {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}
