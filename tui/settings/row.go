package settings

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"plimsoll/compact/meter"
	"plimsoll/config"
)

// Row is a setting. Its texts may have control characters.
type Row struct {
	config.Setting
	Section   string
	Shown     string // text in place of Value, "" for Value
	From      string // where Value comes from
	Applies   string // when a new value takes effect, in a few words
	Restart   bool   // a new value takes effect at the next start
	Changed   bool   // Value differs from the configuration, with which the next conversation begins
	Opens     string // the dialog that changes it, "" for none
	Fixed     string // why it cannot be changed here, "" if it can
	isSection bool   // it opens the section that it names
}

// isShare reports whether the value is a share, which people read in percent.
func (r *Row) isShare() bool { return strings.HasPrefix(r.Type, "ratio") }

// nothing finds what the explanation of a setting says of 0, or of an empty text or list.
var nothing = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:0|empty)(?: =|:) ([^.,;(]+)`) })

// worded returns a value in words.
func (r *Row) worded(value string) string {
	share, err := strconv.ParseFloat(value, 64)
	switch says := nothing().FindStringSubmatch(r.Doc); {
	case r.Type == "true or false":
		return map[string]string{"true": "on", "false": "off"}[value]
	case r.isShare() && err == nil:
		return strconv.FormatFloat(share*100, 'g', 6, 64) + "%"
	case (value == `""` || value == "[]" || value == "0") && says != nil:
		return strings.TrimSpace(says[1])
	case value == `""` || value == "[]":
		return "none"
	}
	return value
}

// Effect is the effect of a value that is tried.
type Effect struct {
	Reading meter.Reading
	Next    string // forecast of the next compaction, as a sentence
}
