// Filling from a preset. Rules:
//
//   - It happens once, after all layers: what any of them sets wins over the preset, wherever the preset was named.
//   - Every key below compaction is filled on its own, tables of the user's keys whole. The preset's name and the
//     profiles are the user's and stay.
//   - What a preset holds is the caller's to know: this package imports nothing of ours.

package config

import (
	"reflect"
	"slices"
)

// notFilled are the keys of compaction that no preset decides.
var notFilled = []string{"preset", "profiles"}

// preset fills what nobody set with the values of the preset in force. Without a source of presets, or for one that it
// does not know, everything stays; the answer says whether what stands there now is nevertheless that preset's.
func (l *loading) preset(values func(name string) (Compaction, bool)) bool {
	name := l.Config.Compaction.Preset
	if name == presetOneClaw {
		l.oneClawResults()
	}
	if values != nil {
		if preset, ok := values(name); ok {
			l.fill(reflect.ValueOf(&l.Config.Compaction).Elem(), reflect.ValueOf(preset), []string{"compaction"}, notFilled)
			return true
		}
	}
	return name == defaultCompaction().Preset
}

// presetOneClaw has rules of its own for tool results (ONE).
const presetOneClaw = "oneclaw"

// oneClawResults fills how results are stored: cut at a fixed length, and nothing is
// kept but what is shown.
func (l *loading) oneClawResults() {
	if !l.Explicit("tool_results.max_chars") {
		l.Config.ToolResults.MaxChars = leastAuto
	}
	if !l.Explicit("tool_results.keep_full") {
		l.Config.ToolResults.KeepFull = false
	}
}

// fill copies the fields of a table that were not set explicitly, except those named.
func (l *loading) fill(to, from reflect.Value, path []string, except []string) {
	for i := range to.NumField() {
		key := to.Type().Field(i).Tag.Get("yaml")
		at := child(path, key)
		switch {
		case slices.Contains(except, key):
		case to.Field(i).Kind() == reflect.Struct:
			l.fill(to.Field(i), from.Field(i), at, nil)
		case !l.Explicit(Path(at...)):
			to.Field(i).Set(from.Field(i))
		}
	}
}
