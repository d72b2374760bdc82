package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/cli/measure"
	"plimsoll/cli/setup"
	"plimsoll/config"
)

func TestValuesToTryAreListsAndRanges(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string][]string{
		"0.4":                      {"0.4"},
		"0.3..0.6:0.1":             {"0.3", "0.4", "0.5", "0.6"},
		"0.3..0.65:.1":             {"0.3..0.65:.1"}, // no number begins with a point
		"0.30..0.45:0.1":           {"0.30", "0.40"},
		"5..20:5, 40":              {"5", "10", "15", "20", "40"},
		"-1..1:1":                  {"-1", "0", "1"},
		"20_000..40_000:1e":        {"20_000..40_000:1e"},
		"10_000..30_000:10_000":    {"10000", "20000", "30000"},
		"a,b,a":                    {"a", "b"},
		"":                         {""},
		"[a, b],{c: 1, d: [2, 3]}": {"[a, b]", "{c: 1, d: [2, 3]}"},
		`"a,\"b,", 'c,d'`:          {`"a,\"b,"`, "'c,d'"},
		"2..2:1":                   {"2"},
	} {
		got, err := measure.ParseValues(spec)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", spec, err, d)
		}
	}
	for _, spec := range []string{"0.3..0.6", "1..2:0", "2..1:1", "0..1:0.0001", "0..99999999999999999999:1"} {
		if got, err := measure.ParseValues(spec); err == nil {
			t.Errorf("%q is taken for %q", spec, got)
		}
	}
}

func TestTrialsHaveABound(t *testing.T) {
	t.Parallel()
	if got, err := measure.ParseTrials([]string{"a=1..8:1", " b = 1..8:1"}); err != nil || len(got) != 2 || got[1].Key != "b" || len(measure.Combinations(got)) != measure.VariantsMost {
		t.Errorf("%v, %v", got, err)
	}
	for _, texts := range [][]string{{"a=1..8:1", "b=1..9:1"}, {"a=1..65:1"}, {"a"}, {"=1"}, {"a=1", "a=2"}, {"a=1..3"}} {
		if got, err := measure.ParseTrials(texts); err == nil {
			t.Errorf("%q is taken for %v", texts, got)
		}
	}
	got := measure.Combinations([]measure.Trial{{Key: "a", Values: []string{"1", "2"}}, {Key: "b", Values: []string{"x", "y"}}})
	want := [][]string{{"a=1", "b=x"}, {"a=1", "b=y"}, {"a=2", "b=x"}, {"a=2", "b=y"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("combinations:\n%s", d)
	}
}

// another is a value of an option that is not its default, and a key of its own
// where it has names.
func another(o config.Option) (key, value string) {
	key = strings.NewReplacer("TOOL", "read_file", "NAME", "my_tool").Replace(o.Key)
	switch {
	case o.Type == "ratio":
		return key, "0.87" // hard_ratio has to stay above trigger_ratio
	case strings.HasPrefix(o.Type, "ratio or"):
		return key, "0.3" // below trigger_ratio
	case o.Type == "true or false":
		return key, fmt.Sprint(o.Default != "true")
	case strings.HasPrefix(o.Type, "whole number"):
		return key, "7"
	case o.Type == "number":
		return key, "0.77"
	case strings.HasPrefix(o.Type, "list"):
		return key, "[read_file]"
	}
	words := strings.Split(strings.ReplaceAll(o.Type, " or ", ", "), ", ")
	for _, word := range words {
		if len(words) > 1 && word != o.Default {
			return key, word
		}
	}
	return key, ""
}

// What a key sets reaches the policy, for every key that replay says it obeys; of
// those that it does not, none does.
func TestReplayObeysTheKeysItTakes(t *testing.T) {
	t.Parallel()
	base := testApp(t, 0, "")
	was, _ := measure.OwnPolicy(measure.ConfiguredName, setup.RulesOf(base.settings.Cfg()), base.settings.Cfg().ToolResults)
	tried := 0
	for _, o := range config.Options() {
		key, value := another(o)
		if measure.Obeyed(key) != nil {
			continue
		}
		if value == "" || strings.HasPrefix(key, "compaction.profiles.") || slices.Contains([]string{"compaction.default_profile"}, key) {
			continue // a table, or a name of a profile
		}
		vs, err := base.replayer().Variants([]string{key + "=" + value})
		if err != nil || len(vs) != 1 {
			t.Errorf("%s=%s: %v", key, value, err)
			continue
		}
		tried++
		if now := vs[0].Own; cmp.Equal(was.Rules, now.Rules) && *was.Results == *now.Results {
			t.Errorf("%s=%s changes nothing", key, value)
		}
	}
	if tried < 35 {
		t.Errorf("%d keys were tried", tried)
	}
}

func TestKeysThatMakeNoDifferenceAreRefused(t *testing.T) {
	t.Parallel()
	a := testApp(t, 0, "")
	for text, says := range map[string]string{
		"ui.theme=dark":                     "ui.theme makes no difference to a replay",
		"compaction.summary.timeout=10s":    "no difference",
		"context.window=32000":              "no difference",
		"compaction.triger_ratio=0.7":       "trigger_ratio",
		"compaction.trigger_ratio=7":        "--set: compaction.trigger_ratio",
		"compaction.mask.enabled=true,nope": "--set: compaction.mask.enabled",
		"compaction.hard_ratio=0.5":         "must be above",
		"compaction.preset=plimsol":         "plimsoll",
	} {
		if _, err := a.replayer().Variants([]string{text}); err == nil || !strings.Contains(err.Error()+setup.HintOf(err), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
