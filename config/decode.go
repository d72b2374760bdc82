// From nodes to the struct. Rules:
//
//   - The struct's tags are the schema: `yaml` names the key; check.go says what the other tags demand.
//   - A layer is laid over what is there: tables by key, lists and scalars whole. A key with nothing behind it counts as
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

// maxSteps bounds the values one document may stand for, aliases counted as often as they are used.
const maxSteps = 50_000

// document decodes the root.
func (d *decoder) document(root *node, c *Config) { d.root(root, reflect.ValueOf(c).Elem()) }

// root decodes the root into a struct.
func (d *decoder) root(root *node, v reflect.Value) {
	if root == nil || root.kind == nullNode {
		return
	}
	if root.kind != tableNode {
		example := "model: openai/gpt-5.6"
		if d.own {
			example = "base: nord"
		}
		d.fail(root.line, root.col, nil, fmt.Sprintf("the file holds %s where keys are expected", root.kind), "write KEY: VALUE lines, such as  "+example)
		return
	}
	d.table(root, v, nil)
}

// value decodes n into v, which stands at path.
func (d *decoder) value(n *node, v reflect.Value, path []string, f field) {
	if d.steps++; d.steps > maxSteps {
		if d.steps == maxSteps+1 {
			d.fail(n.line, n.col, path, "aliases make this file stand for too much", "")
		}
		return
	}
	if n.kind == nullNode {
		d.null(n, v, path, f)
		return
	}
	if v.Kind() == reflect.Pointer {
		d.pointer(n, v, path, f)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		if d.want(n, tableNode, path, "keys below it") {
			d.table(n, v, path)
		}
	case reflect.Map:
		if d.want(n, tableNode, path, "keys below it") {
			d.entries(n, v, path, f)
		}
	case reflect.Slice:
		d.list(n, v, path, f)
	case reflect.Interface:
		value, err := jsonOf(v.Interface(), n)
		if err != nil {
			d.failValue(n, path, err)
			return
		}
		v.Set(reflect.ValueOf(value))
		d.set(n, path)
	default:
		d.scalar(n, v, path, f)
	}
}

// null is a key with nothing behind it.
func (d *decoder) null(n *node, v reflect.Value, path []string, f field) {
	switch v.Kind() {
	case reflect.Struct, reflect.Map, reflect.Slice:
		return
	case reflect.Pointer:
		if v.Type().Elem().Kind() == reflect.Struct {
			return
		}
	}
	hint := "give it one, or delete the line"
	switch {
	case f.tag.Get("check") == "color":
		hint = `put the color in quotes: without them # begins a comment`
	case v.Kind() == reflect.String:
		hint = `write "" for an empty text, or delete the line`
	}
	d.fail(n.line, n.col, path, "has no value", hint)
}

// pointer decodes what may be absent: a scalar that inherits when unset, or a table that may be written as a word.
func (d *decoder) pointer(n *node, v reflect.Value, path []string, f field) {
	fresh := reflect.New(v.Type().Elem())
	word, isShort := fresh.Interface().(shorthand)
	before := len(d.problems)
	switch {
	case !isShort:
		d.value(n, fresh.Elem(), path, f)
	case n.kind == tableNode:
		word.preset()
		d.table(n, fresh.Elem(), path)
	case n.kind == textNode:
		if err := word.fromWord(n.text); err != nil {
			d.failValue(n, path, err)
		}
		d.set(n, path)
	default:
		d.want(n, textNode, path, "a word or a table")
	}
	if len(d.problems) == before {
		v.Set(fresh)
	}
}

// want checks the kind of a node and reports a wrong one.
func (d *decoder) want(n *node, k kind, path []string, what string) bool {
	if n.kind == k {
		return true
	}
	hint := ""
	switch {
	case k == textNode && n.kind != tableNode && n.kind != listNode:
		hint = "put it in quotes to make it text"
	case k == listNode && n.kind == textNode:
		hint = "write [" + printable(hideSecrets(n.text)) + "]"
	}
	d.fail(n.line, n.col, path, fmt.Sprintf("needs %s, but has %s", what, n.kind), hint)
	return false
}

// table decodes the entries of a table into the fields of a struct.
func (d *decoder) table(n *node, v reflect.Value, path []string) {
	known := map[string]int{}
	for i := range v.NumField() {
		known[v.Type().Field(i).Tag.Get("yaml")] = i
	}
	if d.passes {
		defer func() { // what is decoded next is without them
			n.entries = slices.DeleteFunc(slices.Clone(n.entries), func(e entry) bool { _, ok := known[e.key]; return !ok })
		}()
	}
	for _, e := range n.entries {
		at := child(path, e.key)
		i, ok := known[e.key]
		if !ok {
			d.unknownKey(e, at, path, sortedKeys(known))
			continue
		}
		sf := v.Type().Field(i)
		d.value(positioned(e), v.Field(i), at, field{key: e.key, tag: sf.Tag})
	}
}

// unknownKey tells of a key that this version does not have.
func (d *decoder) unknownKey(e entry, at, path, siblings []string) {
	to, message, hint := &d.problems, "unknown key "+quote(e.key), ""
	if d.passes {
		to = &d.unknown
	}
	switch {
	case !d.own && planned(at):
		message, hint = "this version does not have "+Path(at...)+" yet", "delete it, or wait for a later version"
	case len(*to) < maxProblems:
		hint = d.keyHint(e.key, path, siblings)
	}
	d.src.add(to, e.line, e.col, Path(path...), message, hint)
}

// later are the keys of the documented configuration that this version does not have. Accepting one in silence would
// promise what does not happen.
var later = []string{
	"hooks", "mcp", "permissions.sandbox",
	"tools.*.command", "tools.*.description", "tools.*.parameters",
}

// planned reports whether a key is one of a later version.
func planned(at []string) bool {
	return slices.ContainsFunc(later, func(key string) bool { return matches(key, at) })
}

// matches reports whether a key is at a path; * in it stands for any name.
func matches(key string, at []string) bool {
	return slices.EqualFunc(strings.Split(key, "."), at, func(want, got string) bool { return want == got || want == "*" })
}

// entries decodes a table whose keys the user chooses. An entry that exists is changed, not replaced.
func (d *decoder) entries(n *node, v reflect.Value, path []string, f field) {
	out := reflect.MakeMap(v.Type())
	for _, key := range v.MapKeys() {
		out.SetMapIndex(key, v.MapIndex(key))
	}
	for _, e := range n.entries {
		at, e := child(path, e.key), e
		if err := checkName(e.key, f.tag.Get("names")); err != nil {
			d.fail(e.line, e.col, path, err.Error(), "")
			continue
		}
		if why, own := owned[e.key]; own && f.tag.Get("check") == "body" {
			d.fail(e.line, e.col, path, "Plimsoll sets "+e.key+" itself", why)
			continue
		}
		item := reflect.New(v.Type().Elem()).Elem()
		if old := out.MapIndex(reflect.ValueOf(e.key)); old.IsValid() {
			item.Set(old)
		}
		before := len(d.problems)
		d.value(positioned(e), item, at, field{key: e.key, tag: f.tag})
		if len(d.problems) == before {
			out.SetMapIndex(reflect.ValueOf(e.key), item)
		}
	}
	if out.Len() > 0 {
		v.Set(out)
	}
}

// list decodes a list of texts. [Keys] may also be one text without a list.
func (d *decoder) list(n *node, v reflect.Value, path []string, f field) {
	if _, ok := v.Interface().(Keys); ok && n.kind == textNode {
		n = &node{kind: listNode, items: []*node{n}, line: n.line, col: n.col}
	}
	if !d.want(n, listNode, path, "a list") {
		return
	}
	out := reflect.MakeSlice(v.Type(), 0, len(n.items))
	for _, item := range n.items {
		text := reflect.New(v.Type().Elem()).Elem()
		before := len(d.problems)
		d.value(item, text, path, field{key: f.key, tag: f.tag})
		if len(d.problems) == before {
			out = reflect.Append(out, text)
		}
	}
	d.set(n, path)
	v.Set(out)
}

// set notes that a key was set explicitly, and where.
func (d *decoder) set(n *node, path []string) {
	d.origins[Path(path...)] = Origin{Layer: d.layer, File: d.src.name, Line: n.line, text: d.src}
}

func (d *decoder) failValue(n *node, path []string, err error) {
	hint := ""
	if v, ok := err.(*valueError); ok {
		hint = v.hint
	}
	d.fail(n.line, n.col, path, err.Error(), hint)
}

// positioned gives an entry's value a place to point at when it has none of its own.
func positioned(e entry) *node {
	if e.value.line == 0 || e.value.kind == nullNode {
		moved := *e.value
		moved.line, moved.col = e.line, e.col
		return &moved
	}
	return e.value
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
	if len(path) == 0 && len(siblings) > 0 || len(siblings) <= 15 {
		return "known keys here: " + strings.Join(siblings, ", ")
	}
	return ""
}

var durationType = reflect.TypeFor[time.Duration]()
