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

func get[T any](a Values, name string) T {
	v, _ := a[name].(T)
	return v
}

func (a Values) Text(name string) string               { return get[string](a, name) }
func (a Values) Bool(name string) bool                 { return get[bool](a, name) }
func (a Values) Texts(name string) []string            { return get[[]string](a, name) }
func (a Values) TextMap(name string) map[string]string { return get[map[string]string](a, name) }
func (a Values) Items(name string) []Values            { return get[[]Values](a, name) }

func (a Values) Int(name string, absent int) int {
	if n, ok := a[name].(int); ok {
		return n
	}
	return absent
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
		return nil, fmt.Errorf("the arguments of %s were not valid JSON, or were cut off before their end. "+
			"Send the call again with one complete JSON object: %s", owner, signature(params))
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

// decode checks the value of one argument.
func (p Param) decode(owner string, raw json.RawMessage) (any, error) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return nil, p.wrongValue(owner, raw)
	}
	if s, ok := v.(string); ok && p.Kind >= Texts { // a list or an object may be written as a string
		raw = json.RawMessage(s)
	}
	ok := false
	switch p.Kind {
	case Text:
		v, ok = p.text(v)
	case Int:
		v, ok = p.int(v)
	case Bool:
		v, ok = truth(v)
	case Texts:
		v, ok = texts(raw)
	case Map:
		v, ok = textMap(raw)
	case Items:
		var list []map[string]json.RawMessage
		if ok = json.Unmarshal(raw, &list) == nil; ok {
			return p.items(owner, list)
		}
	}
	if !ok {
		return nil, p.wrongValue(owner, raw)
	}
	return v, nil
}

func (p Param) text(v any) (string, bool) {
	s, ok := scalarText(v)
	if !ok || len(p.Choices) == 0 {
		return s, ok
	}
	i := slices.IndexFunc(p.Choices, func(c string) bool { return strings.EqualFold(s, c) })
	if i < 0 {
		return "", false
	}
	return p.Choices[i], true
}

func (p Param) int(v any) (int, bool) {
	s, _ := scalarText(v)
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1e15 {
		return 0, false
	}
	n := int(f)
	return n, p.Min == 0 && p.Max == 0 || n >= p.Min && n <= p.Max
}

func truth(v any) (is, ok bool) {
	if s, isText := v.(string); isText {
		is = strings.EqualFold(strings.TrimSpace(s), "true")
		return is, is || strings.EqualFold(strings.TrimSpace(s), "false")
	}
	is, ok = v.(bool)
	return is, ok
}

func texts(raw json.RawMessage) ([]string, bool) {
	var list []any
	ok := json.Unmarshal(raw, &list) == nil
	out := make([]string, len(list))
	for i := 0; ok && i < len(list); i++ {
		out[i], ok = scalarText(list[i])
	}
	return out, ok
}

func textMap(raw json.RawMessage) (map[string]string, bool) {
	var m map[string]any
	ok := json.Unmarshal(raw, &m) == nil
	out := make(map[string]string, len(m))
	for k, v := range m {
		text, fits := scalarText(v)
		out[k], ok = text, ok && fits
	}
	return out, ok
}

func (p Param) items(owner string, list []map[string]json.RawMessage) ([]Values, error) {
	out := make([]Values, len(list))
	for i, fields := range list {
		var err error
		if out[i], err = decodeFields(fmt.Sprintf("%s: entry %d of %q", owner, i+1, p.Name), p.Fields, fields); err != nil {
			return nil, err
		}
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
