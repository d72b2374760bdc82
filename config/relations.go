package config

import "fmt"

// checkRelations applies the rules between keys to the finished configuration. A problem points at the place where the
// key it names was set last. Unless the configuration is complete, a ratio that was not set may be another one's in the
// end, since a preset fills it, and is not judged.
func checkRelations(c Config, origins map[string]Origin, complete bool) Problems {
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
	lines := []string{"compaction.hard_ratio", "compaction.trigger_ratio"}
	if co.HardRatio <= co.TriggerRatio && (complete || setAll(origins, lines)) {
		fail(lines,
			fmt.Sprintf("hard_ratio (%g) must be above trigger_ratio (%g)", co.HardRatio, co.TriggerRatio),
			"raise hard_ratio or lower trigger_ratio")
	}
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

// setAll tells whether all of some keys were set.
func setAll(origins map[string]Origin, keys []string) bool {
	for _, key := range keys {
		if _, ok := origins[key]; !ok {
			return false
		}
	}
	return true
}
