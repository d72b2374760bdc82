package config

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Option is one key of the configuration, as the documentation lists it.
type Option struct {
	Key          string // dotted; parts in capitals are placeholders for names the user chooses: providers.NAME.base_url
	Type         string // such as "ratio", "text", "plan, ask, edits, auto or yolo"
	Default      string // as written in the file; "" if the key is unset by default
	Doc          string // one or two sentences
	Title, Group string // plain names of a key that /settings shows, and of its table
}

// Options lists every key in the order of the struct. It is derived from the struct tags and [Default].
func Options() []Option {
	return options(nil, "", reflect.ValueOf(Default()), false)
}

func options(path []string, group string, v reflect.Value, unset bool) []Option {
	var out []Option
	for _, sf := range reflect.VisibleFields(v.Type()) {
		at, t, name, title, value := appendKey(path, sf.Tag.Get("yaml")), sf.Type, sf.Tag.Get("name"), sf.Tag.Get("title"), v.FieldByIndex(sf.Index)
		switch {
		case sf.Anonymous || sf.Tag == "":
			continue
		case t.Kind() == reflect.Struct:
			out = append(out, options(at, title, value, unset)...)
			continue
		}
		o := Option{Key: strings.Join(at, "."), Type: typeName(t, sf.Tag), Doc: sf.Tag.Get("doc"), Title: title, Group: group}
		if !unset || !value.IsZero() || t.Kind() == reflect.Map || t.Kind() == reflect.Slice {
			o.Default = defaultText(value, sf.Tag)
		}
		if t.Kind() == reflect.Map && t.Elem().Kind() != reflect.Struct && name != "" {
			o.Key, o.Default = o.Key+"."+name, ""
		}
		out = append(out, o)
		switch {
		case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Struct:
			out = append(out, options(appendKey(at, name), "", reflect.Zero(t.Elem()), true)...)
		case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
			example := reflect.New(t.Elem())
			example.Interface().(shorthand).setDefaults()
			out = append(out, options(at, "", example.Elem(), true)...)
		}
	}
	return out
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
	case tag.Get("check") == "chars":
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
		if t.Elem().Kind() == reflect.Struct {
			return "list of tables"
		}
		return "list of texts"
	case reflect.Map:
		return "table"
	}
	return "text"
}

func defaultText(v reflect.Value, tag reflect.StructTag) string {
	if check := tag.Get("check"); v.IsZero() && (check == "chars" || check == "share") {
		return autoWord
	}
	switch x := v.Interface().(type) {
	case time.Duration:
		return formatDuration(x)
	case Size:
		return x.String()
	case float64:
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

// Setting is a key with its value and the origin of the value.
type Setting struct {
	Key, Type, Doc, Title, Group string   // as in [Option]; Key is "" for a setting that is not in the configuration
	Value                        string   // as written in the file
	UnsetValue                   string   // the value if no layer sets the key: that of the preset, or the default
	Choices                      []string // the possible values; nil if they cannot be listed
	Origin                       Origin   // of Value
}

// Settings lists every key in the order of [Options], without tables whose keys the user chooses and lists of tables.
func (l Loaded) Settings() []Setting {
	var out []Setting
	for _, o := range Options() {
		f, value, ok := fieldAt(reflect.ValueOf(l.Config), o.Key)
		if !ok || f.Type.Kind() == reflect.Map || f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
			continue
		}
		_, unset, _ := fieldAt(reflect.ValueOf(l.unsetConfig), o.Key)
		out = append(out, Setting{Key: o.Key, Type: o.Type, Doc: o.Doc, Title: o.Title, Group: o.Group, Value: valueText(value, f.Tag),
			UnsetValue: valueText(unset, f.Tag), Choices: l.choices(o.Key, f), Origin: l.origin(o.Key)})
	}
	return out
}

// fieldAt returns the struct field of a dotted key. ok is false if the key is in a table whose keys the user chooses.
func fieldAt(v reflect.Value, key string) (f reflect.StructField, value reflect.Value, ok bool) {
	name, below, more := strings.Cut(key, ".")
	for _, f = range reflect.VisibleFields(v.Type()) {
		value = v.FieldByIndex(f.Index)
		switch {
		case f.Anonymous, f.Tag.Get("yaml") != name:
		case !more && value.Kind() != reflect.Struct:
			return f, value, true
		case value.Kind() == reflect.Struct:
			if f, at, ok := fieldAt(value, below); ok || f.Tag.Get("only") == "" {
				return f, at, ok
			}
		}
	}
	return f, value, false
}

// choices lists the possible values of a key, nil if they cannot be listed.
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

// origin returns where the value of a key comes from.
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

// valueText formats a value as written in the file.
func valueText(v reflect.Value, tag reflect.StructTag) string {
	if v.Kind() == reflect.Slice {
		return YAMLList(v.Convert(reflect.TypeFor[[]string]()).Interface().([]string))
	}
	text := defaultText(v, tag)
	if v.Kind() == reflect.String && text == v.String() {
		return YAMLText(text)
	}
	return text
}

// YAMLList formats a list of texts for the file.
func YAMLList(texts []string) string {
	items := make([]string, len(texts))
	for i, text := range texts {
		items[i] = YAMLText(text)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// YAMLText formats a text for the file, with quotes if it would be parsed as
// something else.
func YAMLText(text string) string {
	leaves, problem := parseText(&source{lines: []string{text}}, text, nil)
	if problem != nil || len(leaves) != 1 || len(leaves[0].path) > 0 || leaves[0].value != text || strings.ContainsAny(text, "#,[]{}\"'\n") {
		return strconv.Quote(text)
	}
	return text
}
