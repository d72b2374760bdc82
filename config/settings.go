package config

import (
	"reflect"
	"strconv"
	"strings"
)

// Setting is a key with its value, and where that comes from.
type Setting struct {
	Option
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
		at := child(path, sf.Tag.Get("yaml"))
		switch sf.Type.Kind() {
		case reflect.Struct:
			l.settings(v.Field(i), unset.Field(i), at, docs, out)
		case reflect.Map:
		default:
			key := Path(at...)
			*out = append(*out, Setting{Option: docs[key], Value: valueText(v.Field(i)), Unset: valueText(unset.Field(i)),
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
func valueText(v reflect.Value) string {
	if v.Kind() != reflect.Slice {
		text := defaultText(v)
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
	src := newSource("", text)
	n, problems := parseText(src, text)
	plain := len(problems) == 0 && n != nil && n.kind == textNode && n.text == text && !strings.ContainsAny(text, "#,[]{}\"'\n")
	if plain {
		return text
	}
	return strconv.Quote(text)
}
