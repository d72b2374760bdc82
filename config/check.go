// The rules for single values, as the struct's tags name them, and the rules between keys. Tags:
//
//	enum:"a,b"    one of the words; a leading comma allows the empty text
//	min, max      bounds of a number; every whole number is at least 0 without a tag
//	check:"..."   a form: ratio, share (a ratio, or the word auto for 0), text (not blank), word, url, env, host, header, theme, color
//	names:"..."   the form of the keys of a table whose keys the user chooses

package config

import (
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// scalar decodes one value and checks it.
func (d *decoder) scalar(v reflect.Value, l leaf, path []string, tag reflect.StructTag) bool {
	var err error
	switch kind := v.Kind(); {
	case v.Type() == durationType:
		err = decodeDuration(l, v, tag)
	case v.Type() == reflect.TypeFor[Size]():
		err = decodeSize(l, v)
	case v.Type() == reflect.TypeFor[Chars]():
		err = decodeChars(l, v)
	case tag.Get("check") == "share":
		err = decodeShare(l, v)
	case kind == reflect.Bool:
		if !d.want(l, boolNode, path, "true or false") {
			return false
		}
		v.SetBool(l.value.(bool))
	case kind == reflect.Int:
		if !d.want(l, intNode, path, "a whole number") {
			return false
		}
		err = decodeInt(l, v, tag)
	case kind == reflect.Float64:
		err = decodeFloat(l, v, tag)
	default:
		if !d.want(l, textNode, path, "text") {
			return false
		}
		v.SetString(l.text)
		err = checkForm(l.text, tag)
	}
	return err == nil || d.failValue(l, path, err)
}

func decodeDuration(n leaf, v reflect.Value, tag reflect.StructTag) error {
	duration := time.Duration(0)
	if !(n.kind == intNode && n.text == "0") {
		parsed, err := parseDuration(n.text)
		if n.kind == tableNode || n.kind == listNode || err != nil {
			return &valueError{fmt.Sprintf("%s is not a duration", quote(n.text)), "write a number with a unit, such as 60s, 5m, 1h or 2d"}
		}
		duration = parsed
	}
	if tag.Get("min") != "" && duration == 0 {
		return &valueError{"must be longer than 0", ""}
	}
	v.SetInt(int64(duration))
	return nil
}

func decodeSize(n leaf, v reflect.Value) error {
	size, err := ParseSize(n.text)
	if err != nil || n.kind != intNode && n.kind != textNode {
		return &valueError{fmt.Sprintf("%s is not a size", quote(n.text)), "write a number of bytes, or a size such as 512KiB or 8MiB"}
	}
	v.SetInt(int64(size))
	return nil
}

func decodeChars(n leaf, v reflect.Value) error {
	if n.kind == textNode && n.text == autoWord {
		v.SetInt(int64(AutoChars))
		return nil
	}
	if n.kind != intNode {
		return &valueError{fmt.Sprintf("%s is not a number of characters", quote(n.text)), "write a whole number, or " + autoWord}
	}
	return decodeInt(n, v, `min:"1"`)
}

// number is the value as a number, if it is one.
func (l leaf) number() (float64, bool) {
	switch value := l.value.(type) {
	case int64:
		return float64(value), true
	case uint64:
		return float64(value), true
	case float64:
		return value, true
	}
	return 0, false
}

func decodeInt(n leaf, v reflect.Value, tag reflect.StructTag) error {
	least, most := bound(tag, "min", 0), bound(tag, "max", math.MaxInt32)
	x, _ := n.number()
	if x < least || x > most {
		return fmt.Errorf("%s is out of range: %.0f to %.0f", quote(n.text), least, most)
	}
	v.SetInt(int64(x))
	return nil
}

func decodeFloat(n leaf, v reflect.Value, tag reflect.StructTag) error {
	x, ok := n.number()
	switch {
	case !ok:
		return fmt.Errorf("needs a number, but has %s", n.kind)
	case tag.Get("check") == "ratio" && !(x > 0 && x <= 1):
		hint := "write a share above 0 and up to 1"
		if x > 1 && x <= 100 {
			hint = fmt.Sprintf("for %g%% write %g", x, x/100)
		}
		return &valueError{fmt.Sprintf("%s is not a ratio", quote(n.text)), hint}
	case !(x >= 0 && x <= math.MaxInt32):
		return fmt.Errorf("%s is out of range: 0 or more", quote(n.text))
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

var (
	wordForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
	})
	colorForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)
	})
	envForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)
	})
	hostForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$`)
	})
	// a mistyped address, not a name
	numericEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(^|\.)[0-9]+\.?$`)
	})
	headerForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	})
)

// checkForm applies the rules of a tag to one text.
func checkForm(s string, tag reflect.StructTag) error {
	if words, ok := tag.Lookup("enum"); ok {
		for known := range strings.SplitSeq(words, ",") {
			if s == known {
				return nil
			}
		}
		return badWord(s, strings.Split(words, ","))
	}
	switch tag.Get("check") {
	case "text":
		if strings.TrimSpace(s) == "" {
			return fmt.Errorf("must not be empty")
		}
	case "word":
		return checkName(s, "word")
	case "theme":
		if !IsThemePath(s) {
			return checkName(s, "word")
		}
	case "color":
		if !colorForm().MatchString(s) {
			return &valueError{fmt.Sprintf("%s is not a color", quote(s)), `write it as "#rrggbb", such as "#6cb6ff"`}
		}
	case "url":
		return checkURL(s)
	case "env":
		if s != "" && !envForm().MatchString(s) {
			return &valueError{"is not the name of an environment variable", "write the name, such as OPENAI_API_KEY; the key itself belongs in the environment"}
		}
	case "host":
		return checkHost(s)
	case "header":
		return checkHeader(s)
	}
	return nil
}

// checkName applies a form to a key that the user chose.
func checkName(name, form string) error {
	switch {
	case form == "word" && !wordForm().MatchString(name):
		return fmt.Errorf("%s is not a name: letters, digits, _ and -", quote(name))
	case form == "header" && !headerForm().MatchString(name):
		return fmt.Errorf("%s is not an HTTP header name", quote(name))
	case strings.TrimSpace(name) == "":
		return fmt.Errorf("a name must not be empty")
	}
	return nil
}

// checkHeader refuses a header's value that no request can carry. It never repeats
// the value, which may be a key.
func checkHeader(s string) error {
	if strings.ContainsAny(s, "\r\n") {
		return fmt.Errorf("a header value must be one line")
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return fmt.Errorf("a header value must have no control characters")
	}
	return nil
}

func checkURL(s string) error {
	if s == "" {
		return nil
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return &valueError{"is not an http or https address", "write it as http://localhost:8080/v1"}
	case u.User != nil:
		return &valueError{"holds a user name or password", "use api_key_env or headers instead"}
	case u.RawQuery != "" || u.Fragment != "":
		return &valueError{"holds a ? or #, but /chat/completions is put after it", "end it with the path"}
	}
	return nil
}

func checkHost(s string) error {
	if _, err := netip.ParsePrefix(s); err == nil {
		return nil
	}
	if _, err := netip.ParseAddr(s); err == nil {
		return nil
	}
	if hostForm().MatchString(s) && !numericEnd().MatchString(s) {
		return nil
	}
	return &valueError{fmt.Sprintf("%s is not a host, address or network", quote(s)), "write a name, an address or a network such as 10.0.0.0/8, without scheme and port"}
}

func decodeShare(n leaf, v reflect.Value) error {
	if n.kind == textNode && n.text == autoWord {
		v.SetFloat(0)
		return nil
	}
	if n.kind == textNode {
		return &valueError{fmt.Sprintf("%s is not a share of the window", quote(n.text)), "write a share above 0 and up to 1, or " + autoWord}
	}
	return decodeFloat(n, v, `check:"ratio"`)
}
