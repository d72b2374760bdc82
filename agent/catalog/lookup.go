package catalog

import (
	"regexp"
	"strings"
	"sync"
)

// Rules of look-up. At a provider: first the id, then an alias or another spelling (letter case, a missing "-latest",
// Ollama's ":latest"), then the family: the longest known id that this one begins with and continues with a suffix
// ("gpt-4o-2027-01-01" is a gpt-4o). Without a provider, the makers of models come in a fixed order, then the providers
// that host other makers' models; guesses by family come after all exact names. A Claude of an unknown generation gets
// the entry of the newest known one of its family.

// makers is the order in which providers are searched for an id. Those that host other makers' models come last.
var makers = []string{
	"openai", "anthropic", "gemini", "deepseek", "mistral", "xai", "moonshot", "zai", "minimax", "alibaba", "cohere",
	"groq", "openrouter", "cerebras", "together", "fireworks", "ollama",
}

// preferred is the default model of each provider: current, good with tools, and good for its price.
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

// Lookup finds the model id at a provider. The result tells whether it is a guess.
func Lookup(provider, id string) (Entry, bool) {
	t := loaded()
	if at := strings.Index(id, "claude-"); provider == "anthropic" && at > 0 {
		id = id[at:] // Bedrock and other clouds write a prefix before the name
	}
	if e, ok := t.named(provider, id); ok {
		return e, true
	}
	return t.guess(provider, id)
}

// ByID finds a model by its id alone, first at the provider that makes it.
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

// Default returns the model to use at a provider if the user names none: not deprecated, and with tools.
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

// All lists the catalogue by provider, current models first.
func All() []Entry { return loaded().entries() }

// named finds an entry by its id, an alias or another spelling.
func (t *table) named(provider, id string) (Entry, bool) {
	names := t.byID[provider]
	lower := strings.ToLower(id)
	for _, key := range []string{lower, strings.TrimSuffix(lower, ":latest"), lower + "-latest"} {
		if i, ok := names[key]; ok && key != "" {
			return t.entry(i), true
		}
	}
	return Entry{}, false
}

// The suffixes after a known id that make an id of the same family: a tag, a date or a variant, but not another version
// number. Dates of other makers may have two digits, Claude's have eight.
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

// guess finds the entry of the same family that is most similar.
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
	e.Guessed, e.Prices = true, nil // prices of another generation are unknown
	return e, true
}

// family finds the longest id that this one begins with and continues with a suffix.
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
	e.Guessed = true
	return e, true
}
