package screen

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/tools/workspace"
	"plimsoll/tui"
)

func TestMentionableFoldersHaveTheirTokens(t *testing.T) {
	t.Parallel()
	got := foldersOf([]workspace.File{{Path: "a.go"}, {Path: "cli/desk.go"}, {Path: "cli/plot/cells.go"}, {Path: "cli/plot/svg.go"}})
	want := []tui.File{{Path: "cli/", Tokens: 3}, {Path: "cli/plot/", Tokens: 4}} // desk.go and plot, cells.go and svg.go
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
