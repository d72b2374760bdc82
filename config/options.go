package config

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Option is one key of the configuration as the documentation lists it.
type Option struct {
	Key     string // dotted; capitals stand for names the user chooses: providers.NAME.base_url
	Type    string // such as "ratio", "text", "plan, ask, auto-edit or yolo"
	Default string // as it would stand in the file; "" when the key is unset by default
	Doc     string // one or two sentences
}

// Options lists every key in the order of the struct. It is made from the struct's tags and [Default].
func Options() []Option {
	c := Default()
	return options(nil, reflect.ValueOf(c), "")
}

func options(path []string, v reflect.Value, unset string) []Option {
	var out []Option
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		at := below(path, sf)
		t := sf.Type
		if t.Kind() == reflect.Struct {
			out = append(out, options(at, v.Field(i), unset)...)
			continue
		}
		o := Option{Key: strings.Join(at, "."), Type: typeName(t, sf.Tag), Doc: sf.Tag.Get("doc")}
		if unset == "" || !v.Field(i).IsZero() || t.Kind() == reflect.Map || t.Kind() == reflect.Slice {
			o.Default = defaultText(v.Field(i), sf.Tag)
		}
		out = append(out, o)
		switch {
		case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Struct:
			out = append(out, options(child(at, sf.Tag.Get("name")), reflect.Zero(t.Elem()), "unset")...)
		case t.Kind() == reflect.Map && sf.Tag.Get("name") != "":
			out[len(out)-1].Key += "." + sf.Tag.Get("name")
			out[len(out)-1].Default = ""
		case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
			example := reflect.New(t.Elem())
			example.Interface().(shorthand).preset()
			out = append(out, options(at, example.Elem(), "unset")...)
		}
	}
	return out
}

// below is the path of a field. The keys of an embedded struct stand beside the others.
func below(path []string, f reflect.StructField) []string {
	if f.Anonymous {
		return path
	}
	return child(path, f.Tag.Get("yaml"))
}

func typeName(t reflect.Type, tag reflect.StructTag) string {
	if t.Kind() == reflect.Map && tag.Get("name") != "" && t.Elem().Kind() != reflect.Struct {
		return typeName(t.Elem(), tag)
	}
	if words, ok := tag.Lookup("enum"); ok {
		return listWords(strings.Split(words, ","))
	}
	switch {
	case t == durationType:
		return "duration"
	case t == reflect.TypeFor[Size]():
		return "size"
	case t == reflect.TypeFor[Chars]():
		return "whole number or " + autoWord
	case tag.Get("check") == "share":
		return "ratio or " + autoWord
	case t == reflect.TypeFor[Keys]():
		return "key or list of keys"
	case tag.Get("check") == "ratio":
		return "ratio"
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		return "word or table"
	case t.Kind() == reflect.Pointer:
		return typeName(t.Elem(), tag)
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "whole number"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "list of texts"
	case reflect.Map:
		return "table"
	}
	return "text"
}

// defaultText writes a default as it would stand in the file.
func defaultText(v reflect.Value, tag reflect.StructTag) string {
	switch x := v.Interface().(type) {
	case time.Duration:
		return formatDuration(x)
	case Size:
		return x.String()
	case Chars:
	case float64:
		if x == 0 && tag.Get("check") == "share" {
			return autoWord
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	switch v.Kind() {
	case reflect.String:
		return cmp.Or(v.String(), `""`)
	case reflect.Map:
		return "{}"
	case reflect.Slice:
		return "[]"
	case reflect.Pointer:
		return ""
	}
	return fmt.Sprint(v.Interface())
}

// Setting is a key with its value, and where that comes from.
type Setting struct {
	Key     string   // dotted, "" for what is no key of the configuration
	Type    string   // as [Option] has it
	Doc     string   // as [Option] has it
	Value   string   // as it would stand in the file
	Unset   string   // what it is where nobody sets it: by the preset, or the default
	Choices []string // the values there are; nil where they cannot be listed
	Origin  Origin   // of Value
}

// Settings lists every key that is no table of the user's own, in the order of [Options].
func (l Loaded) Settings() []Setting {
	docs := map[string]Option{}
	for _, o := range Options() {
		docs[o.Key] = o
	}
	var out []Setting
	l.settings(reflect.ValueOf(l.Config), reflect.ValueOf(l.unset), nil, docs, &out)
	return out
}

func (l Loaded) settings(v, unset reflect.Value, path []string, docs map[string]Option, out *[]Setting) {
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		at := below(path, sf)
		switch sf.Type.Kind() {
		case reflect.Struct:
			l.settings(v.Field(i), unset.Field(i), at, docs, out)
		case reflect.Map:
		default:
			key := Path(at...)
			*out = append(*out, Setting{Key: key, Type: docs[key].Type, Doc: docs[key].Doc, Value: valueText(v.Field(i), sf.Tag), Unset: valueText(unset.Field(i), sf.Tag),
				Choices: l.choices(key, sf), Origin: l.origin(key)})
		}
	}
}

// choices are the values of a key that can be listed.
func (l Loaded) choices(key string, f reflect.StructField) []string {
	words, ok := f.Tag.Lookup("enum")
	switch {
	case ok:
		return strings.Split(words, ",")
	case f.Type.Kind() == reflect.Bool:
		return []string{"true", "false"}
	case key == "compaction.default_profile":
		return l.Config.Compaction.ProfileNames()
	case key == "compaction.auto.profile":
		return append([]string{`""`}, l.Config.Compaction.ProfileNames()...)
	}
	return nil
}

// origin is where the value of a key comes from.
func (l Loaded) origin(key string) Origin {
	o, ok := l.Origins[key]
	section, name, _ := strings.Cut(key, ".")
	switch {
	case ok:
		return o
	case section == "compaction" && name != "preset":
		return Origin{Layer: LayerPreset}
	}
	return Origin{Layer: LayerDefault}
}

// valueText writes a value as it would stand in the file.
func valueText(v reflect.Value, tag reflect.StructTag) string {
	if v.Kind() != reflect.Slice {
		text := defaultText(v, tag)
		if v.Kind() == reflect.String && text == v.String() {
			return YAMLText(text)
		}
		return text
	}
	items := make([]string, v.Len())
	for i := range items {
		items[i] = YAMLText(v.Index(i).String())
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// YAMLText is a text as it stands in the file, with quotes where it would be read as
// something else.
func YAMLText(text string) string {
	leaves, _ := parseText(&source{lines: []string{text}}, text, nil)
	if len(leaves) != 1 || len(leaves[0].path) > 0 || leaves[0].value != text || strings.ContainsAny(text, "#,[]{}\"'\n") {
		return strconv.Quote(text)
	}
	return text
}
