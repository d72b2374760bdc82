package choices

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll/conversation/numbers"
)

// Model is a model that can be chosen. Unknown values are zero, an unknown price is nil.
type Model struct {
	Name string // provider/id
	Note string // a remark in place of the columns, if the rest is unknown

	Window                int      // in tokens
	Input, Cached, Output *float64 // US dollars per million tokens
	Key                   string   // where the API key is stored, such as "keyring"
	NoKey                 bool     // it needs an API key first
	Plain                 bool     // it does not reason
	Found                 bool     // a local server lists it
	Favorite              bool
	Recent                int // 1 for the last used model, 2 for the one before; 0 if not used recently
}

// SortModels puts the favorites first, then the recently used models, then those of local servers. Models without a key
// come last.
func SortModels(list []Model) {
	rank := func(m Model) int {
		switch {
		case m.Favorite:
			return 0
		case m.Recent > 0:
			return 1
		case m.Found:
			return 2
		case m.NoKey:
			return 4
		}
		return 3
	}
	slices.SortStableFunc(list, func(a, b Model) int {
		if n := cmp.Compare(rank(a), rank(b)); n != 0 || rank(a) != 1 {
			return n
		}
		return cmp.Compare(a.Recent, b.Recent)
	})
}

// ModelHeads returns the headings of the columns of models. Prices are US dollars per million tokens.
func ModelHeads() []string { return []string{"window", "key", " in $/M", "out $/M", " cached"} }

// Columns returns the columns of the model in the picker, the most important first.
func (m Model) Columns() []string {
	if m.Window == 0 && m.Input == nil && m.Key == "" && m.Note != "" {
		return nil
	}
	key := ""
	switch {
	case m.NoKey:
		key = "no"
	case m.Key != "":
		key = "✓"
	}
	in, cached, out := prices(m)
	window := ""
	if m.Window > 0 {
		window = numbers.Tokens(m.Window)
	}
	return []string{fmt.Sprintf("%6s", window), key, fmt.Sprintf("%7s", in), fmt.Sprintf("%7s", out), fmt.Sprintf("%7s", cached)}
}

func prices(m Model) (in, cached, out string) {
	switch {
	case m.Input == nil || m.Output == nil:
		return "", "", ""
	case *m.Input == 0 && *m.Output == 0:
		return "free", "", ""
	}
	cached = "–"
	if m.Cached != nil {
		cached = dollars(*m.Cached)
	}
	return dollars(*m.Input), cached, dollars(*m.Output)
}

// dollars formats a price with two to four decimals.
func dollars(usd float64) string {
	text := fmt.Sprintf("$%.4f", usd)
	return strings.TrimSuffix(strings.TrimSuffix(text, "0"), "0")
}
