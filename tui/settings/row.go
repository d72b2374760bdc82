package settings

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"plimsoll/compact/meter"
	"plimsoll/config"
)

// Row is a setting in the view. Its texts may have control characters.
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

// zeroMeaning finds what the explanation of a setting says about 0, or about an empty text or list.
var zeroMeaning = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:0|empty)(?: =|:) ([^.,;(]+)`) })

// inWords returns a value as the view shows it, such as "on" for "true".
func (r *Row) inWords(value string) string {
	share, err := strconv.ParseFloat(value, 64)
	switch meaning := zeroMeaning().FindStringSubmatch(r.Doc); {
	case r.Type == "true or false":
		return map[string]string{"true": "on", "false": "off"}[value]
	case r.isShare() && err == nil:
		return strconv.FormatFloat(share*100, 'g', 6, 64) + "%"
	case (value == `""` || value == "[]" || value == "0") && meaning != nil:
		return strings.TrimSpace(meaning[1])
	case value == `""` || value == "[]":
		return "none"
	}
	return value
}

// Effect is the effect that a value would have.
type Effect struct {
	Reading meter.Reading
	Next    string // forecast of the next compaction, as a sentence
}
