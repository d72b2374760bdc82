package cli

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"plimsoll/compact/preset"
	"plimsoll/docs/docstest"
)

// The table of presets in docs/presets.md is generated from the rules; -update writes it.

const presetsPage = "../docs/presets.md"

func TestDocumentedPresetsAreTheRules(t *testing.T) {
	t.Parallel()
	docstest.Part(t, presetsPage, "presets", presetRows(), *update)
}

func presetRows() string {
	own := preset.DefaultRules().Values
	var b strings.Builder
	b.WriteString("| preset | keys in which it differs from `plimsoll` |\n| --- | --- |\n")
	for _, p := range preset.All() {
		if p == preset.Plimsoll {
			continue
		}
		values := preset.RulesOf(p).Values
		fmt.Fprintf(&b, "| `%s` | %s |\n", p, strings.Join(differing("", reflect.ValueOf(own), reflect.ValueOf(values)), ", "))
	}
	return b.String()
}

// differing lists the keys of a table whose values differ, with the second value.
func differing(path string, a, b reflect.Value) []string {
	var out []string
	for i := range a.NumField() {
		key := path + a.Type().Field(i).Tag.Get("yaml")
		switch x, y := a.Field(i), b.Field(i); {
		case key == "preset":
		case x.Kind() == reflect.Struct:
			out = append(out, differing(key+".", x, y)...)
		case !reflect.DeepEqual(x.Interface(), y.Interface()):
			out = append(out, fmt.Sprintf("`%s: %v`", key, y.Interface()))
		}
	}
	return out
}
