package config_test

import (
	"errors"
	"strings"
	"testing"

	"plimsoll/config"
)

func TestRatiosAreComparedAfterThePresetIsApplied(t *testing.T) {
	t.Parallel()
	for text, line := range map[string]int{
		"compaction:\n  preset: jp\n  hard_ratio: 0.8\n":                       0, // although it is below the default of trigger_ratio
		"compaction:\n  preset: jp\n  trigger_ratio: 0.95\n":                   3, // the preset's hard_ratio
		"compaction:\n  preset: jp\n  hard_ratio: 0.75\n":                      3,
		"compaction:\n  preset: jp\n  trigger_ratio: 0.9\n  hard_ratio: 0.8\n": 4,
		"compaction:\n  hard_ratio: 0.8\n":                                     2,
	} {
		_, err := config.Load(config.LoadOptions{File: write(t, t.TempDir(), "c.yaml", text)})
		var p *config.Problem
		if errors.As(err, &p) != (line > 0) || line > 0 && (p.Line != line || !strings.Contains(p.Message, "must be above")) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestSettingsHaveTheOriginOfValues(t *testing.T) {
	t.Parallel()
	l := load(t, config.LoadOptions{
		File:     write(t, t.TempDir(), "c.yaml", "compaction:\n  preset: jp-heavy\n  trigger_ratio: 0.6\n"),
		Recorded: []string{"compaction.keep_last=5", "ui.theme=dark"}, Overrides: []string{"ui.theme=light"},
	})
	settings := map[string]config.Setting{}
	for _, s := range l.Settings() {
		settings[s.Key] = s
	}
	for key, want := range map[string]struct {
		value, unset string
		layer        config.Layer
	}{
		"compaction.preset":          {"jp-heavy", "plimsoll", config.LayerUser},
		"compaction.trigger_ratio":   {"0.6", "0.75", config.LayerUser},
		"compaction.default_profile": {"heavy", "heavy", config.LayerPreset},
		"compaction.keep_last":       {"5", "3", config.LayerConversation},
		"ui.theme":                   {"light", "auto", config.LayerOverride},
		"ui.mouse":                   {"true", "true", config.LayerDefault},
		"permissions.allow":          {"[]", "[]", config.LayerDefault},
	} {
		if s := settings[key]; s.Value != want.value || s.UnsetValue != want.unset || s.Origin.Layer != want.layer || s.Doc == "" {
			t.Errorf("%s is %q of %s, %q where unset (%q); want %v", key, s.Value, s.Origin.Layer, s.UnsetValue, s.Doc, want)
		}
	}
}
