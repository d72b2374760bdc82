package names_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/conversation/names"
)

func TestPartsOfNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"this.submitButton":         {"submitButton"},
		"compact/projection/log.go": {"compact", "compact/projection", "compact/projection/log", "projection", "projection/log", "projection/log.go", "log.go"},
		"snake_case_word":           nil,
		"a.b.c":                     nil,
		"":                          nil,
	} {
		if got := slices.Collect(names.Parts(name)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestPartsOfANameWithManyDots(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("ab.", 200)
	for part := range names.Parts(name) {
		if len(part) < 6 || len(part) >= len(name) || !strings.Contains(name, part) {
			t.Fatalf("%q is no proper part of the name", part)
		}
	}
}
