package config_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"plimsoll/config"

	"github.com/google/go-cmp/cmp"
)

// other is a preset that differs from the defaults in every key.
func other() config.Compaction {
	return config.Compaction{
		Preset: "raw", DefaultProfile: "heavy", KeepLast: 4, TriggerRatio: 0.5, HardRatio: 0.7, ProtectedRatio: 0.1, TokenThreshold: 9,
		Auto:  config.Auto{MinTurns: 6, Profile: "light"},
		Evict: config.Evict{Target: 0.2, Cold: 0.2, Index: 0.01, Words: 0.01},
		Planner: config.Planner{TargetRatio: 0.4, EnoughRatio: 0.6, TalkRatio: 0.4, StrideRatio: 0.1, GrowthRatio: 0.1, ResultRatio: 0.1,
			ProgressRatio: 0.2, ColdTokens: 1, PayRequests: 1, Failures: 1, Bands: 1, BlockTokens: 1, BlockRatio: 0.2, SummaryRatio: 0.1},
		Mask:  config.Mask{Enabled: true, KeepTokens: 1, KeepResults: 1, FirstTurnTokens: 1, Stride: 1, Preview: 1, MinChars: 1},
		Micro: config.Micro{Enabled: true, KeepRecent: 1, MinBytes: 1},
		Dedupe: config.Dedupe{Enabled: true, InputTrimBytes: 1, OutputTrimBytes: 1, ExcludedTools: []string{"a"},
			ToolIdentifierFields: map[string][]string{"a": {"b"}}},
		Summary: config.Summary{Model: "a/b", Instructions: "short", MaxTokens: 1, Mode: "cumulative", Input: "raw",
			Retries: 2, Timeout: time.Second, Review: true, When: "never"},
		Profiles: map[string]config.Profile{"lost": {}},
	}
}

// withOther loads overrides with a source of presets that knows one.
func withOther(t *testing.T, set ...string) config.Compaction {
	t.Helper()
	l, err := config.Load(config.LoadOptions{Env: env("HOME", t.TempDir()), Set: set, Preset: func(name string) (config.Compaction, bool) {
		return other(), name == "truncate"
	}})
	if err != nil {
		t.Fatal(err)
	}
	return l.Config.Compaction
}

// leaf is a key of compaction that holds a value.
type leaf struct {
	key   string
	value reflect.Value
}

func leaves(v reflect.Value, path string) []leaf {
	var out []leaf
	for i := range v.NumField() {
		at := path + "." + v.Type().Field(i).Tag.Get("yaml")
		if v.Field(i).Kind() == reflect.Struct {
			out = append(out, leaves(v.Field(i), at)...)
		} else {
			out = append(out, leaf{at, v.Field(i)})
		}
	}
	return out
}

func TestPresetFillsEveryKeyThatNobodySet(t *testing.T) {
	t.Parallel()
	want := other()
	want.Preset, want.Profiles = "truncate", nil
	got := withOther(t, "compaction.preset=truncate")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	d := config.Default().Compaction
	defaults, filled := leaves(reflect.ValueOf(d), "compaction"), leaves(reflect.ValueOf(got), "compaction")
	for i, l := range filled {
		if l.key != "compaction.profiles" && reflect.DeepEqual(l.value.Interface(), defaults[i].value.Interface()) {
			t.Errorf("%s has its default: this test does not see whether it is filled", l.key)
		}
	}
}

func TestKeysThatWereSetWinOverThePreset(t *testing.T) {
	t.Parallel()
	d := config.Default().Compaction
	text := map[string]string{}
	for _, o := range config.Options() {
		text[o.Key] = o.Default
	}
	defaults := leaves(reflect.ValueOf(d), "compaction")
	for i, l := range defaults {
		set := l.key + "=" + text[l.key]
		switch l.key {
		case "compaction.preset", "compaction.profiles":
			continue
		case "compaction.dedupe.tool_identifier_fields":
			set = l.key + ".mine=[x]" // the table of the user's own counts, not the preset's with it
		case "compaction.trigger_ratio":
			set = l.key + "=0.6" // below the preset's hard line
		}
		want, got := leaves(reflect.ValueOf(other()), "compaction"), leaves(reflect.ValueOf(withOther(t, set, "compaction.preset=truncate")), "compaction")
		for j := range got {
			now, preset := got[j].value.Interface(), want[j].value.Interface()
			switch {
			case got[j].key == "compaction.preset" || got[j].key == "compaction.profiles":
			case j != i && !cmp.Equal(now, preset):
				t.Errorf("with %s: %s is %v, want the preset's %v", set, got[j].key, now, preset)
			case j == i && cmp.Equal(now, preset):
				t.Errorf("with %s: it is %v, the preset's", set, now)
			}
		}
	}
}

func TestKeysOfAnyLayerWinOverThePreset(t *testing.T) {
	t.Parallel()
	home, ws := t.TempDir(), t.TempDir()
	write(t, home, "plimsoll/config.yaml", "compaction:\n  keep_last: 3\n  mask:\n    stride: 20000\n  profiles: {mine: {}}\n")
	write(t, ws, ".plimsoll.yaml", "compaction: {preset: truncate, summary: {retries: 0}}\n")
	l, err := config.Load(config.LoadOptions{
		Env: env("XDG_CONFIG_HOME", home), Workspace: ws, Trust: func(string) bool { return true }, Set: []string{"compaction.auto.enabled=true"},
		Preset: func(string) (config.Compaction, bool) { return other(), true },
	})
	if err != nil {
		t.Fatal(err)
	}
	want := other()
	want.Preset, want.Profiles = "truncate", map[string]config.Profile{"mine": {}}
	want.KeepLast, want.Mask.Stride, want.Summary.Retries, want.Auto.Enabled = 3, 20_000, 0, true
	if diff := cmp.Diff(want, l.Config.Compaction); diff != "" {
		t.Error(diff)
	}
	if l.Explicit("compaction.micro") || !l.Explicit("compaction.keep_last") {
		t.Error("what a preset fills counts as set")
	}
}

func TestPresetsNobodyKnowsFillNothing(t *testing.T) {
	t.Parallel()
	want := config.Default().Compaction
	want.Preset = "jcli"
	if diff := cmp.Diff(want, withOther(t, "compaction.preset=jcli")); diff != "" {
		t.Error(diff)
	}
	_, err := config.Load(config.LoadOptions{
		File:   write(t, t.TempDir(), "c.yaml", "compaction:\n  preset: truncat\n"),
		Preset: func(string) (config.Compaction, bool) { return other(), true },
	})
	var p *config.Problem
	if !errors.As(err, &p) || p.Line != 2 || p.Key != "compaction.preset" || !strings.Contains(p.Hint, "truncate") {
		t.Errorf("a preset that does not exist: %v", err)
	}
}

func TestLinesAreComparedAfterThePresetIsFilledIn(t *testing.T) {
	t.Parallel()
	load := func(text string) error {
		_, err := config.Load(config.LoadOptions{
			File:   write(t, t.TempDir(), "c.yaml", text),
			Preset: func(name string) (config.Compaction, bool) { return other(), name == "truncate" },
		})
		return err
	}
	const fine = "compaction:\n  preset: truncate\n  hard_ratio: 0.8\n" // though below the default of trigger_ratio
	if err := load(fine); err != nil {
		t.Error(err)
	}
	for text, line := range map[string]int{
		"compaction:\n  preset: truncate\n  trigger_ratio: 0.7\n":                    3, // the preset's hard line is there
		"compaction:\n  preset: truncate\n  hard_ratio: 0.5\n":                       3,
		"compaction:\n  preset: truncate\n  trigger_ratio: 0.9\n  hard_ratio: 0.8\n": 4,
		"compaction:\n  hard_ratio: 0.8\n":                                           2,
	} {
		var p *config.Problem
		if err := load(text); !errors.As(err, &p) || p.Line != line || !strings.Contains(p.Message, "must be above") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// ONE keeps what is shown and nothing besides, unless the user says so.
func TestOneClawKeepsNoFullTextsByItself(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		set  []string
		keep bool
	}{
		{nil, true},
		{[]string{"compaction.preset=oneclaw"}, false},
		{[]string{"compaction.preset=oneclaw", "tool_results.keep_full=true"}, true},
		{[]string{"compaction.preset=jcli"}, true},
	} {
		l, err := config.Load(config.LoadOptions{Env: env("HOME", t.TempDir()), Set: c.set})
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Config.ToolResults.KeepFull; got != c.keep {
			t.Errorf("%v: keep_full is %v", c.set, got)
		}
	}
}

func TestSharesAreRatiosOrAuto(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]config.Evict{
		"":                        {},
		"compaction: {evict: {}}": {},
		"compaction: {preset: plimsoll, evict: {target: auto, cold: 0.5}}":        {Cold: 0.5},
		"compaction: {evict: {target: 0.3, cold: 0.84, index: 0.02, words: 0.1}}": {Target: 0.3, Cold: 0.84, Index: 0.02, Words: 0.1},
	} {
		c, err := config.Parse("c.yaml", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, c.Compaction.Evict); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
	}
	for share, want := range map[config.Share]string{config.AutoShare: "auto", 0.05: "0.05", 1: "1"} {
		if got := share.String(); got != want {
			t.Errorf("%v is written %q, want %q", float64(share), got, want)
		}
	}
}

func TestCharactersOfAResultAreANumberOrAuto(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]config.Chars{
		"tool_results: {max_chars: auto}": config.AutoChars, "tool_results: {max_chars: 1}": 1, "tool_results: {max_chars: 50000}": 50_000,
		"compaction: {preset: oneclaw}":                                  30_000,
		"compaction: {preset: oneclaw}\ntool_results: {max_chars: 8000}": 8000,
		"compaction: {preset: oneclaw}\ntool_results: {max_chars: auto}": config.AutoChars, // 30,000 all the same
		"compaction: {preset: jp}":                                       config.AutoChars,
	} {
		l := layered(t, text, "", false)
		if got := l.Config.ToolResults.MaxChars; got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for _, word := range []string{"0", "-1", "Auto", "many", "1.5", "30000000000", "[1]", `"30000"`, "true", `""`} {
		if _, err := config.Parse("c.yaml", []byte("tool_results: {max_chars: "+word+"}")); err == nil || !strings.Contains(err.Error(), "tool_results.max_chars") {
			t.Errorf("%s: %v", word, err)
		}
	}
}
