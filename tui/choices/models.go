package choices

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Model is a model that could be talked to. What is not known is left zero, and a
// price nil.
type Model struct {
	Name string // provider/id
	Note string // what is known of it where nothing below says it

	Window                int      // in tokens
	Input, Cached, Output *float64 // US dollars per million tokens
	Key                   string   // where the key is, in a few words
	NoKey                 bool     // it has to be connected first
	Plain                 bool     // it does not reason
	Found                 bool     // a server lists it
	Favorite              bool
	Recent                int // 1 is the one used last, 0 none of late
}

// SortModels puts the favorites first, then those used of late, then those that a
// server lists; the ones without a key come last.
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

// ModelHeads stand above the columns of models; prices are US dollars per million tokens.
func ModelHeads() []string { return []string{"window", "key", " in $/M", "out $/M", " cached"} }

// Columns are what is known of it, the most important first.
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
	return []string{fmt.Sprintf("%6s", window(m.Window)), key, fmt.Sprintf("%7s", in), fmt.Sprintf("%7s", out), fmt.Sprintf("%7s", cached)}
}

// window is a number of tokens, short.
func window(tokens int) string {
	switch {
	case tokens <= 0:
		return ""
	case tokens >= 1_000_000:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(tokens)/1e6), ".0") + "M"
	case tokens < 1000:
		return fmt.Sprint(tokens)
	}
	return fmt.Sprintf("%dk", (tokens+500)/1000)
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

// dollars is a price, with more than two decimals where there are.
func dollars(usd float64) string {
	text := fmt.Sprintf("$%.4f", usd)
	return strings.TrimSuffix(strings.TrimSuffix(text, "0"), "0")
}
