// Package ordered reads and writes JSON objects that keep the order of their keys and the exact text of their values.
// Part of an object can be changed while the rest stays byte for byte.
package ordered

import (
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"plimsoll/conversation"
)

// Object is a JSON object that keeps the order of its keys and the exact text of its values, such as the notation of
// numbers. A parsed object has valid values and unique keys.
type Object []Field

// Field is one key of an object with its value.
type Field struct {
	Key   string
	Value conversation.RawJSON
}

// Parse reads a JSON object. A repeated key keeps its first position and its last value, as in PHP. The result is
// false for any other JSON value and for input that strict JSON rejects: unpaired surrogates, invalid UTF-8, text
// after the object. An empty object is not nil.
func Parse(text string) (Object, bool) {
	dec := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true))
	if dec.PeekKind() != jsontext.KindBeginObject {
		return nil, false
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	object, place := Object{}, map[string]int{}
	for dec.PeekKind() != jsontext.KindEndObject {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, false
		}
		key := name.String()
		raw, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		value := conversation.RawJSON(raw.Clone())
		if i, again := place[key]; again {
			object[i].Value = value
			continue
		}
		place[key] = len(object)
		object = append(object, Field{Key: key, Value: value})
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, false
	}
	return object, true
}

// Get returns the value of a key, and false if the object lacks the key.
func (o Object) Get(key string) (conversation.RawJSON, bool) {
	for _, f := range o {
		if f.Key == key {
			return f.Value, true
		}
	}
	return nil, false
}

// String returns the object as JSON, with keys in order and values unchanged. A value without text is written as
// null.
func (o Object) String() string {
	b := []byte{'{'}
	for i, f := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, f.Key) // bytes that are not UTF-8 become U+FFFD
		b = append(b, ':')
		if len(f.Value) == 0 {
			b = append(b, "null"...)
			continue
		}
		b = append(b, f.Value...)
	}
	return string(append(b, '}'))
}
