package settings

import (
	"strconv"
	"strings"

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

// Types of values that are typed in a way of their own.
const (
	ratioType = "ratio"
	wholeType = "whole number"
	listType  = "list of texts"
)

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

// step is a number that is a step larger or smaller: a hundredth for a ratio, else one in the second digit. What is no
// number stays.
func step(text string, ratio bool, by int) string {
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return text
	case ratio:
		hundredths := int(x*100+0.5) + by
		return strconv.FormatFloat(float64(max(1, min(hundredths, 100)))/100, 'g', -1, 64)
	case strings.Contains(text, "."):
		return text
	}
	n, unit := int(x), 1
	for unit*100 <= n {
		unit *= 10
	}
	if by < 0 && n == unit*10 && unit > 1 {
		unit /= 10
	}
	return strconv.Itoa(max(0, n+by*unit))
}
