package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Arguments are checked strictly against the parameter table: no unknown name,
// no missing one, no wrong type, no value out of range. Tolerated is what weak
// models do and cannot be misread: "10" for 10, "true" for true, 10 for "10", a
// list or object written as a string, null for a parameter left out. An error
// says what was wrong and what form was expected.

// arguments are the checked arguments of a call by parameter name: string, int,
// bool, []string, map[string]string or []arguments.
type arguments map[string]any

func (a arguments) text(name string) string {
	s, _ := a[name].(string)
	return s
}

func (a arguments) whole(name string, absent int) int {
	if n, ok := a[name].(int); ok {
		return n
	}
	return absent
}

func (a arguments) flag(name string) bool {
	f, _ := a[name].(bool)
	return f
}

func (a arguments) texts(name string) []string {
	l, _ := a[name].([]string)
	return l
}

func (a arguments) textMap(name string) map[string]string {
	m, _ := a[name].(map[string]string)
	return m
}

func (a arguments) items(name string) []arguments {
	l, _ := a[name].([]arguments)
	return l
}

func (a arguments) given(name string) bool {
	_, ok := a[name]
	return ok
}

// decode checks raw, the JSON of a call's arguments, against params. owner names
// the tool in errors.
func decode(owner string, params []param, raw string) (arguments, error) {
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

func decodeFields(owner string, params []param, fields map[string]json.RawMessage) (arguments, error) {
	args := arguments{}
	known := make([]string, 0, len(params))
	for _, p := range params {
		known = append(known, p.name)
		value, ok := fields[p.name]
		delete(fields, p.name)
		if !ok || string(bytes.TrimSpace(value)) == "null" {
			if p.required {
				return nil, fmt.Errorf("%s needs %q. It takes %s", owner, p.name, signature(params))
			}
			continue
		}
		v, err := p.decode(owner, value)
		if err != nil {
			return nil, err
		}
		args[p.name] = v
	}
	if name, ok := firstKey(fields); ok {
		hint := ""
		if near := nearest(name, known, 1); len(near) > 0 {
			hint = fmt.Sprintf(" Did you mean %q?", near[0])
		}
		return nil, fmt.Errorf("%s has no argument %q.%s It takes %s", owner, name, hint, signature(params))
	}
	return args, nil
}

// firstKey is the alphabetically first key, so that errors are deterministic.
func firstKey(fields map[string]json.RawMessage) (string, bool) {
	first, ok := "", false
	for name := range fields {
		if !ok || name < first {
			first, ok = name, true
		}
	}
	return first, ok
}

// decode checks one value.
func (p param) decode(owner string, raw json.RawMessage) (any, error) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, p.wrong(owner, raw)
	}
	switch p.kind {
	case kindText:
		return p.decodeText(owner, v, raw)
	case kindWhole:
		return p.decodeWhole(owner, v, raw)
	case kindFlag:
		if s, ok := v.(string); ok {
			v = strings.EqualFold(strings.TrimSpace(s), "true")
			if !v.(bool) && !strings.EqualFold(strings.TrimSpace(s), "false") {
				return nil, p.wrong(owner, raw)
			}
		}
		if f, ok := v.(bool); ok {
			return f, nil
		}
		return nil, p.wrong(owner, raw)
	}
	return p.decodeCompound(owner, v, raw)
}

func (p param) decodeText(owner string, v any, raw json.RawMessage) (any, error) {
	s, ok := scalar(v)
	if !ok {
		return nil, p.wrong(owner, raw)
	}
	if len(p.choices) == 0 {
		return s, nil
	}
	for _, c := range p.choices {
		if strings.EqualFold(s, c) {
			return c, nil
		}
	}
	return nil, p.wrong(owner, raw)
}

func (p param) decodeWhole(owner string, v any, raw json.RawMessage) (any, error) {
	s, ok := scalar(v)
	if !ok {
		return nil, p.wrong(owner, raw)
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1e15 {
		return nil, p.wrong(owner, raw)
	}
	n := int(f)
	if (p.min != 0 || p.max != 0) && (n < p.min || n > p.max) {
		return nil, p.wrong(owner, raw)
	}
	return n, nil
}

// decodeCompound checks lists and objects, also those written as a string.
func (p param) decodeCompound(owner string, v any, raw json.RawMessage) (any, error) {
	if s, ok := v.(string); ok {
		raw = json.RawMessage(s)
	}
	switch p.kind {
	case kindTexts:
		var list []any
		if json.Unmarshal(raw, &list) != nil {
			return nil, p.wrong(owner, raw)
		}
		out := make([]string, len(list))
		for i, e := range list {
			s, ok := scalar(e)
			if !ok {
				return nil, p.wrong(owner, raw)
			}
			out[i] = s
		}
		return out, nil
	case kindMap:
		var m map[string]any
		if json.Unmarshal(raw, &m) != nil {
			return nil, p.wrong(owner, raw)
		}
		out := make(map[string]string, len(m))
		for k, e := range m {
			s, ok := scalar(e)
			if !ok {
				return nil, p.wrong(owner, raw)
			}
			out[k] = s
		}
		return out, nil
	}
	var list []map[string]json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, p.wrong(owner, raw)
	}
	out := make([]arguments, len(list))
	for i, fields := range list {
		a, err := decodeFields(fmt.Sprintf("%s: entry %d of %q", owner, i+1, p.name), p.fields, fields)
		if err != nil {
			return nil, err
		}
		out[i] = a
	}
	return out, nil
}

// scalar is a string, number or boolean as text.
func scalar(v any) (string, bool) {
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

// wrong says that a value has not the form of the parameter.
func (p param) wrong(owner string, raw json.RawMessage) error {
	got := []rune(string(raw))
	if len(got) > 80 {
		got = append(got[:80], '…')
	}
	return fmt.Errorf("%s: %q must be %s, not %s", owner, p.name, p.form(), string(got))
}

// form says in words what values the parameter takes.
func (p param) form() string {
	switch p.kind {
	case kindWhole:
		if p.min == 0 && p.max == 0 {
			return "a whole number"
		}
		return fmt.Sprintf("a whole number from %d to %d", p.min, p.max)
	case kindFlag:
		return "true or false"
	case kindTexts:
		return "a list of strings"
	case kindMap:
		return "an object of strings"
	case kindItems:
		return "a list of objects with " + signature(p.fields)
	}
	if len(p.choices) > 0 {
		return "one of " + strings.Join(p.choices, ", ")
	}
	return "a string"
}

// signature names the parameters, for errors.
func signature(params []param) string {
	if len(params) == 0 {
		return "no arguments"
	}
	parts := make([]string, len(params))
	for i, p := range params {
		parts[i] = p.name
		if p.required {
			parts[i] += " (required)"
		}
	}
	return strings.Join(parts, ", ")
}
