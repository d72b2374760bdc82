package measure

import (
	"errors"
	"slices"
	"strings"

	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact/preset"
	"plimsoll/config"
)

// Variants are the rules of the configuration with other settings: every
// combination of the values that --set gives its keys. The configuration itself
// reads keys and values, so they are checked as they are everywhere. A key that
// makes no difference to a replay is refused, because a table of equal rows would
// tell nobody why.

// Variants are the variants that --set asks for.
func (rp *Replayer) Variants(texts []string) ([]variant, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	trials, err := ParseTrials(texts)
	if err != nil {
		return nil, err
	}
	var out []variant
	for _, set := range Combinations(trials) {
		loaded, err := rp.Settings.Read(rp.Settings.Workspace, slices.Concat(rp.Settings.Flags.Set, set))
		if err == nil {
			err = rp.Settings.CheckNames(loaded)
		}
		if err != nil {
			return nil, console.AsUsage(fromSet(err))
		}
		v := variant{set: map[string]string{}}
		for _, one := range set {
			key, value, _ := strings.Cut(one, "=")
			v.set[key] = value
		}
		v.Own, _ = OwnPolicy(ConfiguredName, setup.RulesOf(loaded.Config), loaded.Config.ToolResults)
		v.Own.Name = preset.Name(variantName(set))
		out = append(out, v)
	}
	for _, c := range trials {
		if err := Obeyed(c.Key); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fromSet has problems point at the flag that they come from: without it the
// configuration has none.
func fromSet(err error) error {
	var problems config.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			if p.File == string(config.LayerOverride) {
				p.File = "--set"
			}
		}
	}
	return err
}

// variantName tells what is set, without the section that nearly all keys are
// in.
func variantName(set []string) string {
	parts := make([]string, len(set))
	for i, one := range set {
		parts[i] = strings.TrimPrefix(one, "compaction.")
	}
	return strings.Join(parts, " ")
}

// obeyedKeys are the keys that make a difference to a replay, with all below
// them; * stands for a name. unasked are those of them that are about asking a
// model, which a replay does not do.
var (
	obeyedKeys = []string{"compaction", "tool_results.max_chars", "tool_results.keep_full", "tools.*.compaction", "tools.*.exempt", "tools.*.identifiers"}
	unasked    = []string{"compaction.auto.background", "compaction.planner.failures", "compaction.summary.input", "compaction.summary.instructions",
		"compaction.summary.model", "compaction.summary.retries", "compaction.summary.review", "compaction.summary.timeout"}
	instead = map[string]string{"context.window": "--window SIZE sets the window of all policies", "providers": "--prices takes models, with the prices of your configuration"}
)

// Obeyed is an error for a key that makes no difference to a replay.
func Obeyed(key string) error {
	if slices.ContainsFunc(obeyedKeys, func(one string) bool { return covers(one, key) }) &&
		!slices.ContainsFunc(unasked, func(one string) bool { return covers(one, key) }) {
		return nil
	}
	hint := "compaction and tool_results have the keys that do; no model is asked"
	for prefix, text := range instead {
		if covers(prefix, key) {
			hint = text
		}
	}
	return console.AsUsage(console.WithHint(errors.New("--set "+key+" makes no difference to a replay"), hint))
}

// covers reports whether a key is another one, or below it.
func covers(above, key string) bool {
	segments, parts := strings.Split(above, "."), strings.Split(key, ".")
	if len(parts) < len(segments) {
		return false
	}
	for i, s := range segments {
		if s != "*" && s != parts[i] {
			return false
		}
	}
	return true
}
