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

// truncate is a source of presets that knows one.
func truncate(name string) (config.Compaction, bool) { return other(), name == "truncate" }

// withOther gives the compaction that overrides make of the defaults and a preset.
func withOther(t *testing.T, set ...string) config.Compaction {
	t.Helper()
	return load(t, config.LoadOptions{Set: set, Preset: truncate}).Config.Compaction
}

// leaf is a key of compaction that holds a value.
type leaf struct {
	key   string
	value any
}

func leaves(v reflect.Value, path string) []leaf {
	var out []leaf
	for i := range v.NumField() {
		at := path + "." + v.Type().Field(i).Tag.Get("yaml")
		switch {
		case v.Field(i).Kind() == reflect.Struct:
			out = append(out, leaves(v.Field(i), at)...)
		case at != "compaction.preset" && at != "compaction.profiles":
			out = append(out, leaf{at, v.Field(i).Interface()})
		}
	}
	return out
}

func TestPresetFillsEveryKeyThatNobodySet(t *testing.T) {
	t.Parallel()
	want := other()
	want.Preset, want.Profiles = "truncate", nil
	if diff := cmp.Diff(want, withOther(t, "compaction.preset=truncate")); diff != "" {
		t.Error(diff)
	}
	want = config.Default().Compaction
	want.Preset = "jcli"
	if diff := cmp.Diff(want, withOther(t, "compaction.preset=jcli")); diff != "" {
		t.Errorf("a preset that the source does not know fills something:\n%s", diff)
	}
}

func TestKeysThatWereSetWinOverThePreset(t *testing.T) {
	t.Parallel()
	text := map[string]string{}
	for _, o := range config.Options() {
		text[o.Key] = o.Default
	}
	preset := leaves(reflect.ValueOf(other()), "compaction")
	for i, l := range preset {
		set := l.key + "=" + text[l.key]
		switch l.key {
		case "compaction.dedupe.tool_identifier_fields":
			set = l.key + ".mine=[x]" // the table of the user's own counts, not the preset's with it
		case "compaction.trigger_ratio":
			set = l.key + "=0.6" // below the preset's hard line
		}
		for j, got := range leaves(reflect.ValueOf(withOther(t, set, "compaction.preset=truncate")), "compaction") {
			if fills := cmp.Equal(got.value, preset[j].value); fills == (j == i) {
				t.Errorf("with %s: %s is %v, and the preset's is %v", set, got.key, got.value, preset[j].value)
			}
		}
	}
}

func TestRatiosAreComparedAfterThePresetIsFilledIn(t *testing.T) {
	t.Parallel()
	for text, line := range map[string]int{
		"compaction:\n  preset: truncate\n  hard_ratio: 0.8\n":                       0, // though below the default of trigger_ratio
		"compaction:\n  preset: truncate\n  trigger_ratio: 0.7\n":                    3, // the preset's hard line is there
		"compaction:\n  preset: truncate\n  hard_ratio: 0.5\n":                       3,
		"compaction:\n  preset: truncate\n  trigger_ratio: 0.9\n  hard_ratio: 0.8\n": 4,
		"compaction:\n  hard_ratio: 0.8\n":                                           2,
	} {
		_, err := config.Load(config.LoadOptions{File: write(t, t.TempDir(), "c.yaml", text), Preset: truncate})
		var p *config.Problem
		if errors.As(err, &p) != (line > 0) || line > 0 && (p.Line != line || !strings.Contains(p.Message, "must be above")) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestSettingsTellWhereAValueComesFrom(t *testing.T) {
	t.Parallel()
	l := load(t, config.LoadOptions{
		File:     write(t, t.TempDir(), "c.yaml", "compaction:\n  preset: truncate\n  trigger_ratio: 0.6\n"),
		Recorded: []string{"compaction.keep_last=5", "ui.theme=dark"}, Set: []string{"ui.theme=light"}, Preset: truncate,
	})
	settings := map[string]config.Setting{}
	for _, s := range l.Settings() {
		settings[s.Key] = s
	}
	for key, want := range map[string]struct {
		value, unset string
		layer        config.Layer
	}{
		"compaction.preset":          {"truncate", "plimsoll", config.LayerUser},
		"compaction.trigger_ratio":   {"0.6", "0.5", config.LayerUser},
		"compaction.default_profile": {"heavy", "heavy", config.LayerPreset},
		"compaction.keep_last":       {"5", "4", config.LayerConversation},
		"ui.theme":                   {"light", "auto", config.LayerOverride},
		"ui.mouse":                   {"true", "true", config.LayerDefault},
		"permissions.allow":          {"[]", "[]", config.LayerDefault},
	} {
		if s := settings[key]; s.Value != want.value || s.Unset != want.unset || s.Origin.Layer != want.layer || s.Doc == "" {
			t.Errorf("%s is %q of %s, %q where unset (%q); want %v", key, s.Value, s.Origin.Layer, s.Unset, s.Doc, want)
		}
	}
}
