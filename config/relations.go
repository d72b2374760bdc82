package config

import (
	"encoding/json"
	"fmt"
	"strings"
)

// relations collects what is wrong between keys of a finished configuration.
type relations struct {
	origins  Origins
	problems Problems
}

// fail notes a problem at the place where the first of some keys that was set was set last.
func (r *relations) fail(message, hint string, keys ...string) {
	for _, key := range keys {
		if o, ok := r.origins[key]; ok {
			r.problems = append(r.problems, o.text.problem(o.Line, 0, key, message, hint))
			return
		}
	}
}

// checkRelations applies the rules between keys to the finished configuration.
func checkRelations(c Config, origins Origins) Problems {
	r := &relations{origins: origins}
	co := c.Compaction
	if co.HardRatio <= co.TriggerRatio {
		r.fail(fmt.Sprintf("hard_ratio (%g) must be above trigger_ratio (%g)", co.HardRatio, co.TriggerRatio),
			"raise hard_ratio or lower trigger_ratio", "compaction.hard_ratio", "compaction.trigger_ratio")
	}
	r.eviction(co)
	r.profile(co, "compaction.auto.profile", co.Auto.Profile)
	r.profile(co, "compaction.default_profile", co.DefaultProfile)
	messages := func(provider string) bool {
		p := c.Providers[provider]
		return p.Wire == "messages" || p.Wire == "" && provider == "anthropic"
	}
	for _, name := range sortedKeys(c.Providers) {
		r.body(c.Providers[name].Body, messages(name), "providers", name)
		for _, id := range sortedKeys(c.Providers[name].Models) {
			if m := c.Providers[name].Models[id]; m.ContextWindow > 0 && m.MaxInput > m.ContextWindow {
				at := Path("providers", name, "models", id)
				r.fail(fmt.Sprintf("max_input (%d) is above context_window (%d)", m.MaxInput, m.ContextWindow), "",
					at+".max_input", at+".context_window")
			}
		}
	}
	for _, name := range sortedKeys(c.Models) {
		provider, _, _ := strings.Cut(name, "/")
		r.body(c.Models[name].Body, messages(provider) || strings.HasPrefix(name, "claude"), "models", name)
	}
	return r.problems
}

// profile checks that a profile exists. Automatic compaction needs none.
func (r *relations) profile(co Compaction, key, name string) {
	if _, ok := co.Profile(name); !ok && (name != "" || key == "compaction.default_profile") {
		r.fail("there is no profile "+quote(name), "there are "+listWords(co.ProfileNames()), key)
	}
}

// body refuses a body that is too long to be recorded, and thinking where the Messages API is spoken: its form is
// recorded with each request.
func (r *relations) body(b Body, messages bool, path ...string) {
	for _, field := range sortedKeys(b) {
		key := Path(append(path, "body", field)...)
		if messages && field == "thinking" {
			r.fail("Plimsoll sets thinking itself over the Messages API", "set effort of the model", key)
		}
		if text, err := json.Marshal(b); err != nil || len(text) > maxBody {
			r.fail(fmt.Sprintf("the body is longer than %s", Size(maxBody)), "every request records it", key)
			return
		}
	}
}

// eviction applies the rules between the shares of a step: it leaves less than what sets it off, and its note has room in
// that. A share of 0 is left to the program, which keeps to them.
func (r *relations) eviction(co Compaction) {
	lowest, of := co.TriggerRatio, "trigger_ratio"
	for _, name := range []string{"target", "cold"} {
		share := map[string]float64{"target": co.Evict.Target, "cold": co.Evict.Cold}[name]
		if share >= co.TriggerRatio {
			r.fail(fmt.Sprintf("evict.%s (%g) must be below trigger_ratio (%g)", name, share, co.TriggerRatio),
				"a step has to leave less than what sets it off", "compaction.evict."+name, "compaction.trigger_ratio")
		}
		if share > 0 && share < lowest {
			lowest, of = share, "evict."+name
		}
	}
	if note := co.Evict.Index + co.Evict.Words; note >= lowest {
		r.fail(fmt.Sprintf("evict.index and evict.words (%.4g together) must be below %s (%g)", note, of, lowest),
			"the note has to leave room for the conversation", "compaction.evict.words", "compaction.evict.index")
	}
}
