package preset_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/preset"
)

// rows gives the hints of some tools as the table of RFD D17 writes them.
func rows(rules map[string]preset.ToolRule, names ...string) map[string][2]preset.Hint {
	out := map[string][2]preset.Hint{}
	for _, name := range names {
		if rule, ok := rules[name]; ok {
			out[name] = [2]preset.Hint{rule.Request, rule.Response}
		}
	}
	return out
}

func TestD17HintTable(t *testing.T) {
	t.Parallel()
	const keep, strip = preset.HintKeep, preset.HintStrip
	want := map[string][2]preset.Hint{ // request, response
		"fs_read_file":   {keep, strip},
		"fs_grep_files":  {keep, strip},
		"cargo_check":    {keep, strip},
		"cargo_test":     {keep, strip},
		"fs_create_file": {strip, keep},
		"fs_modify_file": {strip, strip},
		"git_commit":     {strip, keep},
	}
	if diff := cmp.Diff(want, rows(preset.DefaultTools(), slices.Collect(maps.Keys(want))...)); diff != "" {
		t.Error(diff)
	}
}
