package params

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Arguments are checked strictly against the parameter table: no unknown name, no
// missing one, no wrong type, no value out of range. Weak models make mistakes that
// cannot be misread, and these are accepted: "10" for 10, "true" for true, 10 for
// "10", a list or object written as a string, null for an optional parameter. An
// error says what was wrong and which form was expected.

// Values are the checked arguments of a call by parameter name. A value is a string,
// int, bool, []string, map[string]string or []Values; getters return zero if it is absent.
type Values map[string]any

func (a Values) Text(name string) string {
	s, _ := a[name].(string)
	return s
}

func (a Values) Int(name string, absent int) int {
	if n, ok := a[name].(int); ok {
		return n
	}
	return absent
}

func (a Values) Bool(name string) bool {
	f, _ := a[name].(bool)
	return f
}

func (a Values) Texts(name string) []string {
	l, _ := a[name].([]string)
	return l
}

func (a Values) TextMap(name string) map[string]string {
	m, _ := a[name].(map[string]string)
	return m
}

func (a Values) Items(name string) []Values {
	l, _ := a[name].([]Values)
	return l
}

// Decode checks raw, the JSON of a call's arguments, against params. owner names
// the tool in errors.
func Decode(owner string, params []Param, raw string) (Values, error) {
	fields := map[string]json.RawMessage{}
	if text := strings.TrimSpace(raw); text == "" || text == "null" {
		raw = "{}"
	}
	if err := json.Unmarshal([]byte(raw), &fields); err != nil {
		return nil, fmt.Errorf("the arguments of %s must be one JSON object: %s", owner, signature(params))
	}
	if _, broken := fields["_invalid"]; broken && len(fields) == 1 {
		return nil, fmt.Errorf("the arguments of %s were not valid JSON, or were cut off before their end. Send the call again with one complete JSON object: %s", owner, signature(params))
	}
	return decodeFields(owner, params, fields)
}

func decodeFields(owner string, params []Param, fields map[string]json.RawMessage) (Values, error) {
	args := Values{}
	for _, p := range params {
		value, ok := fields[p.Name]
		delete(fields, p.Name)
		if !ok || string(bytes.TrimSpace(value)) == "null" {
			if p.Required {
				return nil, fmt.Errorf("%s needs %q. It takes %s", owner, p.Name, signature(params))
			}
			continue
		}
		v, err := p.decode(owner, value)
		if err != nil {
			return nil, err
		}
		args[p.Name] = v
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		return nil, fmt.Errorf("%s has no argument %q. It takes %s", owner, name, signature(params))
	}
	return args, nil
}

func (p Param) decode(owner string, raw json.RawMessage) (any, error) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, p.wrongValue(owner, raw)
	}
	switch p.Kind {
	case Text:
		return p.decodeText(owner, v, raw)
	case Int:
		return p.decodeInt(owner, v, raw)
	case Bool:
		if s, ok := v.(string); ok {
			v = strings.EqualFold(strings.TrimSpace(s), "true")
			if !v.(bool) && !strings.EqualFold(strings.TrimSpace(s), "false") {
				return nil, p.wrongValue(owner, raw)
			}
		}
		if f, ok := v.(bool); ok {
			return f, nil
		}
		return nil, p.wrongValue(owner, raw)
	}
	return p.decodeCompound(owner, v, raw)
}

func (p Param) decodeText(owner string, v any, raw json.RawMessage) (any, error) {
	s, ok := scalarText(v)
	if !ok {
		return nil, p.wrongValue(owner, raw)
	}
	if len(p.Choices) == 0 {
		return s, nil
	}
	for _, c := range p.Choices {
		if strings.EqualFold(s, c) {
			return c, nil
		}
	}
	return nil, p.wrongValue(owner, raw)
}

func (p Param) decodeInt(owner string, v any, raw json.RawMessage) (any, error) {
	s, ok := scalarText(v)
	if !ok {
		return nil, p.wrongValue(owner, raw)
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1e15 {
		return nil, p.wrongValue(owner, raw)
	}
	n := int(f)
	if (p.Min != 0 || p.Max != 0) && (n < p.Min || n > p.Max) {
		return nil, p.wrongValue(owner, raw)
	}
	return n, nil
}

func (p Param) decodeCompound(owner string, v any, raw json.RawMessage) (any, error) {
	if s, ok := v.(string); ok {
		raw = json.RawMessage(s)
	}
	switch p.Kind {
	case Texts:
		var list []any
		ok := json.Unmarshal(raw, &list) == nil
		out := make([]string, len(list))
		for i := 0; ok && i < len(list); i++ {
			out[i], ok = scalarText(list[i])
		}
		if !ok {
			return nil, p.wrongValue(owner, raw)
		}
		return out, nil
	case Map:
		var m map[string]any
		ok := json.Unmarshal(raw, &m) == nil
		out := make(map[string]string, len(m))
		for k, e := range m {
			text, fits := scalarText(e)
			out[k], ok = text, ok && fits
		}
		if !ok {
			return nil, p.wrongValue(owner, raw)
		}
		return out, nil
	}
	var list []map[string]json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, p.wrongValue(owner, raw)
	}
	out := make([]Values, len(list))
	for i, fields := range list {
		a, err := decodeFields(fmt.Sprintf("%s: entry %d of %q", owner, i+1, p.Name), p.Fields, fields)
		if err != nil {
			return nil, err
		}
		out[i] = a
	}
	return out, nil
}

func scalarText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

func (p Param) wrongValue(owner string, raw json.RawMessage) error {
	got := []rune(string(raw))
	if len(got) > 80 {
		got = append(got[:80], '…')
	}
	return fmt.Errorf("%s: %q must be %s, not %s", owner, p.Name, p.expected(), string(got))
}

func (p Param) expected() string {
	switch p.Kind {
	case Int:
		if p.Min == 0 && p.Max == 0 {
			return "a whole number"
		}
		return fmt.Sprintf("a whole number from %d to %d", p.Min, p.Max)
	case Bool:
		return "true or false"
	case Texts:
		return "a list of strings"
	case Map:
		return "an object of strings"
	case Items:
		return "a list of objects with " + signature(p.Fields)
	}
	if len(p.Choices) > 0 {
		return "one of " + strings.Join(p.Choices, ", ")
	}
	return "a string"
}

func signature(params []Param) string {
	if len(params) == 0 {
		return "no arguments"
	}
	parts := make([]string, len(params))
	for i, p := range params {
		parts[i] = p.Name
		if p.Required {
			parts[i] += " (required)"
		}
	}
	return strings.Join(parts, ", ")
}
