package catalog

import (
	"regexp"
	"strings"
	"sync"
)

// Rules of look-up: within a provider, the id, then an alias or another
// spelling (letter case, a missing "-latest", Ollama's ":latest"), then the
// family: the longest known id that the wanted one extends at a boundary
// ("gpt-4o-2027-01-01" is a gpt-4o). Without a provider the makers of models
// are asked in a fixed order, then those who host models of others; guesses by
// family come only after every exact name. A Claude of another generation is taken
// for the newest known one of its family.

// makers is the order in which providers are asked for an id without one. The
// providers that serve other makers' models come last.
var makers = []string{
	"openai", "anthropic", "gemini", "deepseek", "mistral", "xai", "moonshot", "zai", "minimax", "alibaba", "cohere",
	"groq", "openrouter", "cerebras", "together", "fireworks", "ollama",
}

// preferred is the model a provider's user gets without choosing: current, good
// with tools, and good for its price.
var preferred = map[string]string{
	"openai":     "gpt-6.1-sol",
	"anthropic":  "claude-sonnet-5-5",
	"gemini":     "gemini-3.8-flash",
	"openrouter": "anthropic/claude-sonnet-5.5",
	"deepseek":   "deepseek-v4-pro",
	"mistral":    "mistral-medium-latest",
	"xai":        "grok-4.7",
	"groq":       "openai/gpt-oss-120b",
}

// Lookup finds the model id at a provider. The result's Match says how sure
// the finding is.
func Lookup(provider, id string) (Entry, bool) {
	t := loaded()
	if at := strings.Index(id, "claude-"); provider == "anthropic" && at > 0 {
		id = id[at:] // clouds write their own names in front
	}
	if e, ok := t.named(provider, id); ok {
		return e, true
	}
	return t.guess(provider, id)
}

// ByID finds a model by an id without a provider, at the provider that makes
// it if that is in the catalogue.
func ByID(id string) (Entry, bool) {
	t := loaded()
	for _, p := range makers {
		if e, ok := t.named(p, id); ok {
			return e, true
		}
	}
	for _, p := range makers {
		if e, ok := t.guess(p, id); ok {
			return e, true
		}
	}
	return Entry{}, false
}

// Default is the model to use at a provider when the user names none: one that
// is not deprecated and has tools.
func Default(provider string) (Entry, bool) {
	if id, ok := preferred[provider]; ok {
		return Lookup(provider, id)
	}
	for _, e := range loaded().entries() {
		if e.Provider == provider && !e.Trained && !e.Deprecated && e.Tools {
			return e, true
		}
	}
	return Entry{}, false
}

// All lists the catalogue in its own order: by provider, current models first.
func All() []Entry { return loaded().entries() }

// named finds an id by its own name, an alias or another spelling.
func (t *table) named(provider, id string) (Entry, bool) {
	names := t.byID[provider]
	lower := strings.ToLower(id)
	for _, key := range []string{lower, strings.TrimSuffix(lower, ":latest"), lower + "-latest"} {
		if i, ok := names[key]; ok && key != "" {
			e := t.entry(i)
			if e.ID != id {
				e.Match = MatchAlias
			}
			return e, true
		}
	}
	return Entry{}, false
}

// What may follow a known id in the id of a relative: a tag, a date or a variant, but not another version number. Dates
// of other makers can have two digits, those of Claude have eight.
var (
	boundary = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[-:@][a-z0-9]`)
	})
	claudeBoundary = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[-:@](?:[a-z]|\d{3})`)
	})
	claudeFamily = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^claude-[a-z]+-\d`)
	})
)

// guess finds the entry that a model which has none is most like.
func (t *table) guess(provider, id string) (Entry, bool) {
	lower := strings.ToLower(id)
	family := claudeFamily().FindString(lower)
	if provider != "anthropic" || family == "" {
		return t.family(provider, lower, boundary())
	}
	if e, ok := t.family(provider, strings.ReplaceAll(lower, ".", "-"), claudeBoundary()); ok {
		return e, true
	}
	newest := -1 // in the table current models come first
	for name, i := range t.byID[provider] {
		if strings.HasPrefix(name, family[:len(family)-1]) && (newest < 0 || i < newest) {
			newest = i
		}
	}
	if newest < 0 {
		return Entry{}, false
	}
	e := t.entry(newest)
	e.Match, e.Prices = MatchFamily, nil // what another generation costs nobody knows
	return e, true
}

// family finds the longest id that the wanted one extends at a boundary.
func (t *table) family(provider, lower string, boundary *regexp.Regexp) (Entry, bool) {
	best, at := "", -1
	for name, i := range t.byID[provider] {
		rest, ok := strings.CutPrefix(lower, name)
		if ok && len(name) > len(best) && (rest == "" || boundary.MatchString(rest)) {
			best, at = name, i
		}
	}
	if at < 0 {
		return Entry{}, false
	}
	e := t.entry(at)
	e.Match = MatchFamily
	return e, true
}
