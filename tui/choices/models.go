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

// ModelDetails is what is known of each model, in columns.
func ModelDetails(list []Model) []string {
	rows := make([][]string, len(list))
	for i, m := range list {
		rows[i] = []string{window(m.Window), prices(m), keyOf(m)}
	}
	out := columns(rows, 0)
	for i, m := range list {
		if m.Note != "" && m.Window == 0 && m.Input == nil && m.Key == "" {
			out[i] = m.Note
		}
	}
	return out
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

// Prices says how to read the column of prices.
const Prices = "Prices are US dollars per million tokens: in / cached / out."

func prices(m Model) string {
	switch {
	case m.Input == nil || m.Output == nil:
		return ""
	case *m.Input == 0 && *m.Output == 0:
		return "free"
	}
	cached := "–"
	if m.Cached != nil {
		cached = dollars(*m.Cached)
	}
	return dollars(*m.Input) + " / " + cached + " / " + dollars(*m.Output)
}

// dollars is a price; a round one has no cents.
func dollars(usd float64) string {
	text := fmt.Sprintf("$%.4f", usd)
	text = strings.TrimRight(text, "0")
	if whole, cents, _ := strings.Cut(text, "."); len(cents) == 0 {
		return whole
	} else if len(cents) == 1 {
		return text + "0"
	}
	return text
}

func keyOf(m Model) string {
	if m.NoKey {
		return "no key yet"
	}
	return m.Key
}
