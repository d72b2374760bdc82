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

// Thinking is how a model is asked to think, in the API's word for it.
type Thinking string

// The ways to think.
const (
	ThinkingUnsaid   Thinking = ""              // older models do not think then, later ones do
	ThinkingAdaptive Thinking = "adaptive"      // the model decides how long
	ThinkingBudget   Thinking = "enabled"       // so many tokens at most
	ThinkingDisabled Thinking = "disabled"      // not at all
	ThinkingBetween  Thinking = "between_tools" // not at all but for short notes between calls
)

// Form is what of a body the request itself does not say. Its words are recorded with the reply, so that the body can be
// made again when tables and defaults are others.
type Form struct {
	MaxTokens int // bound of the reply; the protocol wants one
	Thinking  Thinking
	Budget    int    // with ThinkingBudget
	Effort    string // "" leaves it to the model
	Cache     bool   // breakpoints are set
	Long      bool   // they last an hour, not five minutes
	Hides     bool   // thinking that a compaction hides stays behind
	Errors    bool   // results of calls that did not succeed say so
	Binds     bool   // thinking goes back where all in front of it is what it was, and nowhere else
	After     uint64 // thinking of replies up to this event stays behind: the server refused it
	Drops     bool   // asks the server to drop thinking that is bound to something else
}

func (f *Form) flags() map[string]*bool {
	return map[string]*bool{
		"cache-5m": &f.Cache, "cache-1h": &f.Long, "hides-thinking": &f.Hides, "is-error": &f.Errors, "binds-thinking": &f.Binds, "drops-thinking": &f.Drops,
	}
}

// Words are the form as it is recorded.
func (f Form) Words() []string {
	words := []string{"max=" + strconv.Itoa(f.MaxTokens)}
	switch f.Thinking {
	case ThinkingUnsaid:
	case ThinkingBudget:
		words = append(words, "budget="+strconv.Itoa(f.Budget))
	default:
		words = append(words, string(f.Thinking))
	}
	if f.Effort != "" {
		words = append(words, "effort="+f.Effort)
	}
	f.Cache = f.Cache && !f.Long // the lifetime says it
	for _, word := range []string{"cache-5m", "cache-1h", "hides-thinking", "binds-thinking", "drops-thinking"} {
		if *f.flags()[word] {
			words = append(words, word)
		}
	}
	if f.After > 0 {
		words = append(words, "thinking-after="+strconv.FormatUint(f.After, 10))
	}
	if f.Errors {
		words = append(words, "is-error")
	}
	return words
}

// Read takes a word, and reports whether it is known.
func (f *Form) Read(word string) bool {
	if on := f.flags()[word]; on != nil {
		*on = true
		f.Cache = f.Cache || f.Long
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
		f.After = n
		return err == nil
	case "effort":
		f.Effort = value
		return value != ""
	case string(ThinkingAdaptive), string(ThinkingDisabled), string(ThinkingBetween):
		f.Thinking = Thinking(word)
		return name == word
	}
	return false
}

// Bounds of a reply whose request names none. Older models refuse a prompt that with the bound is larger than the
// window, so that theirs is smaller than what they could write.
const (
	unknownMax = 8192 // nothing is known of the model
	olderMax   = 32_000
	newerMax   = 64_000
)

// replyBound is the bound of a model's reply, which writes at most so many tokens, 0 for unknown.
func replyBound(id string, most int) int {
	switch {
	case most <= 0:
		return unknownMax
	case adaptive(id):
		return min(most, newerMax)
	}
	return min(most, olderMax)
}

const longTTL = time.Hour

// Model is what a form has to know about a model.
type Model struct {
	MaxOutput int // largest reply in tokens, 0 if unknown
	Reasons   bool
	Drops     bool // the server can be asked to drop thinking that is bound to something else
}

// NewForm is how a request is put into bytes now.
func NewForm(r llm.Request, m Model) Form {
	bound := BindsThinking(r.Model)
	f := Form{MaxTokens: r.MaxTokens, Cache: true, Long: r.CacheTTL >= longTTL, Hides: !bound, Binds: bound, After: r.ThinkingAfter, Errors: true}
	if f.MaxTokens <= 0 {
		f.MaxTokens = replyBound(r.Model, m.MaxOutput)
	}
	if !m.Reasons {
		return f
	}
	takes := accepts(r.Model)
	if slices.Contains(takes, ThinkingAdaptive) {
		f.Thinking, f.Effort = ThinkingAdaptive, effort(r.Effort)
		if r.Effort == EffortNone {
			f.Thinking, f.Effort = least(takes)
		}
		f.Drops = bound && m.Drops && f.Thinking == ThinkingAdaptive
		return f
	}
	// Older models think within a budget, which is part of the reply's bound.
	if n := budgets[r.Effort]; n > 0 && f.MaxTokens > leastBudget && slices.Contains(takes, ThinkingBudget) {
		f.Thinking, f.Budget = ThinkingBudget, max(leastBudget, min(n, f.MaxTokens/2))
	}
	return f
}

// EffortNone asks a model not to think.
const EffortNone = "none"

// least is how a model that decides itself is asked to think least.
func least(takes []Thinking) (Thinking, string) {
	for _, off := range []Thinking{ThinkingDisabled, ThinkingBetween} {
		if slices.Contains(takes, off) {
			return off, ""
		}
	}
	return ThinkingAdaptive, "low"
}

func effort(level string) string {
	if level == "minimal" {
		return "low" // the least that there is
	}
	return level
}

// budgets are the tokens of thinking that stand for an effort, for models that take no effort.
var budgets = map[string]int{"minimal": 1024, "low": 4096, "medium": 12_288, "high": 24_576, "xhigh": 32_768, "max": 49_152}

const leastBudget = 1024

// version reads family and generation of a model from its id: claude-opus-4-6 is opus, 4 and 6, claude-sonnet-5 is sonnet,
// 5 and 0. A date is no part of it, and clouds write their names in front.
var version = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?:[-@:]|$)`)
})

// generation is the family of a model and its generation, 406 for 4.6; 0 where the id does not tell.
func generation(id string) (family string, number int) {
	m := version().FindStringSubmatch(strings.ToLower(id))
	if m == nil {
		return "", 0
	}
	major, _ := strconv.Atoi(m[2]) // digits
	minor, _ := strconv.Atoi(m[3]) // digits or nothing
	return m[1], 100*major + minor
}

// KeepsThinking reports whether what a model thought in earlier turns stays in its context, as it does from Opus 4.5 and
// the other models' 4.6 on. That of older models is dropped by the API when the next turn begins.
func KeepsThinking(id string) bool {
	family, number := generation(id)
	return adaptive(id) || family == "opus" && number == 405
}

// Interleaves reports whether a model thinks between its calls only where a header asks for it.
func Interleaves(id string) bool {
	_, number := generation(id)
	return number >= 400 && !adaptive(id)
}

// BindsThinking reports whether a model's thinking is bound to all that stood in front of it: from 5.1 on.
func BindsThinking(id string) bool {
	_, number := generation(id)
	return number >= 501
}

// adaptive reports whether a model decides itself how long it thinks: from 4.6 on. Later ones take no budget.
func adaptive(id string) bool {
	_, number := generation(id)
	return number >= 406
}

// accepts is what a model takes by its family and generation ("Thinking", "What's new" of each model).
func accepts(id string) []Thinking {
	family, number := generation(id)
	switch {
	case !adaptive(id):
		return []Thinking{ThinkingBudget}
	case family == "fable", family == "mythos", family == "opus" && number >= 505:
		return []Thinking{ThinkingAdaptive}
	case family == "sonnet" && number >= 505:
		return []Thinking{ThinkingAdaptive, ThinkingBetween}
	}
	return []Thinking{ThinkingAdaptive, ThinkingDisabled}
}
