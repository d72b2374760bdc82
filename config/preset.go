// Applying the preset. Rules:
//
//   - It is applied once, after all layers. A key that any layer sets wins over the preset, whichever layer names the
//     preset.
//   - Each key of compaction is set separately, and a table whose keys the user chooses as a whole.

package config

import (
	"reflect"

	"plimsoll/compact/preset"
)

// applyPreset sets all keys that no layer has set to the values of the chosen preset.
func (l *loader) applyPreset() {
	name := l.Config.Compaction.Preset
	if name == preset.OneClaw { // results are cut at a fixed length and the rest is not stored (ONE)
		l.setUnset(&l.Config.ToolResults, ToolResults{MaxChars: minAutoChars, Ceiling: l.Config.ToolResults.Ceiling}, "tool_results")
	}
	l.setUnset(&l.Config.Compaction.Values, preset.RulesOf(name).Values, "compaction")
}

// setUnset copies from one section to another the fields that were not set explicitly.
func (l *loader) setUnset(to, from any, section string) {
	l.setUnsetFields(reflect.ValueOf(to).Elem(), reflect.ValueOf(from), []string{section})
}

func (l *loader) setUnsetFields(to, from reflect.Value, path []string) {
	for i := range to.NumField() {
		at := appendKey(path, to.Type().Field(i).Tag.Get("yaml"))
		switch {
		case to.Field(i).Kind() == reflect.Struct:
			l.setUnsetFields(to.Field(i), from.Field(i), at)
		case !l.Explicit(Path(at...)):
			to.Field(i).Set(from.Field(i))
		}
	}
}
