package tools

import (
	"bytes"
	"math"

	"plimsoll/conversation"
)

// A tool's parameters are declared once, as a table; the JSON Schema that the
// model reads and the checks its arguments go through both come from it.

// kind is the type of a parameter.
type kind int

const (
	kindText  kind = iota // string
	kindWhole             // integer
	kindFlag              // boolean
	kindTexts             // array of strings
	kindMap               // object of strings
	kindItems             // array of objects
)

// param declares one parameter.
type param struct {
	name     string
	kind     kind
	about    string   // for the model
	required bool     // must be given
	choices  []string // of a text: the only values allowed
	min, max int      // of a whole number; both 0: any
	fields   []param  // of items: the members of each
}

// schema is the JSON Schema of an object with these parameters, in their order.
func schema(params []param) []byte {
	var b bytes.Buffer
	writeObject(&b, params)
	return b.Bytes()
}

func writeObject(b *bytes.Buffer, params []param) {
	writeMembers(b, params, writeObject)
	b.WriteString(`,"additionalProperties":false}`)
}

// writeMembers writes an object with its parameters, all but its end; items writes
// the objects inside it.
func writeMembers(b *bytes.Buffer, params []param, items func(*bytes.Buffer, []param)) {
	b.WriteString(`{"type":"object","properties":{`)
	required := []string{}
	for i, p := range params {
		if i > 0 {
			b.WriteByte(',')
		}
		writeJSON(b, p.name)
		b.WriteByte(':')
		writeParam(b, p, items)
		if p.required {
			required = append(required, p.name)
		}
	}
	b.WriteByte('}')
	if len(required) > 0 {
		b.WriteString(`,"required":`)
		writeJSON(b, required)
	}
}

func writeParam(b *bytes.Buffer, p param, items func(*bytes.Buffer, []param)) {
	switch p.kind {
	case kindText:
		b.WriteString(`{"type":"string"`)
	case kindWhole:
		b.WriteString(`{"type":"integer"`)
	case kindFlag:
		b.WriteString(`{"type":"boolean"`)
	case kindTexts:
		b.WriteString(`{"type":"array","items":{"type":"string"}`)
	case kindMap:
		b.WriteString(`{"type":"object","additionalProperties":{"type":"string"}`)
	case kindItems:
		b.WriteString(`{"type":"array","items":`)
		items(b, p.fields)
	}
	if p.about != "" {
		b.WriteString(`,"description":`)
		writeJSON(b, p.about)
	}
	if len(p.choices) > 0 {
		b.WriteString(`,"enum":`)
		writeJSON(b, p.choices)
	}
	if p.min != 0 || p.max != 0 {
		b.WriteString(`,"minimum":`)
		writeJSON(b, p.min)
		if p.max < math.MaxInt32 { // beyond it lies no limit of the tool
			b.WriteString(`,"maximum":`)
			writeJSON(b, p.max)
		}
	}
	b.WriteByte('}')
}

// writeJSON appends a string, a number or a list of strings, which cannot fail.
func writeJSON(b *bytes.Buffer, v any) {
	text, _ := conversation.EncodeJSON(v) // a string, an int or a []string always encodes
	b.Write(text)
}
