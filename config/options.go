package config

import (
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
		at := child(path, sf.Tag.Get("yaml"))
		t := sf.Type
		if t.Kind() == reflect.Struct {
			out = append(out, options(at, v.Field(i), unset)...)
			continue
		}
		o := Option{Key: strings.Join(at, "."), Type: typeName(t, sf.Tag), Doc: sf.Tag.Get("doc")}
		if unset == "" || !v.Field(i).IsZero() || t.Kind() == reflect.Map || t.Kind() == reflect.Slice {
			o.Default = defaultText(v.Field(i))
		}
		out = append(out, o)
		switch {
		case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Struct:
			below := options(child(at, sf.Tag.Get("name")), reflect.Zero(t.Elem()), "unset")
			out = append(out, below...)
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
	case t == reflect.TypeFor[Share]():
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
func defaultText(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case time.Duration:
		return formatDuration(x)
	case Size:
		return x.String()
	case Chars:
	case Share:
		return x.String()
	case string:
		if x == "" {
			return `""`
		}
		return x
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	switch v.Kind() {
	case reflect.Map:
		return "{}"
	case reflect.Slice:
		return "[]"
	case reflect.Pointer:
		return ""
	}
	return fmt.Sprint(v.Interface())
}
