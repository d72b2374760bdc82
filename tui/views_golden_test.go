package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"plimsoll/agent/updates"
	"plimsoll/tui"
)

// The full-screen views, the palette and the lists as the screen shows them, while a
// reply streams, without style.
func TestViewScreens(t *testing.T) {
	for _, at := range [][2]int{{40, 12}, {80, 24}} {
		t.Run(fmt.Sprintf("%dx%d", at[0], at[1]), func(t *testing.T) {
			screen(t, func(r *rig, o *tui.Options) {
				telling(r, o)
				r.width, r.height = at[0], at[1]
				r.stored = []tui.Stored{{ID: "first", Title: "Fix flaky upload test", Note: "now · 5 turns · ~/src/app"}, {ID: "other", Title: "漢字 in a title", Note: "3 days ago · 12 turns · ~/src/other"}}
			}, func(r *rig) {
				var b strings.Builder
				shot := func(name string) {
					fmt.Fprintf(&b, "== %s\n%s\n", name, r.text())
					r.press("esc")
				}
				r.happen(waiting())
				r.enter("/review")
				r.happen(updates.Status{Phase: updates.Streaming, Since: time.Now()})
				r.pass(4*time.Second + time.Millisecond)
				shot("review")
				r.happen(updates.Reviewed{})
				r.enter("/history 1")
				shot("history")
				views["context"](r)
				r.to("run_command")
				shot("context")
				views["ledger"](r)
				shot("ledger")
				views["preview"](r)
				shot("preview")
				views["search"](r)
				shot("search")
				views["settings"](r)
				shot("settings")
				r.happen(updates.Status{Phase: updates.Idle})
				r.press("ctrl+p")
				shot("palette")
				r.enter("/rewind")
				shot("rewind")
				r.enter("/resume")
				shot("resume")
				golden.RequireEqual(r.t, b.String())
			})
		})
	}
}
