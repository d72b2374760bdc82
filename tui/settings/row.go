package settings

import (
	"plimsoll/compact/meter"
	"plimsoll/config"
)

// Row is a setting. Its texts are not made safe.
type Row struct {
	config.Setting
	Section string
	Name    string // within the section
	Shown   string // for the eye in place of Value, "" for Value
	From    string // where Value comes from
	Applies string // when another value does, in a few words
	Restart bool   // that is at the next start
	// Changed says that the next conversation would begin with another value.
	Changed bool
	Opens   string // the dialog that changes it, "" for none
	Fixed   string // why it cannot be changed here, "" if it can
}

// listType is the type of values that are typed without brackets.
const listType = "list of texts"

// shown is the value as it is read.
func (r *Row) shown() string {
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

// Effect is what a value would come to.
type Effect struct {
	Reading meter.Reading
	Next    string // what happens next, in words
}
