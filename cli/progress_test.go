package cli

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/cli/console"
)

func TestBarsStayOnOneLine(t *testing.T) {
	t.Parallel()
	for columns, want := range map[int]int{80: 24, 45: 45 - 27 - 1, 20: 8, 10: 8, 3: 1, 0: 0} {
		var b strings.Builder
		console.NewBar(&b, "replaying 43 conversations", columns).Show(43, 43)
		if got := strings.Count(b.String(), "█"); got != want || ansi.StringWidth(strings.TrimSpace(b.String())) > max(columns-1, 0) {
			t.Errorf("%d cells: %q", columns, b.String())
		}
	}
}
