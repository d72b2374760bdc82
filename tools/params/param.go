// Package params declares the parameters of tools and checks the arguments of calls against them.
package params

import (
	"bytes"
	"math"

	"plimsoll/conversation"
)

// A tool's parameters are declared once, as a table. Both the JSON Schema for the
// model and the checks of a call's arguments are made from it.

type kind int

const (
	Text  kind = iota // string
	Int               // integer
	Bool              // boolean
	Texts             // array of strings
	Map               // object of strings
	Items             // array of objects
)

// Param declares one parameter.
type Param struct {
	Name     string
	Kind     kind
	About    string   // description for the model
	Required bool     // must be given
	Choices  []string // of a Text: the only allowed values
	Min, Max int      // of an Int: its range; both 0: any number
	Fields   []Param  // of Items: the members of each object
}

// Schema returns the JSON Schema of an object with these parameters, in their order; a brief one has names, types and choices,
// without descriptions and ranges.
func Schema(params []Param, brief bool) []byte {
	var b bytes.Buffer
	writeObject(&b, params, brief)
	return b.Bytes()
}

func writeObject(b *bytes.Buffer, params []Param, brief bool) {
	b.WriteString(`{"type":"object","properties":{`)
	required := []string{}
	for i, p := range params {
		if i > 0 {
			b.WriteByte(',')
		}
		writeJSON(b, p.Name)
		b.WriteByte(':')
		writeParam(b, p, brief)
		if p.Required {
			required = append(required, p.Name)
		}
	}
	b.WriteByte('}')
	if len(required) > 0 {
		b.WriteString(`,"required":`)
		writeJSON(b, required)
	}
	if !brief {
		b.WriteString(`,"additionalProperties":false`)
	}
	b.WriteByte('}')
}

func writeParam(b *bytes.Buffer, p Param, brief bool) {
	switch p.Kind {
	case Text:
		b.WriteString(`{"type":"string"`)
	case Int:
		b.WriteString(`{"type":"integer"`)
	case Bool:
		b.WriteString(`{"type":"boolean"`)
	case Texts:
		b.WriteString(`{"type":"array","items":{"type":"string"}`)
	case Map:
		b.WriteString(`{"type":"object","additionalProperties":{"type":"string"}`)
	case Items:
		b.WriteString(`{"type":"array","items":`)
		writeObject(b, p.Fields, brief)
	}
	if p.About != "" && !brief {
		b.WriteString(`,"description":`)
		writeJSON(b, p.About)
	}
	if len(p.Choices) > 0 {
		b.WriteString(`,"enum":`)
		writeJSON(b, p.Choices)
	}
	if (p.Min != 0 || p.Max != 0) && !brief {
		b.WriteString(`,"minimum":`)
		writeJSON(b, p.Min)
		if p.Max < math.MaxInt32 { // a larger Max is no real limit
			b.WriteString(`,"maximum":`)
			writeJSON(b, p.Max)
		}
	}
	b.WriteByte('}')
}

// writeJSON appends a string, a number or a list of strings, which cannot fail.
func writeJSON(b *bytes.Buffer, v any) {
	text, _ := conversation.EncodeJSON(v) // a string, an int or a []string always encodes
	b.Write(text)
}
