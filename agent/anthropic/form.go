package anthropic

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"plimsoll/agent/llm"
)

// Thinking is how a model is asked to think, in the API's own words.
type Thinking string

// The ways to think.
const (
	ThinkingUnset        Thinking = ""              // not set: older models do not think then, later ones do
	ThinkingAdaptive     Thinking = "adaptive"      // the model decides how long
	ThinkingBudget       Thinking = "enabled"       // up to a number of tokens
	ThinkingDisabled     Thinking = "disabled"      // no thinking
	ThinkingBetweenTools Thinking = "between_tools" // no thinking except short notes between calls
)

// WireForm holds the choices in a request body that the request itself does not determine. It is recorded with the reply as
// words, so that the same body can be rebuilt after tables and defaults have changed.
type WireForm struct {
	MaxTokens      int // largest reply in tokens, which the API requires
	Thinking       Thinking
	Budget         int    // tokens for thinking, with ThinkingBudget
	Effort         string // "" leaves it to the model
	Cache          bool   // has cache breakpoints
	CacheHour      bool   // they last an hour, not five minutes
	StripsThinking bool   // leaves out thinking that a compaction strips
	MarksErrors    bool   // results of failed calls are marked as errors
	BindsThinking  bool   // thinking is sent back only if all before it is unchanged
	ThinkingAfter  uint64 // leaves out thinking of replies up to this event, which the server refused
	DropsThinking  bool   // asks the server to drop thinking if anything before it changed
}

func (f *WireForm) flags() map[string]*bool {
	return map[string]*bool{
		"cache-5m": &f.Cache, "cache-1h": &f.CacheHour, "hides-thinking": &f.StripsThinking,
		"is-error": &f.MarksErrors, "binds-thinking": &f.BindsThinking, "drops-thinking": &f.DropsThinking,
	}
}

// Words returns the form as it is recorded, a word for each choice.
func (f WireForm) Words() []string {
	words := []string{"max=" + strconv.Itoa(f.MaxTokens)}
	switch f.Thinking {
	case ThinkingUnset:
	case ThinkingBudget:
		words = append(words, "budget="+strconv.Itoa(f.Budget))
	default:
		words = append(words, string(f.Thinking))
	}
	if f.Effort != "" {
		words = append(words, "effort="+f.Effort)
	}
	f.Cache = f.Cache && !f.CacheHour // cache-1h includes it
	for _, word := range []string{"cache-5m", "cache-1h", "hides-thinking", "binds-thinking", "drops-thinking"} {
		if *f.flags()[word] {
			words = append(words, word)
		}
	}
	if f.ThinkingAfter > 0 {
		words = append(words, "thinking-after="+strconv.FormatUint(f.ThinkingAfter, 10))
	}
	if f.MarksErrors {
		words = append(words, "is-error")
	}
	return words
}

// ParseWord applies a recorded word, and reports whether it is known.
func (f *WireForm) ParseWord(word string) bool {
	if on := f.flags()[word]; on != nil {
		*on = true
		f.Cache = f.Cache || f.CacheHour
		return true
	}
	name, value, _ := strings.Cut(word, "=")
	n, err := strconv.ParseUint(value, 10, 63)
	switch name {
	case "max":
		f.MaxTokens = int(n)
		return err == nil && n > 0
	case "budget":
		f.Thinking, f.Budget = ThinkingBudget, int(n)
		return err == nil && n > 0
	case "thinking-after":
		f.ThinkingAfter = n
		return err == nil
	case "effort":
		f.Effort = value
		return value != ""
	case string(ThinkingAdaptive), string(ThinkingDisabled), string(ThinkingBetweenTools):
		f.Thinking = Thinking(word)
		return name == word
	}
	return false
}

// Reply limits in tokens, for requests without their own. Older models refuse a request if prompt and limit together
// are larger than the window. So their limit is smaller than the largest reply that they can write.
const (
	unknownLimit = 8192 // the model is unknown
	olderLimit   = 32_000
	newerLimit   = 64_000
)

// replyLimit returns the reply limit for a model whose largest reply is most tokens, 0 if unknown.
func replyLimit(id string, most int) int {
	switch {
	case most <= 0:
		return unknownLimit
	case adaptive(id):
		return min(most, newerLimit)
	}
	return min(most, olderLimit)
}

// Model is what the choice of a form needs to know about a model.
type Model struct {
	MaxOutput       int  // largest reply in tokens, 0 if unknown
	CanThink        bool // the model can think
	CanDropThinking bool // the server can drop thinking if anything before it changed
}

// NewWireForm returns the form in which a request is sent now.
func NewWireForm(r llm.Request, m Model) WireForm {
	bound := BindsThinking(r.Model)
	f := WireForm{MaxTokens: r.MaxTokens, Cache: true, CacheHour: r.CacheTTL >= time.Hour, StripsThinking: !bound,
		BindsThinking: bound, ThinkingAfter: r.ThinkingAfter, MarksErrors: true}
	if f.MaxTokens <= 0 {
		f.MaxTokens = replyLimit(r.Model, m.MaxOutput)
	}
	if !m.CanThink {
		return f
	}
	accepted := accepts(r.Model)
	if slices.Contains(accepted, ThinkingAdaptive) {
		f.Thinking, f.Effort = ThinkingAdaptive, r.Effort
		switch {
		case r.Effort == "minimal":
			f.Effort = "low" // the API's smallest effort
		case r.Effort != EffortNone:
		case slices.Contains(accepted, ThinkingDisabled):
			f.Thinking, f.Effort = ThinkingDisabled, ""
		case slices.Contains(accepted, ThinkingBetweenTools):
			f.Thinking, f.Effort = ThinkingBetweenTools, ""
		default:
			f.Effort = "low"
		}
		f.DropsThinking = bound && m.CanDropThinking && f.Thinking == ThinkingAdaptive
		return f
	}
	// Older models think within a budget, which counts towards the reply limit.
	if n := budgets[r.Effort]; n > 0 && f.MaxTokens > minBudget && slices.Contains(accepted, ThinkingBudget) {
		f.Thinking, f.Budget = ThinkingBudget, max(minBudget, min(n, f.MaxTokens/2))
	}
	return f
}

// EffortNone asks a model not to think.
const EffortNone = "none"

// budgets are the tokens of thinking for each effort, for models that take a budget.
var budgets = map[string]int{"minimal": 1024, "low": 4096, "medium": 12_288, "high": 24_576, "xhigh": 32_768, "max": 49_152}

const minBudget = 1024

// version matches family and generation in a model's id: claude-opus-4-6 is opus, 4 and 6; claude-sonnet-5 is sonnet
// and 5. A date after them is not part of the generation. Cloud providers put a prefix before the name.
var version = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?:[-@:]|$)`)
})

// generation returns a model's family and its generation, 406 for 4.6; "" and 0 if the id does not contain them.
func generation(id string) (family string, number int) {
	m := version().FindStringSubmatch(strings.ToLower(id))
	if m == nil {
		return "", 0
	}
	major, _ := strconv.Atoi(m[2]) // digits
	minor, _ := strconv.Atoi(m[3]) // digits or nothing
	return m[1], 100*major + minor
}

// KeepsThinking reports whether a model sees its thinking of earlier turns: from Opus 4.5 on, and from 4.6 on for other
// families. For older models the API drops it when the next turn begins.
func KeepsThinking(id string) bool {
	family, number := generation(id)
	return adaptive(id) || family == "opus" && number == 405
}

// NeedsInterleavedHeader reports whether a model needs a beta header to think between its calls.
func NeedsInterleavedHeader(id string) bool {
	_, number := generation(id)
	return number >= 400 && !adaptive(id)
}

// BindsThinking reports whether a model accepts its thinking only if nothing before it changed: from 5.1 on.
func BindsThinking(id string) bool {
	_, number := generation(id)
	return number >= 501
}

// RefusesSchema reports whether a Claude model accepts no schema for its reply: Opus before 4.1, others before 4.5.
func RefusesSchema(id string) bool {
	family, number := generation(id)
	return strings.Contains(strings.ToLower(id), "claude") && (number < 401 || number < 405 && family != "opus")
}

// adaptive reports whether a model decides itself how long it thinks: from 4.6 on. Later models take no budget.
func adaptive(id string) bool {
	_, number := generation(id)
	return number >= 406
}

// accepts returns the ways to think that a model accepts (source: the API's documentation of each model).
func accepts(id string) []Thinking {
	family, number := generation(id)
	switch {
	case !adaptive(id):
		return []Thinking{ThinkingBudget}
	case family == "fable", family == "mythos", family == "opus" && number >= 505:
		return []Thinking{ThinkingAdaptive}
	case family == "sonnet" && number >= 505:
		return []Thinking{ThinkingAdaptive, ThinkingBetweenTools}
	}
	return []Thinking{ThinkingAdaptive, ThinkingDisabled}
}
