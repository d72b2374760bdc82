// Package ordered reads and writes JSON objects that keep the order of their keys and the text of their values, so that
// part of an object can be changed and the rest stays byte for byte.
package ordered

import (
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"plimsoll/conversation"
)

// Object is a JSON object that keeps the order of its keys and the text
// of its values, so that numbers stay as they were written. Values of an object
// that was read are valid JSON; keys occur once.
type Object []Field

// Field is one key of an object with its value.
type Field struct {
	Key   string
	Value conversation.RawJSON
}

// Parse reads a JSON object. Of a repeated key the last value
// stands at the first place, as in PHP. It is false for anything that is no
// object or that strict JSON refuses: unpaired surrogates, bytes that are no
// UTF-8, text behind the object. An empty object is not nil.
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

// Get is the value of a key; false if there is none.
func (o Object) Get(key string) (conversation.RawJSON, bool) {
	for _, f := range o {
		if f.Key == key {
			return f.Value, true
		}
	}
	return nil, false
}

// String is the object as JSON, keys in order and values as they are. A value
// without text is null.
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
