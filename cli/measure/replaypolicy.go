package measure

import (
	"maps"
	"slices"
	"strings"

	"plimsoll/cli/console"
	formats "plimsoll/cli/replay"
	"plimsoll/cli/setup"
	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/config"
)

// What can be compared: the presets to the letter, the profiles of the
// configuration, each as a command at the start of every turn, and the rules of
// the configuration as they are. A name that is two of these is a preset first,
// then the configuration, then a profile. Behind them stand the variants of --set,
// whose names have a = in them, as no other has.

// ConfiguredName stands for the rules of the user's configuration.
const ConfiguredName = string(formats.Configured)

// ChoosePolicies sets the policies that are asked for.
func (rp *Replayer) ChoosePolicies(r *Replaying) error {
	rules := setup.RulesOf(rp.Settings.Cfg())
	names := []string{string(preset.Plimsoll), string(preset.Raw), string(preset.Truncate), string(rules.Preset)}
	switch {
	case r.Options.All:
		names = setup.PresetNames()
	case r.Options.Presets == nil && len(r.variants) > 0:
		names = []string{ConfiguredName, string(preset.Truncate)}
	case r.Options.Presets != nil:
		var err error
		if names, err = splitList("--preset", r.Options.Presets); err != nil {
			return err
		}
	}
	for _, name := range names {
		p := preset.Name(name)
		if slices.Contains(r.Policies, p) {
			continue
		}
		if !slices.Contains(preset.All(), p) {
			own, ok := OwnPolicy(name, rules, rp.Settings.Cfg().ToolResults)
			if !ok {
				return console.WrongUse("there is no preset or profile %q; there are %s", name, strings.Join(PolicyNames(rules), ", "))
			}
			r.Own = append(r.Own, own)
		}
		r.Policies = append(r.Policies, p)
	}
	for _, v := range r.variants {
		r.Own = append(r.Own, v.Own)
		r.Policies = append(r.Policies, v.Own.Name)
	}
	return nil
}

// OwnPolicy is a policy that the configuration makes.
func OwnPolicy(name string, rules preset.Rules, results config.ToolResults) (replay.Named, bool) {
	own := replay.Named{Name: preset.Name(name), Rules: rules, Results: &replay.Results{MaxChars: int(results.MaxChars), KeepFull: results.KeepFull}}
	if name == ConfiguredName {
		return own, true
	}
	_, ok := rules.Profiles[name]
	own.Rules.DefaultProfile, own.ByHand = name, true
	return own, ok
}

// PolicyNames lists what --preset takes.
func PolicyNames(rules preset.Rules) []string {
	names := append(setup.PresetNames(), ConfiguredName)
	for _, name := range slices.Sorted(maps.Keys(rules.Profiles)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// splitList gives the names in the values of a flag, which can hold several with
// commas between.
func splitList(flag string, values []string) ([]string, error) {
	var names []string
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			if name = strings.TrimSpace(name); name == "" {
				return nil, console.WrongUse("%s has an empty name in %q; write %s A,B", flag, value, flag)
			}
			names = append(names, name)
		}
	}
	return names, nil
}
