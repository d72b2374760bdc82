package settings

import (
	"plimsoll/compact/meter"
	"plimsoll/config"
)

// Row is a setting. Its texts may have control characters.
type Row struct {
	config.Setting
	Section string
	Name    string // within the section
	Shown   string // text in place of Value, "" for Value
	From    string // where Value comes from
	Applies string // when a new value takes effect, in a few words
	Restart bool   // a new value takes effect at the next start
	Changed bool   // Value differs from the configuration, with which the next conversation begins
	Opens   string // the dialog that changes it, "" for none
	Fixed   string // why it cannot be changed here, "" if it can
	isGroup bool   // it opens the group that it names
}

// listType is the type of values that can be typed without brackets.
const listType = "list of texts"

func (r *Row) displayValue() string {
	switch {
	case r.Shown != "":
		return r.Shown
	case r.Value == `""`:
		return "–"
	case r.Value == "[]":
		return "none"
	}
	return r.Value
}

// Effect is the effect of a value that is tried.
type Effect struct {
	Reading meter.Reading
	Next    string // forecast of the next compaction, as a sentence
}
