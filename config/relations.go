package config

import (
	"encoding/json"
	"fmt"
	"strings"
)

// checkRelations applies the rules between keys to the finished configuration. A problem points at the place where the
// key it names was set last.
func checkRelations(c Config, origins map[string]Origin) Problems {
	var problems Problems
	fail := func(keys []string, message, hint string) {
		for _, key := range keys {
			if o, ok := origins[key]; ok {
				problems = append(problems, o.text.problem(o.Line, 0, key, message, hint))
				return
			}
		}
	}
	co := c.Compaction
	if co.HardRatio <= co.TriggerRatio {
		fail([]string{"compaction.hard_ratio", "compaction.trigger_ratio"},
			fmt.Sprintf("hard_ratio (%g) must be above trigger_ratio (%g)", co.HardRatio, co.TriggerRatio),
			"raise hard_ratio or lower trigger_ratio")
	}
	checkEviction(co, fail)
	names := map[string]string{"compaction.default_profile": co.DefaultProfile, "compaction.auto.profile": co.Auto.Profile}
	for _, key := range sortedKeys(names) {
		name := names[key]
		if _, ok := co.Profile(name); ok || name == "" && key == "compaction.auto.profile" {
			continue
		}
		hint := suggestion(nearest(name, co.ProfileNames()))
		if hint == "" {
			hint = "there are " + listWords(co.ProfileNames())
		}
		fail([]string{key}, fmt.Sprintf("there is no profile %s", quote(name)), hint)
	}
	checkBodies(c, fail)
	for _, name := range sortedKeys(c.Providers) {
		for _, id := range sortedKeys(c.Providers[name].Models) {
			m := c.Providers[name].Models[id]
			if m.ContextWindow > 0 && m.MaxInput > m.ContextWindow {
				at := func(key string) string { return Path("providers", name, "models", id, key) }
				fail([]string{at("max_input"), at("context_window")},
					fmt.Sprintf("max_input (%d) is above context_window (%d)", m.MaxInput, m.ContextWindow), "")
			}
		}
	}
	return problems
}

// checkBodies refuses bodies that are too long to be recorded, and thinking where the Messages API is spoken: its form is
// recorded with each request.
func checkBodies(c Config, fail func(keys []string, message, hint string)) {
	check := func(b Body, messages bool, path ...string) {
		for _, field := range sortedKeys(b) {
			if messages && field == "thinking" {
				fail([]string{Path(append(path, field)...)}, "Plimsoll sets thinking itself over the Messages API", "set effort of the model")
			}
			if text, err := json.Marshal(b); err != nil || len(text) > maxBody {
				fail([]string{Path(append(path, field)...)}, fmt.Sprintf("the body is longer than %s", Size(maxBody)), "every request records it")
				return
			}
		}
	}
	messages := func(provider string) bool {
		p := c.Providers[provider]
		return p.Wire == "messages" || p.Wire == "" && provider == "anthropic"
	}
	for _, name := range sortedKeys(c.Providers) {
		check(c.Providers[name].Body, messages(name), "providers", name, "body")
	}
	for _, name := range sortedKeys(c.Models) {
		provider, _, _ := strings.Cut(name, "/")
		check(c.Models[name].Body, messages(provider) || strings.HasPrefix(name, "claude"), "models", name, "body")
	}
}

// checkEviction applies the rules between the shares of a step: it leaves less than what sets it off, and its note has
// room in that. What is left to the program keeps to them.
func checkEviction(co Compaction, fail func(keys []string, message, hint string)) {
	const load = "compaction.trigger_ratio"
	lowest, of := co.TriggerRatio, "trigger_ratio"
	for _, s := range []struct {
		name  string
		share float64
	}{{"target", co.Evict.Target}, {"cold", co.Evict.Cold}} {
		key := "compaction.evict." + s.name
		if s.share >= co.TriggerRatio {
			fail([]string{key, load}, fmt.Sprintf("evict.%s (%g) must be below trigger_ratio (%g)", s.name, s.share, co.TriggerRatio),
				"a step has to leave less than what sets it off")
		}
		if s.share != 0 && s.share < lowest {
			lowest, of = s.share, "evict."+s.name
		}
	}
	if note := co.Evict.Index + co.Evict.Words; note >= lowest {
		fail([]string{"compaction.evict.words", "compaction.evict.index"},
			fmt.Sprintf("evict.index and evict.words (%.4g together) must be below %s (%g)", note, of, lowest),
			"the note has to leave room for the conversation")
	}
}
