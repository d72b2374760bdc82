package config

import (
	"encoding/json"
	"fmt"
	"strings"
)

// relationChecker collects problems of keys that contradict each other.
type relationChecker struct {
	origins  Origins
	problems Problems
}

// fail adds a problem at the line of the first of keys that was set explicitly. Without such a key it adds none.
func (r *relationChecker) fail(message, hint string, keys ...string) {
	for _, key := range keys {
		if o, ok := r.origins[key]; ok {
			r.problems = append(r.problems, o.source.problem(o.Line, key, message, hint))
			return
		}
	}
}

// checkRelations checks the rules between keys, after all layers and the preset.
func checkRelations(c Config, origins Origins) Problems {
	r := &relationChecker{origins: origins}
	co := c.Compaction
	if co.HardRatio <= co.TriggerRatio {
		r.fail(fmt.Sprintf("hard_ratio (%g) must be above trigger_ratio (%g)", co.HardRatio, co.TriggerRatio),
			"raise hard_ratio or lower trigger_ratio", "compaction.hard_ratio", "compaction.trigger_ratio")
	}
	r.checkEviction(co)
	r.checkProfile(co, "compaction.auto.profile", co.Auto.Profile)
	r.checkProfile(co, "compaction.default_profile", co.DefaultProfile)
	usesMessagesAPI := func(provider string) bool {
		p := c.Providers[provider]
		return p.Wire == "messages" || p.Wire == "" && provider == "anthropic"
	}
	for _, name := range sortedKeys(c.Providers) {
		r.checkBody(c.Providers[name].Body, usesMessagesAPI(name), "providers", name)
		for _, id := range sortedKeys(c.Providers[name].Models) {
			if m := c.Providers[name].Models[id]; m.ContextWindow > 0 && m.MaxInput > m.ContextWindow {
				at := Path("providers", name, "models", id)
				r.fail(fmt.Sprintf("max_input (%d) is above context_window (%d)", m.MaxInput, m.ContextWindow), "",
					at+".max_input", at+".context_window")
			}
		}
	}
	for _, name := range sortedKeys(c.Tools) {
		r.checkTool(c.Tools[name], Path("tools", name))
	}
	for _, name := range sortedKeys(c.MCP) {
		r.checkServer(c.MCP[name], Path("mcp", name))
	}
	for _, name := range sortedKeys(c.Models) {
		provider, _, _ := strings.Cut(name, "/")
		r.checkBody(c.Models[name].Body, usesMessagesAPI(provider) || strings.HasPrefix(name, "claude"), "models", name)
	}
	return r.problems
}

// checkTool checks that what describes a tool of the user's own comes with its command, and that only texts have a choice.
func (r *relationChecker) checkTool(t Tool, at string) {
	described := []string{at + ".description", at + ".timeout"}
	for _, name := range sortedKeys(t.Parameters) {
		p := at + "." + Path("parameters", name)
		described = append(described, p+".type", p+".description", p+".required", p+".enum", p+".flag")
		if kind := t.Parameters[name].Type; len(t.Parameters[name].Enum) > 0 && kind != "" && kind != "string" {
			r.fail("only a string has an enum", "", p+".enum")
		}
	}
	if t.Command == "" {
		r.fail("only a tool with a command of its own has this", "set "+at+".command", described...)
	}
}

func (r *relationChecker) checkServer(s MCPServer, at string) {
	switch {
	case len(s.Command) > 0 && s.URL != "":
		r.fail("a server is either a program or an address", "delete one of command and url", at+".url", at+".command")
	case len(s.Command) == 0:
		r.fail("only a program that is started has this", "set "+at+".command", keysBelow(at+".env", s.Env)...)
	}
	if s.URL == "" {
		r.fail("only a server with an address has this", "set "+at+".url", append(keysBelow(at+".headers", s.Headers), at+".auth")...)
	}
	if len(s.Command) == 0 && s.URL == "" {
		r.fail("the server has neither command nor url", "set one of them", at+".timeout")
	}
}

// keysBelow are the dotted keys of a table.
func keysBelow(at string, table Headers) []string {
	var keys []string
	for _, name := range sortedKeys(table) {
		keys = append(keys, at+"."+Path(name))
	}
	return keys
}

// checkProfile checks that a profile exists. Only compaction.auto.profile may be empty.
func (r *relationChecker) checkProfile(co Compaction, key, name string) {
	if _, ok := co.Profile(name); !ok && (name != "" || key == "compaction.default_profile") {
		r.fail("there is no profile "+quote(name), "there are "+listWords(co.ProfileNames()), key)
	}
}

// checkBody refuses a request body that is too large to be recorded, and the field thinking for the Messages API: each
// request records which form of it Plimsoll has chosen.
func (r *relationChecker) checkBody(b Body, messages bool, path ...string) {
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

// checkEviction checks the shares of an eviction: it must leave less than the trigger ratio, and its note must fit in what it
// leaves. A share of 0 means auto and is always valid.
func (r *relationChecker) checkEviction(co Compaction) {
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
