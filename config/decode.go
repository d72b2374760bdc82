// Decoding stores the values of a document in the struct. Rules:
//
//   - The struct tags are the schema: `yaml` names the key; check.go describes the other tags.
//   - Tables are merged by key; lists and scalars replace the earlier value. A key without a value is ignored where a
//     table or list is expected, so that the content of a section can be commented out; elsewhere it is a problem.
//   - Decoding continues after a problem, so that all of them are reported.

package config

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// decoder stores the values of one document in a struct.
type decoder struct {
	src           *source
	layer         Layer
	origins       Origins
	allowsUnknown bool // unknown keys are collected in unknown instead of problems
	unknown       Problems
	problems      Problems
}

// valueError is an error in a value or key, to which addProblem adds file and line.
type valueError struct {
	message, hint string
	depth         int  // for a wrong key: how many keys its path has; 0 for a wrong value
	unknown       bool // the key does not exist
}

func (m *valueError) Error() string { return m.message }

// invalid returns the error for a wrong value.
func invalid(hint, format string, args ...any) error {
	return &valueError{message: fmt.Sprintf(format, args...), hint: hint}
}

// invalidKey returns the error for a wrong key: segment depth of the value's path.
func invalidKey(depth int, hint, format string, args ...any) error {
	return &valueError{message: fmt.Sprintf(format, args...), hint: hint, depth: depth + 1}
}

// apply stores values in the struct that into points to. It returns the values without a problem.
func (d *decoder) apply(leaves []leaf, into any) []leaf {
	var applied []leaf
	for _, l := range leaves {
		if len(l.path) == 0 {
			if !l.isEmpty() {
				d.addProblem(l, invalid("write KEY: VALUE lines", "the file holds %s where keys are expected", l.kind()))
			}
			continue
		}
		if err := d.decode(reflect.ValueOf(into).Elem(), l, 0, ""); err != nil {
			d.addProblem(l, err)
			continue
		}
		applied = append(applied, l)
	}
	return applied
}

// addProblem adds err as a problem of value l. A wrong key with several values below it is reported once.
func (d *decoder) addProblem(l leaf, err error) {
	m := &valueError{message: err.Error()}
	errors.As(err, &m)
	path, line := l.keys(), l.line
	if m.depth > 0 {
		at := l.path[m.depth-1]
		path, line = path[:m.depth-1], at.line
	}
	to := &d.problems
	if m.unknown && d.allowsUnknown {
		to = &d.unknown
	}
	p := d.src.problem(line, Path(path...), m.message, m.hint)
	if m.unknown && d.src.isOverride {
		p.Text = "" // the value of a key that does not exist may be a secret
	}
	if last := len(*to) - 1; last < 0 || *(*to)[last] != *p {
		*to = append(*to, p)
	}
}

// decode stores a value in v, which the first depth keys of its path lead to.
func (d *decoder) decode(v reflect.Value, l leaf, depth int, tag reflect.StructTag) error {
	isEnd := depth == len(l.path)
	switch {
	case v.Kind() == reflect.Pointer:
		return d.decodePointer(v, l, depth, tag)
	case v.Kind() == reflect.Interface:
		return d.decodeBody(v, l, depth)
	case isEnd:
		return d.decodeValue(v, l, tag)
	case v.Kind() == reflect.Map:
		return d.decodeEntry(v, l, depth, tag)
	case v.Kind() != reflect.Struct:
		return invalidKey(depth, "", "needs %s, but has a table", typeName(v.Type(), tag))
	}
	var siblings []string
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Anonymous || f.Tag == "" {
			continue
		}
		key := f.Tag.Get("yaml")
		if key != l.path[depth].key {
			siblings = append(siblings, key)
			continue
		}
		only := f.Tag.Get("only") // the keys below this one that the field has; another field has the others
		if only == "" || depth+1 < len(l.path) && slices.Contains(strings.Split(only, ","), l.path[depth+1].key) {
			return d.decode(v.FieldByIndex(f.Index), l, depth+1, f.Tag)
		}
	}
	return unknownKey(l.keys()[:depth+1], siblings)
}

// decodePointer decodes into a pointer: to a scalar that inherits if unset, or to a table that may be written as a word.
func (d *decoder) decodePointer(v reflect.Value, l leaf, depth int, tag reflect.StructTag) error {
	fresh := reflect.New(v.Type().Elem())
	short, isShort := fresh.Interface().(shorthand)
	if isShort && depth == len(l.path) && !l.isEmpty() {
		word, ok := l.value.(string)
		if !ok {
			return invalid("", "needs a word or a table, but has %s", l.kind())
		}
		if err := short.fromWord(word); err != nil {
			return err
		}
		d.recordOrigin(l, depth)
		v.Set(fresh)
		return nil
	}
	switch {
	case isShort && depth == len(l.path) && l.value == nil:
		return nil
	case !v.IsNil():
		fresh.Elem().Set(v.Elem())
	case isShort:
		short.setDefaults()
	}
	err := d.decode(fresh.Elem(), l, depth, tag)
	if err == nil {
		v.Set(fresh)
	}
	return err
}

// decodeEntry decodes into a map whose keys the user chooses. It replaces the map by a copy, so that defaults are not changed.
func (d *decoder) decodeEntry(v reflect.Value, l leaf, depth int, tag reflect.StructTag) error {
	key := l.path[depth].key
	if err := checkName(key, tag.Get("names")); err != nil {
		return invalidKey(depth, "", "%s", err)
	}
	if why, own := reservedFields[key]; own && tag.Get("check") == "body" {
		return invalidKey(depth, why, "Plimsoll sets %s itself", key)
	}
	item := reflect.New(v.Type().Elem()).Elem()
	if old := v.MapIndex(reflect.ValueOf(key)); old.IsValid() {
		item.Set(old)
	}
	if err := d.decode(item, l, depth+1, tag); err != nil {
		return err
	}
	out := reflect.MakeMap(v.Type())
	for k, old := range v.Seq2() {
		out.SetMapIndex(k, old)
	}
	out.SetMapIndex(reflect.ValueOf(key), item)
	v.Set(out)
	return nil
}

func (d *decoder) decodeBody(v reflect.Value, l leaf, depth int) error {
	if err := checkJSON(l.value); err != nil {
		return err
	}
	d.recordOrigin(l, depth)
	if value := withValueAt(v.Interface(), l.path[depth:], l.value); value != nil {
		v.Set(reflect.ValueOf(value))
	} else {
		v.SetZero()
	}
	return nil
}

// decodeValue decodes a value into v, the field at the end of its path.
func (d *decoder) decodeValue(v reflect.Value, l leaf, tag reflect.StructTag) error {
	var err error
	switch kind := v.Kind(); {
	case kind == reflect.Struct, kind == reflect.Map:
		if !l.isEmpty() {
			return invalid("", "needs keys below it, but has %s", l.kind())
		}
		return nil
	case kind == reflect.Slice && l.value == nil:
		return nil
	case kind == reflect.Slice:
		err = d.decodeList(v, l, tag)
	case l.value == nil:
		return invalid(`write a value (text in quotes, "" for an empty one), or delete the line`, "has no value")
	default:
		err = decodeScalar(v, l, tag)
	}
	if err == nil {
		d.recordOrigin(l, len(l.path))
	}
	return err
}

// decodeList decodes a list of texts. [Keys] may also be one text without a list.
func (d *decoder) decodeList(v reflect.Value, l leaf, tag reflect.StructTag) error {
	items, ok := l.value.([]any)
	text, isText := l.value.(string)
	switch {
	case isText && v.Type() == reflect.TypeFor[Keys]():
		items = []any{text}
	case isText:
		return invalid("write ["+printable(maskSecrets(text))+"]", "needs a list, but has text")
	case !ok:
		return invalid("", "needs a list, but has %s", l.kind())
	}
	if v.Type().Elem().Kind() == reflect.Struct {
		return d.decodeTables(v, items)
	}
	out := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		if err := decodeScalar(out.Index(i), leaf{value: item}, tag); err != nil {
			return err
		}
	}
	v.Set(out)
	return nil
}

// decodeTables adds the tables of a list to those of earlier documents.
func (d *decoder) decodeTables(v reflect.Value, items []any) error {
	for i, item := range items {
		table, ok := item.(map[string]any)
		if !ok {
			return invalid("", "entry %d needs a table, but has %s", i+1, leaf{value: item}.kind())
		}
		entry := reflect.New(v.Type().Elem()).Elem()
		for _, key := range sortedKeys(table) {
			err := (&decoder{src: &source{}, origins: Origins{}}).decode(entry, leaf{path: []segment{{key: key}}, value: table[key]}, 0, "")
			if m, ok := errors.AsType[*valueError](err); ok {
				return invalid(m.hint, "entry %d: %s: %s", i+1, key, m.message)
			}
		}
		if h, ok := entry.Addr().Interface().(*Hook); ok {
			h.OfWorkspace = d.layer == LayerWorkspace
		}
		v.Set(reflect.Append(v, entry))
	}
	return nil
}

// unknownKey returns the error for a key that this version does not have. siblings are the known keys.
func unknownKey(path, siblings []string) error {
	depth := len(path) - 1
	err := invalidKey(depth, keyHint(path[depth], siblings), "unknown key %s", quote(path[depth])).(*valueError)
	isPlanned := func(key string) bool {
		return slices.EqualFunc(strings.Split(key, "."), path, func(want, got string) bool { return want == got || want == "*" })
	}
	if slices.ContainsFunc(plannedKeys, isPlanned) {
		err.message, err.hint = "this version does not have "+Path(path...)+" yet", "delete it, or wait for a later version"
	}
	err.unknown = true
	return err
}

// plannedKeys are documented keys that only a later version will have. Ignoring one silently would hide that it has no
// effect.
var plannedKeys = []string{"mcp.*.compaction"}

func (d *decoder) recordOrigin(l leaf, depth int) {
	d.origins[Path(l.keys()[:depth]...)] = Origin{Layer: d.layer, File: d.src.name, Line: l.line, source: d.src}
}

func appendKey(path []string, key string) []string { return append(slices.Clone(path), key) }

// keyHint returns a hint for an unknown key: the nearest of its siblings, or all of them.
func keyHint(key string, siblings []string) string {
	switch strings.ReplaceAll(strings.ToLower(key), "_", "") {
	case "apikey", "key", "token":
		return "keys do not belong in a file: name the environment variable that holds it in api_key_env"
	}
	slices.Sort(siblings)
	return cmp.Or(suggestion(nearest(key, siblings)), "known keys here: "+strings.Join(siblings, ", "))
}

var durationType = reflect.TypeFor[time.Duration]()
