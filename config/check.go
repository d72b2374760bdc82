// Decoding and checking of single values. The struct tags name the rules:
//
//	enum:"a,b"    one of the words; a leading comma allows the empty text
//	min, max      bounds of a number; without min, a whole number must be at least 0
//	check:"..."   a format: ratio, share (ratio; 0 is auto), chars (number; 0 is auto), text (not blank), word, url, env, host, header, theme, color
//	title:"..."   no rule: the plain name of a key, or of a table, in /settings
//	names:"..."   the format of the keys in a table whose keys the user chooses

package config

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

func decodeScalar(v reflect.Value, l leaf, tag reflect.StructTag) error {
	switch {
	case v.Type() == durationType:
		return decodeDuration(v, l, tag)
	case v.Type() == reflect.TypeFor[Size]():
		size, err := ParseSize(l.text())
		if err != nil {
			return invalid("write a number of bytes, or a size such as 512KiB or 8MiB", "%s", err)
		}
		v.SetInt(int64(size))
		return nil
	case tag.Get("check") == "chars":
		if l.value == autoWord {
			v.SetInt(0)
			return nil
		}
		return decodeInt(v, l, `min:"1"`, "a whole number or "+autoWord)
	case tag.Get("check") == "share":
		if l.value == autoWord {
			v.SetFloat(0)
			return nil
		}
		return decodeFloat(v, l, `check:"ratio"`, "a share of the window or "+autoWord)
	}
	switch v.Kind() {
	case reflect.Bool:
		value, ok := l.value.(bool)
		if !ok {
			return invalid("", "needs true or false, but has %s", l.kind())
		}
		v.SetBool(value)
		return nil
	case reflect.Int:
		return decodeInt(v, l, tag, "a whole number")
	case reflect.Float64:
		return decodeFloat(v, l, tag, "a number")
	}
	value, ok := l.value.(string)
	if !ok {
		return invalid("put text in quotes", "needs text, but has %s", l.kind())
	}
	if old, now, ok := strings.Cut(tag.Get("alias"), "="); ok && value == old { // of an earlier version
		value = now
	}
	v.SetString(value)
	return checkForm(value, tag)
}

func decodeDuration(v reflect.Value, l leaf, tag reflect.StructTag) error {
	duration, err := time.Duration(0), error(nil)
	if l.text() != "0" {
		duration, err = parseDuration(l.text())
	}
	switch {
	case err != nil:
		return invalid("write a number with a unit, such as 60s, 5m, 1h or 2d", "%s", err)
	case tag.Get("min") != "" && duration == 0:
		return invalid("", "must be longer than 0")
	}
	v.SetInt(int64(duration))
	return nil
}

// number returns the value as a float; whole means that it is an integer, ok that it is a number.
func (l leaf) number() (x float64, whole, ok bool) {
	switch value := l.value.(type) {
	case int64:
		return float64(value), true, true
	case uint64:
		return float64(value), true, true
	case float64:
		return value, false, true
	}
	return 0, false, false
}

func decodeInt(v reflect.Value, l leaf, tag reflect.StructTag, what string) error {
	least, most := bound(tag, "min", 0), bound(tag, "max", math.MaxInt32)
	x, whole, _ := l.number()
	switch {
	case !whole:
		return invalid("", "needs %s, but has %s", what, l.kind())
	case x < least || x > most:
		return invalid("", "%s is out of range: %.0f to %.0f", l.text(), least, most)
	}
	v.SetInt(int64(x))
	return nil
}

func decodeFloat(v reflect.Value, l leaf, tag reflect.StructTag, what string) error {
	x, _, ok := l.number()
	switch {
	case !ok:
		return invalid("", "needs %s, but has %s", what, l.kind())
	case tag.Get("check") == "ratio" && !(x > 0 && x <= 1):
		return invalid("write a share above 0 and up to 1, such as 0.85 for 85%", "%s is not a ratio", l.text())
	case !(x >= 0 && x <= math.MaxInt32):
		return invalid("", "%s is out of range: 0 or more", l.text())
	}
	v.SetFloat(x)
	return nil
}

func bound(tag reflect.StructTag, name string, otherwise float64) float64 {
	if x, err := strconv.ParseFloat(tag.Get(name), 64); err == nil {
		return x
	}
	return otherwise
}

// checkForm applies the enum or check rule of a tag to one text.
func checkForm(s string, tag reflect.StructTag) error {
	if words, ok := tag.Lookup("enum"); ok {
		return checkWord(s, strings.Split(words, ","))
	}
	switch tag.Get("check") {
	case "text":
		return checkName(s, "text")
	case "word":
		return checkName(s, "word")
	case "theme":
		if !IsThemePath(s) {
			return checkName(s, "word")
		}
	case "color":
		digits, found := strings.CutPrefix(s, "#")
		if rgb, err := hex.DecodeString(digits); err != nil || !found || len(rgb) != 3 {
			return invalid(`write it as "#rrggbb", such as "#6cb6ff"`, "%s is not a color", quote(s))
		}
	case "url":
		return checkURL(s)
	case "env":
		if s != "" && (!isMadeOf(s, "_") || s != strings.ToUpper(s) || unicode.IsDigit(rune(s[0]))) {
			return invalid("write the name, such as OPENAI_API_KEY; the key itself belongs in the environment", "is not the name of an environment variable")
		}
	case "host":
		return checkHost(s)
	case "header": // the value may be secret, so the message must not contain it
		if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return invalid("", "a header value must be one line without control characters")
		}
	}
	return nil
}

// checkWord checks that word is one of known. The error lists these and suggests the nearest.
func checkWord(word string, known []string) error {
	if slices.Contains(known, word) {
		return nil
	}
	return invalid(suggestion(nearest(word, known)), "%s is not one of %s", quote(word), listWords(known))
}

// checkName applies a format (word, header or text) to a key that the user chose, or to a text.
func checkName(name, form string) error {
	switch {
	case form == "word" && (!isMadeOf(name, "_-") || len(name) > 64):
		return invalid("", "%s is not a name: letters, digits, _ and -", quote(name))
	case form == "header" && !isMadeOf(name, "!#$%&'*+-.^_`|~"):
		return invalid("", "%s is not an HTTP header name", quote(name))
	case strings.TrimSpace(name) == "":
		return invalid("", "must not be empty")
	}
	return nil
}

// IsWord reports whether a name may stand for a server, a tool or a provider: letters, digits, _ and -, up to 64 bytes.
func IsWord(name string) bool { return checkName(name, "word") == nil }

// isMadeOf reports whether s is not empty and has only ASCII letters, digits and the given signs.
func isMadeOf(s, signs string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune(signs, r) && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
}

func checkURL(s string) error {
	if s == "" {
		return nil
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return invalid("write it as http://localhost:8080/v1", "is not an http or https address")
	case u.User != nil:
		return invalid("use api_key_env or headers instead", "holds a user name or password")
	case u.RawQuery != "" || u.Fragment != "":
		return invalid("end it with the path", "holds a ? or #, but /chat/completions is put after it")
	}
	return nil
}

func checkHost(s string) error {
	_, notNetwork := netip.ParsePrefix(s)
	_, notAddress := netip.ParseAddr(s)
	name := strings.TrimSuffix(s, ".")
	_, notNumber := strconv.Atoi(name[strings.LastIndexByte(name, '.')+1:])
	isHostName := isMadeOf(name, "-_.") && notNumber != nil // one that ends in a number is a mistyped address
	if notNetwork == nil || notAddress == nil || isHostName {
		return nil
	}
	return invalid("write a name, an address or a network such as 10.0.0.0/8, without scheme and port", "%s is not a host, address or network", quote(s))
}

// checkJSON refuses a value of a request body that JSON cannot encode, or that looks like an API key.
func checkJSON(value any) error {
	data, err := json.Marshal(value)
	switch {
	case err != nil:
		return invalid("", "is not a number of JSON")
	case keyShaped().Match(data):
		return invalid("keys do not belong in a file: use api_key_env or key_command", "looks like a key")
	}
	return nil
}
