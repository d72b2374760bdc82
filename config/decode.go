// From the values of a document to the struct. Rules:
//
//   - The struct's tags are the schema: `yaml` names the key; check.go says what the other tags demand.
//   - A value is laid over what is there: tables by key, lists and scalars whole. A key with nothing behind it counts as
//     absent where a table or list could stand, so that a section may be commented out; elsewhere it is a problem.
//   - Decoding goes on after a problem, so that all of them are reported.

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

// decoder lays the values of one document over a struct.
type decoder struct {
	src      *source
	layer    Layer
	origins  Origins
	passes   bool // over keys that nobody knows, which then are in unknown
	unknown  Problems
	problems Problems
}

// mistake is what is wrong with a value, before its place is known.
type mistake struct {
	message, hint string
	depth         int  // of the key that is meant; 0: the value
	unknown       bool // nobody knows the key
}

func (m *mistake) Error() string { return m.message }

// wrong is a mistake in a value.
func wrong(hint, format string, args ...any) error {
	return &mistake{message: fmt.Sprintf(format, args...), hint: hint}
}

// wrongKey is a mistake in the key at a depth.
func wrongKey(depth int, hint, format string, args ...any) error {
	return &mistake{message: fmt.Sprintf(format, args...), hint: hint, depth: depth + 1}
}

// lay lays values over a struct, and gives those that have their place in it.
func (d *decoder) lay(leaves []leaf, into any) []leaf {
	var laid []leaf
	for _, l := range leaves {
		if len(l.path) == 0 {
			if !l.isEmpty() {
				d.note(l, wrong("write KEY: VALUE lines", "the file holds %s where keys are expected", l.kind()))
			}
			continue
		}
		if err := d.set(reflect.ValueOf(into).Elem(), l, 0, ""); err != nil {
			d.note(l, err)
			continue
		}
		laid = append(laid, l)
	}
	return laid
}

// note adds a problem, once for all values below a key.
func (d *decoder) note(l leaf, err error) {
	m := &mistake{message: err.Error()}
	errors.As(err, &m)
	path, line, col := l.keys(), l.line, l.col
	if m.depth > 0 {
		at := l.path[m.depth-1]
		path, line, col = path[:m.depth-1], at.line, at.col
	}
	to := &d.problems
	if m.unknown && d.passes {
		to = &d.unknown
	}
	p := d.src.problem(line, col, Path(path...), m.message, m.hint)
	if last := len(*to) - 1; last < 0 || *(*to)[last] != *p {
		*to = append(*to, p)
	}
}

// set lays a value over what its path leads to from a depth on.
func (d *decoder) set(v reflect.Value, l leaf, depth int, tag reflect.StructTag) error {
	here := depth == len(l.path)
	switch {
	case v.Kind() == reflect.Pointer:
		return d.pointer(v, l, depth, tag)
	case v.Kind() == reflect.Interface:
		return d.body(v, l, depth)
	case here:
		return d.value(v, l, tag)
	case v.Kind() == reflect.Map:
		return d.entry(v, l, depth, tag)
	case v.Kind() != reflect.Struct:
		return wrongKey(depth, "", "needs %s, but has a table", typeName(v.Type(), tag))
	}
	var siblings []string
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Anonymous {
			continue
		}
		key := f.Tag.Get("yaml")
		if key == l.path[depth].key {
			return d.set(v.FieldByIndex(f.Index), l, depth+1, f.Tag)
		}
		siblings = append(siblings, key)
	}
	return unknownKey(l.keys()[:depth+1], siblings)
}

// pointer decodes what may be absent: a scalar that inherits when unset, or a table that may be written as a word.
func (d *decoder) pointer(v reflect.Value, l leaf, depth int, tag reflect.StructTag) error {
	fresh := reflect.New(v.Type().Elem())
	short, isShort := fresh.Interface().(shorthand)
	if isShort && depth == len(l.path) && !l.isEmpty() {
		word, ok := l.value.(string)
		if !ok {
			return wrong("", "needs a word or a table, but has %s", l.kind())
		}
		if err := short.fromWord(word); err != nil {
			return err
		}
		d.came(l, depth)
		v.Set(fresh)
		return nil
	}
	switch {
	case isShort && depth == len(l.path) && l.value == nil:
		return nil
	case !v.IsNil():
		fresh.Elem().Set(v.Elem())
	case isShort:
		short.preset()
	}
	err := d.set(fresh.Elem(), l, depth, tag)
	if err == nil {
		v.Set(fresh)
	}
	return err
}

// entry decodes into a table whose keys the user chooses. The table is copied, an entry that exists is changed.
func (d *decoder) entry(v reflect.Value, l leaf, depth int, tag reflect.StructTag) error {
	key := l.path[depth].key
	if err := checkName(key, tag.Get("names")); err != nil {
		return wrongKey(depth, "", "%s", err)
	}
	if why, own := owned[key]; own && tag.Get("check") == "body" {
		return wrongKey(depth, why, "Plimsoll sets %s itself", key)
	}
	item := reflect.New(v.Type().Elem()).Elem()
	if old := v.MapIndex(reflect.ValueOf(key)); old.IsValid() {
		item.Set(old)
	}
	if err := d.set(item, l, depth+1, tag); err != nil {
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

// body decodes into a field of a request, which is as JSON has it.
func (d *decoder) body(v reflect.Value, l leaf, depth int) error {
	if err := checkJSON(l.value); err != nil {
		return err
	}
	d.came(l, depth)
	if value := put(v.Interface(), l.path[depth:], l.value); value != nil {
		v.Set(reflect.ValueOf(value))
	} else {
		v.SetZero()
	}
	return nil
}

// value decodes a value into what stands at its path.
func (d *decoder) value(v reflect.Value, l leaf, tag reflect.StructTag) error {
	var err error
	switch kind := v.Kind(); {
	case kind == reflect.Struct, kind == reflect.Map:
		if !l.isEmpty() {
			return wrong("", "needs keys below it, but has %s", l.kind())
		}
		return nil
	case kind == reflect.Slice && l.value == nil:
		return nil
	case kind == reflect.Slice:
		err = decodeList(v, l, tag)
	case l.value == nil:
		return wrong(`write a value (text in quotes, "" for an empty one), or delete the line`, "has no value")
	default:
		err = decodeScalar(v, l, tag)
	}
	if err == nil {
		d.came(l, len(l.path))
	}
	return err
}

// decodeList decodes a list of texts. [Keys] may also be one text without a list.
func decodeList(v reflect.Value, l leaf, tag reflect.StructTag) error {
	items, ok := l.value.([]any)
	text, isText := l.value.(string)
	switch {
	case isText && v.Type() == reflect.TypeFor[Keys]():
		items = []any{text}
	case isText:
		return wrong("write ["+printable(hideSecrets(text))+"]", "needs a list, but has text")
	case !ok:
		return wrong("", "needs a list, but has %s", l.kind())
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

// unknownKey is a key that this version does not have.
func unknownKey(path, siblings []string) error {
	depth := len(path) - 1
	err := wrongKey(depth, keyHint(path[depth], siblings), "unknown key %s", quote(path[depth])).(*mistake)
	if planned(path) {
		err.message, err.hint = "this version does not have "+Path(path...)+" yet", "delete it, or wait for a later version"
	}
	err.unknown = true
	return err
}

// later are the keys of the documented configuration that this version does not have. Accepting one in silence would
// promise what does not happen.
var later = []string{
	"hooks", "mcp", "permissions.sandbox",
	"tools.*.command", "tools.*.description", "tools.*.parameters",
}

// planned reports whether a key is one of a later version.
func planned(at []string) bool {
	return slices.ContainsFunc(later, func(key string) bool {
		return slices.EqualFunc(strings.Split(key, "."), at, func(want, got string) bool { return want == got || want == "*" })
	})
}

// came notes that a key was set explicitly, and where.
func (d *decoder) came(l leaf, depth int) {
	d.origins[Path(l.keys()[:depth]...)] = Origin{Layer: d.layer, File: d.src.name, Line: l.line, text: d.src}
}

func child(path []string, key string) []string { return append(slices.Clone(path), key) }

// keyHint offers the nearest of the keys beside an unknown one.
func keyHint(key string, siblings []string) string {
	switch strings.ReplaceAll(strings.ToLower(key), "_", "") {
	case "apikey", "key", "token":
		return "keys do not belong in a file: name the environment variable that holds it in api_key_env"
	}
	slices.Sort(siblings)
	return cmp.Or(suggestion(nearest(key, siblings)), "known keys here: "+strings.Join(siblings, ", "))
}

var durationType = reflect.TypeFor[time.Duration]()
