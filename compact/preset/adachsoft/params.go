package adachsoft

import (
	"encoding/json"
	"math"
	"slices"
)

// The parameters of identity dedup by the names their source gives them (ADA's
// ParamsResolver). Nothing is refused: what is of a wrong type counts as its
// default, and in a list only the entries that are wrong are left out, because
// the others still protect a tool or tell its calls apart.

// DefaultTrimBytes is the largest field, of arguments and of results, that stays unless the parameters say otherwise (ADA).
const DefaultTrimBytes = 100

// The names of the parameters (ADA).
const (
	paramInputTrim   = "inputTrimBytes"
	paramOutputTrim  = "outputTrimBytes"
	paramExcluded    = "excludedTools"
	paramIdentifiers = "toolIdentifierFields"
)

// Params is what the reduction of repeated calls works by (ADA).
type Params struct {
	Enabled              bool                // for the caller; Dedupe does not read it
	InputTrimBytes       int                 // argument fields over this many bytes are omitted
	OutputTrimBytes      int                 // result fields over this many bytes are omitted
	ExcludedTools        []string            // never touched
	ToolIdentifierFields map[string][]string // arguments that tell calls of a tool apart; never omitted
}

// ParseParams reads parameters by ADA's names; missing ones and those of
// a wrong type are the defaults 100, 100, none and none. Rules where the source
// is silent: an amount is any whole number from 0, also as the float or
// [json.Number] that a JSON decoder makes of it; a negative one is no amount of
// bytes. An entry of excludedTools that is no text is left out, and so is one
// of a tool's identifier fields. A tool whose identifier fields are no list, or
// a list without a text, has no entry. The result shares nothing with raw.
func ParseParams(raw map[string]any) Params {
	return Params{
		Enabled:              true,
		InputTrimBytes:       byteCount(raw[paramInputTrim], DefaultTrimBytes),
		OutputTrimBytes:      byteCount(raw[paramOutputTrim], DefaultTrimBytes),
		ExcludedTools:        texts(raw[paramExcluded]),
		ToolIdentifierFields: textLists(raw[paramIdentifiers]),
	}
}

// byteCount is v as a number of bytes, or otherwise if it is none.
func byteCount(v any, otherwise int) int {
	n := int64(-1)
	switch v := v.(type) {
	case int:
		n = int64(v)
	case int64:
		n = v
	case int32:
		n = int64(v)
	case uint64:
		if v <= math.MaxInt64 {
			n = int64(v)
		}
	case uint32:
		n = int64(v)
	case float64:
		// 2^53: beyond it a float does not tell whole numbers apart.
		if v == math.Trunc(v) && math.Abs(v) <= 1<<53 {
			n = int64(v)
		}
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			n = whole
		}
	}
	if n < 0 || n > math.MaxInt {
		return otherwise
	}
	return int(n)
}

// texts are the texts of a list; empty for anything else.
func texts(v any) []string {
	out := []string{}
	switch v := v.(type) {
	case []string:
		out = slices.Concat(out, v)
	case []any:
		for _, entry := range v {
			if s, ok := entry.(string); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// textLists are the lists of a map that hold a text; empty for anything else.
func textLists(v any) map[string][]string {
	out := map[string][]string{}
	keep := func(name string, list []string) {
		if len(list) > 0 {
			out[name] = list
		}
	}
	switch v := v.(type) {
	case map[string][]string:
		for name, list := range v {
			keep(name, texts(list))
		}
	case map[string]any:
		for name, list := range v {
			keep(name, texts(list))
		}
	}
	return out
}
