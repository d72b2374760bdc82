package adachsoft

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// JSON values as PHP represents them: the published design adachsoft computes its sizes and hashes in PHP. The rules are
// those of PHP 8 with its default settings:
//
//   - Reading follows json_decode to arrays: objects become arrays, so {} is written as [] and {"0":1} as [1].
//     A repeated key keeps its first position and its last value. Text that PHP rejects (unpaired surrogates,
//     invalid UTF-8) is rejected here.
//   - Integers beyond 64 bits and numbers with a fraction or an exponent are floats. Only the value is kept,
//     not its notation: 1.0 is written as 1.
//   - Writing follows json_encode without flags: / and all non-ASCII characters are escaped. It fails on
//     infinity and on more than 512 levels.

// phpMaxDepth is the largest nesting depth of arrays that json_encode accepts.
const phpMaxDepth = 512

type phpKind int

const (
	phpNull phpKind = iota
	phpFalse
	phpTrue
	phpInt
	phpFloat
	phpString
	phpArray
)

type phpValue struct {
	kind  phpKind
	text  string     // the bytes of a phpString, the digits of a phpInt
	float float64    // of a phpFloat
	keys  []string   // of a phpArray; nil if it is written as a list
	items []phpValue // of a phpArray
}

// readPHP parses JSON as json_decode does; false for text that it rejects and for values nested too deep to be
// encoded again.
func readPHP(raw []byte) (phpValue, bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	v, ok := readPHPValue(dec)
	if !ok {
		return phpValue{}, false
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return phpValue{}, false
	}
	return v, true
}

func readPHPValue(dec *jsontext.Decoder) (phpValue, bool) {
	token, err := dec.ReadToken()
	if err != nil {
		return phpValue{}, false
	}
	switch token.Kind() {
	case jsontext.KindNull:
		return phpValue{kind: phpNull}, true
	case jsontext.KindFalse:
		return phpValue{kind: phpFalse}, true
	case jsontext.KindTrue:
		return phpValue{kind: phpTrue}, true
	case jsontext.KindString:
		return phpValue{kind: phpString, text: token.String()}, true
	case jsontext.KindNumber:
		return phpNumber(token.String()), true
	case jsontext.KindBeginArray:
		return readPHPList(dec)
	case jsontext.KindBeginObject:
		return readPHPObject(dec)
	}
	return phpValue{}, false
}

func phpNumber(text string) phpValue {
	if !strings.ContainsAny(text, ".eE") {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return phpValue{kind: phpInt, text: strconv.FormatInt(n, 10)}
		}
	}
	// Numbers out of range become infinity, as in PHP.
	f, _ := strconv.ParseFloat(text, 64)
	return phpValue{kind: phpFloat, float: f}
}

func readPHPList(dec *jsontext.Decoder) (phpValue, bool) {
	v := phpValue{kind: phpArray}
	if dec.StackDepth() > phpMaxDepth {
		return v, false
	}
	for dec.PeekKind() != jsontext.KindEndArray {
		item, ok := readPHPValue(dec)
		if !ok {
			return v, false
		}
		v.items = append(v.items, item)
	}
	_, err := dec.ReadToken()
	return v, err == nil
}

func readPHPObject(dec *jsontext.Decoder) (phpValue, bool) {
	v := phpValue{kind: phpArray}
	if dec.StackDepth() > phpMaxDepth {
		return v, false
	}
	place := map[string]int{}
	for dec.PeekKind() != jsontext.KindEndObject {
		token, err := dec.ReadToken()
		if err != nil {
			return v, false
		}
		key := token.String()
		item, ok := readPHPValue(dec)
		if !ok {
			return v, false
		}
		if i, again := place[key]; again {
			v.items[i] = item
			continue
		}
		place[key] = len(v.keys)
		v.keys, v.items = append(v.keys, key), append(v.items, item)
	}
	if isPHPList(v.keys) {
		v.keys = nil
	}
	_, err := dec.ReadToken()
	return v, err == nil
}

// isPHPList reports whether PHP writes an array with these keys as a list: 0, 1, 2 and so on, in this order.
func isPHPList(keys []string) bool {
	for i, key := range keys {
		if key != strconv.Itoa(i) {
			return false
		}
	}
	return true
}

// size returns adachsoft's PayloadSizer result: the bytes of a string, of a scalar cast to a string, or of an array's JSON;
// 0 for an array that cannot be encoded.
func (v phpValue) size() int {
	switch v.kind {
	case phpTrue:
		return len("1")
	case phpInt, phpString:
		return len(v.text)
	case phpFloat:
		return len(phpFloatText(v.float))
	case phpArray:
		encoded, ok := v.appendJSON(nil)
		if !ok {
			return 0
		}
		return len(encoded)
	}
	return 0 // null and false are cast to ""
}

// appendJSON appends the output of json_encode; false if it fails.
func (v phpValue) appendJSON(dst []byte) ([]byte, bool) {
	switch v.kind {
	case phpFalse:
		return append(dst, "false"...), true
	case phpTrue:
		return append(dst, "true"...), true
	case phpInt:
		return append(dst, v.text...), true
	case phpFloat:
		if math.IsInf(v.float, 0) {
			return dst, false
		}
		return append(dst, phpDigits(v.float, -1, 17, 'e')...), true
	case phpString:
		return appendPHPString(dst, v.text), true
	case phpArray:
		return v.appendArray(dst)
	}
	return append(dst, "null"...), true
}

func (v phpValue) appendArray(dst []byte) ([]byte, bool) {
	opening, closing := byte('['), byte(']')
	if v.keys != nil {
		opening, closing = '{', '}'
	}
	dst = append(dst, opening)
	for i, item := range v.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.keys != nil {
			dst = append(appendPHPString(dst, v.keys[i]), ':')
		}
		var ok bool
		if dst, ok = item.appendJSON(dst); !ok {
			return dst, false
		}
	}
	return append(dst, closing), true
}

// appendPHPString appends a string as json_encode writes it: ASCII only, with / escaped and lower-case hex digits.
func appendPHPString(dst []byte, s string) []byte {
	quoted, _ := jsontext.AppendQuote(nil, s) // what json_decode accepts is valid UTF-8
	for _, r := range string(quoted) {
		switch {
		case r == '/':
			dst = append(dst, `\/`...)
		case r < utf8.RuneSelf:
			dst = append(dst, byte(r))
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				dst = fmt.Appendf(dst, `\u%04x`, unit)
			}
		}
	}
	return dst
}

// phpFloatText returns a float cast to a string: 14 significant digits.
func phpFloatText(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "INF"
	case math.IsInf(f, -1):
		return "-INF"
	}
	return phpDigits(f, 14, 14, 'E')
}

// phpDigits formats a finite float with a number of significant digits; -1 means as many as needed to parse the same
// value. It uses exponent notation if the decimal point would lie more than limit digits right of the first digit or
// behind more than three leading zeros.
func phpDigits(f float64, significant, limit int, e rune) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', max(significant-1, -1), 64), "e")
	power, _ := strconv.Atoi(exponent) // FormatFloat always writes a number
	if power < -4 || power >= limit {
		digit, fraction, _ := strings.Cut(mantissa, ".")
		return fmt.Sprintf("%s.%s%c%+d", digit, cmp.Or(strings.TrimRight(fraction, "0"), "0"), e, power)
	}
	if significant > 0 {
		f, _ = strconv.ParseFloat(mantissa+"e"+exponent, 64) // rounded
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
