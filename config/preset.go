// Filling from a preset. Rules:
//
//   - It happens once, after all layers: what any of them sets wins over the preset, wherever the preset was named.
//   - Every key below compaction is filled on its own, tables of the user's keys whole. The preset's name and the
//     profiles are the user's and stay.

package config

import (
	"reflect"

	"plimsoll/compact/preset"
)

// preset fills what nobody set with the values of the preset in force.
func (l *loading) preset() {
	name := l.Config.Compaction.Preset
	if name == preset.OneClaw {
		l.oneClawResults()
	}
	l.fill(reflect.ValueOf(&l.Config.Compaction.Values).Elem(), reflect.ValueOf(preset.RulesOf(name).Values), []string{"compaction"})
}

// oneClawResults fills how results are stored (ONE): cut at a fixed length, and nothing is kept but what is shown.
func (l *loading) oneClawResults() {
	if !l.Explicit("tool_results.max_chars") {
		l.Config.ToolResults.MaxChars = leastAuto
	}
	if !l.Explicit("tool_results.keep_full") {
		l.Config.ToolResults.KeepFull = false
	}
}

// fill copies the fields of a table that were not set explicitly.
func (l *loading) fill(to, from reflect.Value, path []string) {
	for i := range to.NumField() {
		at := child(path, to.Type().Field(i).Tag.Get("yaml"))
		switch {
		case to.Field(i).Kind() == reflect.Struct:
			l.fill(to.Field(i), from.Field(i), at)
		case !l.Explicit(Path(at...)):
			to.Field(i).Set(from.Field(i))
		}
	}
}
