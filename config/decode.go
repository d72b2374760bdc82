// From the values of a document to the struct. Rules:
//
//   - The struct's tags are the schema: `yaml` names the key; check.go says what the other tags demand.
//   - A value is laid over what is there: tables by key, lists and scalars whole. A key with nothing behind it counts as
//     absent where a table or list could stand, so that a section may be commented out; elsewhere it is a problem.
//   - Decoding goes on after a problem, so that all of them are reported.

package config

import (
	"cmp"
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
	own      bool // a file of its own kind, not a configuration
	passes   bool // over keys that nobody knows, which then are in unknown
	unknown  Problems
	problems Problems
}

// fail notes a problem at a place.
func (d *decoder) fail(line, col int, path []string, message, hint string) bool {
	d.note(&d.problems, line, col, path, message, hint)
	return false
}

// note adds a problem, once for all values below a key.
func (d *decoder) note(to *Problems, line, col int, path []string, message, hint string) {
	p := d.src.problem(line, col, Path(path...), message, hint)
	if last := len(*to) - 1; last < 0 || *(*to)[last] != *p {
		*to = append(*to, p)
	}
}

// lay lays values over a struct, and gives those that have their place in it.
func (d *decoder) lay(leaves []leaf, into any) []leaf {
	var laid []leaf
	for _, l := range leaves {
		switch {
		case len(l.path) > 0:
			if d.set(reflect.ValueOf(into).Elem(), l, 0, "") {
				laid = append(laid, l)
			}
		case l.kind != nullNode && l.kind != tableNode:
			example := "model: openai/gpt-5.6"
			if d.own {
				example = "base: nord"
			}
			d.fail(l.line, l.col, nil, fmt.Sprintf("the file holds %s where keys are expected", l.kind), "write KEY: VALUE lines, such as  "+example)
		}
	}
	return laid
}

// set lays a value over what its path leads to from a depth on, and reports whether that is in order.
func (d *decoder) set(v reflect.Value, l leaf, depth int, tag reflect.StructTag) bool {
	if v.Kind() == reflect.Pointer {
		return d.pointer(v, l, depth, tag)
	}
	path := l.keys()
	if depth == len(l.path) {
		return d.value(v, l, path, tag)
	}
	at := l.path[depth]
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(v.Type()) {
			if !f.Anonymous && f.Tag.Get("yaml") == at.key {
				return d.set(v.FieldByIndex(f.Index), l, depth+1, f.Tag)
			}
		}
		d.unknownKey(at, path[:depth+1], keysOf(v.Type()))
		return false
	case reflect.Map:
		return d.entry(v, l, depth, tag)
	case reflect.Interface:
		return d.body(v, l, depth, path)
	}
	before := l.path[depth-1]
	return d.want(leaf{kind: tableNode, line: before.line, col: before.col}, nullNode, path[:depth], typeName(v.Type(), tag))
}

// keysOf are the keys of a struct, sorted.
func keysOf(t reflect.Type) []string {
	var keys []string
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous {
			keys = append(keys, f.Tag.Get("yaml"))
		}
	}
	slices.Sort(keys)
	return keys
}

// pointer decodes what may be absent: a scalar that inherits when unset, or a table that may be written as a word.
func (d *decoder) pointer(v reflect.Value, l leaf, depth int, tag reflect.StructTag) bool {
	fresh := reflect.New(v.Type().Elem())
	word, isWord := fresh.Interface().(shorthand)
	here := depth == len(l.path)
	switch {
	case here && isWord && l.kind == nullNode:
		return true
	case here && isWord && l.kind == textNode:
		if err := word.fromWord(l.text); err != nil {
			return d.failValue(l, l.keys(), err)
		}
		d.came(l, depth)
		v.Set(fresh)
		return true
	case here && isWord && l.kind != tableNode:
		return d.want(l, textNode, l.keys(), "a word or a table")
	case !v.IsNil():
		fresh.Elem().Set(v.Elem())
	case isWord:
		word.preset()
	}
	ok := d.set(fresh.Elem(), l, depth, tag)
	if ok {
		v.Set(fresh)
	}
	return ok
}

// entry decodes into a table whose keys the user chooses. The table is copied, an entry that exists is changed.
func (d *decoder) entry(v reflect.Value, l leaf, depth int, tag reflect.StructTag) bool {
	at, above := l.path[depth], l.keys()[:depth]
	if err := checkName(at.key, tag.Get("names")); err != nil {
		return d.fail(at.line, at.col, above, err.Error(), "")
	}
	if why, own := owned[at.key]; own && tag.Get("check") == "body" {
		return d.fail(at.line, at.col, above, "Plimsoll sets "+at.key+" itself", why)
	}
	item := reflect.New(v.Type().Elem()).Elem()
	if old := v.MapIndex(reflect.ValueOf(at.key)); old.IsValid() {
		item.Set(old)
	}
	if !d.set(item, l, depth+1, tag) {
		return false
	}
	out := reflect.MakeMap(v.Type())
	for _, key := range v.MapKeys() {
		out.SetMapIndex(key, v.MapIndex(key))
	}
	out.SetMapIndex(reflect.ValueOf(at.key), item)
	v.Set(out)
	return true
}

// body decodes into a field of a request, which is as JSON has it.
func (d *decoder) body(v reflect.Value, l leaf, depth int, path []string) bool {
	if err := checkJSON(l.json(), l.text); err != nil {
		return d.failValue(l, path, err)
	}
	d.came(l, depth)
	if value := put(v.Interface(), l.path[depth:], l); value != nil {
		v.Set(reflect.ValueOf(value))
	} else {
		v.SetZero()
	}
	return true
}

// value decodes a value into what stands at its path.
func (d *decoder) value(v reflect.Value, l leaf, path []string, tag reflect.StructTag) bool {
	switch kind := v.Kind(); {
	case kind == reflect.Interface:
		return d.body(v, l, len(path), path)
	case kind == reflect.Struct, kind == reflect.Map:
		return l.kind == nullNode || d.want(l, tableNode, path, "keys below it")
	case kind == reflect.Slice:
		return l.kind == nullNode || d.list(v, l, path, tag)
	case l.kind == nullNode:
		hint := "give it one, or delete the line"
		switch {
		case tag.Get("check") == "color":
			hint = `put the color in quotes: without them # begins a comment`
		case kind == reflect.String:
			hint = `write "" for an empty text, or delete the line`
		}
		return d.fail(l.line, l.col, path, "has no value", hint)
	}
	if !d.scalar(v, l, path, tag) {
		return false
	}
	d.came(l, len(path))
	return true
}

// list decodes a list of texts. [Keys] may also be one text without a list.
func (d *decoder) list(v reflect.Value, l leaf, path []string, tag reflect.StructTag) bool {
	if _, ok := v.Interface().(Keys); ok && l.kind == textNode {
		l = leaf{path: l.path, kind: listNode, items: []leaf{l}, line: l.line, col: l.col}
	}
	if !d.want(l, listNode, path, "a list") {
		return false
	}
	out, ok := reflect.MakeSlice(v.Type(), len(l.items), len(l.items)), true
	for i, item := range l.items {
		if item.kind == nullNode {
			ok = d.fail(l.line, l.col, path, "has an entry without a value", "delete it")
			continue
		}
		ok = d.scalar(out.Index(i), item, path, tag) && ok
	}
	if ok {
		d.came(l, len(path))
		v.Set(out)
	}
	return ok
}

// want checks the kind of a value and reports a wrong one.
func (d *decoder) want(l leaf, k kind, path []string, what string) bool {
	if l.kind == k {
		return true
	}
	hint := ""
	switch {
	case k == textNode && l.kind != tableNode && l.kind != listNode:
		hint = "put it in quotes to make it text"
	case k == listNode && l.kind == textNode:
		hint = "write [" + printable(hideSecrets(l.text)) + "]"
	}
	return d.fail(l.line, l.col, path, fmt.Sprintf("needs %s, but has %s", what, l.kind), hint)
}

// unknownKey tells of a key that this version does not have, once for all values below it.
func (d *decoder) unknownKey(at segment, path, siblings []string) {
	to, message, hint := &d.problems, "unknown key "+quote(at.key), ""
	if d.passes {
		to = &d.unknown
	}
	switch {
	case !d.own && planned(path):
		message, hint = "this version does not have "+Path(path...)+" yet", "delete it, or wait for a later version"
	case len(*to) < maxProblems:
		hint = d.keyHint(at.key, path[:len(path)-1], siblings)
	}
	d.note(to, at.line, at.col, path[:len(path)-1], message, hint)
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

func (d *decoder) failValue(l leaf, path []string, err error) bool {
	hint := ""
	if v, ok := err.(*valueError); ok {
		hint = v.hint
	}
	return d.fail(l.line, l.col, path, err.Error(), hint)
}

func child(path []string, key string) []string { return append(slices.Clone(path), key) }

// keyHint offers the nearest sibling, else the place where a key of that name exists.
func (d *decoder) keyHint(key string, path, siblings []string) string {
	if d.own {
		return cmp.Or(suggestion(nearest(key, siblings)), "known keys here: "+strings.Join(siblings, ", "))
	}
	bare := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(key))
	if bare == "apikey" || bare == "key" || bare == "token" {
		return "keys do not belong in a file: name the environment variable that holds it in api_key_env"
	}
	if near := nearest(key, siblings); near != "" {
		return suggestion(near)
	}
	for _, o := range Options() {
		segments := strings.Split(o.Key, ".")
		if segments[len(segments)-1] == key && len(segments) > 1 {
			return suggestion(o.Key)
		}
	}
	return "known keys here: " + strings.Join(siblings, ", ")
}

var durationType = reflect.TypeFor[time.Duration]()
