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
	if name == preset.OneClaw { // results are cut at a fixed length, and nothing is kept but what is shown (ONE)
		l.fill(&l.Config.ToolResults, ToolResults{MaxChars: leastAuto, Ceiling: l.Config.ToolResults.Ceiling}, "tool_results")
	}
	l.fill(&l.Config.Compaction.Values, preset.RulesOf(name).Values, "compaction")
}

// fill copies the fields of a section that were not set explicitly.
func (l *loading) fill(to, from any, section string) {
	l.fillTable(reflect.ValueOf(to).Elem(), reflect.ValueOf(from), []string{section})
}

func (l *loading) fillTable(to, from reflect.Value, path []string) {
	for i := range to.NumField() {
		at := child(path, to.Type().Field(i).Tag.Get("yaml"))
		switch {
		case to.Field(i).Kind() == reflect.Struct:
			l.fillTable(to.Field(i), from.Field(i), at)
		case !l.Explicit(Path(at...)):
			to.Field(i).Set(from.Field(i))
		}
	}
}
