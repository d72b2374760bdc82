package history_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plimsoll/tui/history"
	"plimsoll/tui/tuitest"
)

func TestViews(t *testing.T) {
	t.Parallel()
	scenes := []struct {
		name string
		do   func(r *rig, at map[string]uint64)
	}{
		{"both", func(*rig, map[string]uint64) {}},
		{"both at the mask", func(r *rig, at map[string]uint64) { r.moveTo(at["failed"]) }},
		{"as sent", func(r *rig, at map[string]uint64) { r.press("tab", "tab", "home") }},
		{"an expanded summary", func(r *rig, at map[string]uint64) { r.press("tab", "tab", "home", "enter") }},
		{"an expanded stub", func(r *rig, at map[string]uint64) { r.moveTo(at["failed"]); r.press("enter") }},
		{"an expanded compaction", func(r *rig, at map[string]uint64) { r.moveTo(at["summary"]); r.press("enter") }},
		{"hostile text", func(r *rig, at map[string]uint64) { r.moveTo(at["hostile"]); r.press("enter") }},
		{"a search", func(r *rig, at map[string]uint64) { r.press("home", "/"); r.typeText("port") }},
		{"a search that found", func(r *rig, at map[string]uint64) { r.press("home", "/"); r.typeText("upload 0.4s"); r.press("enter") }},
		{"a request", func(r *rig, at map[string]uint64) {
			if w, ok := r.press("[").(history.RebuildRequest); ok {
				r.Request(r.rebuilt(w.Event), nil)
			}
			r.press("home", "j", "j", "j")
		}},
		{"help", func(r *rig, at map[string]uint64) { r.press("?") }},
	}
	tuitest.Golden(t, tuitest.Sizes, func(t *testing.T, b *strings.Builder, width, height int) {
		ledger := newRig(t, width, height)
		ledger.Model = history.New(&ledger.keys, time.UTC, true)
		ledger.SetSize(width, height)
		ledger.addSample()
		ledger.showLog()
		ledger.press("enter")
		fmt.Fprintf(b, "the ledger\n%s\n\n", ledger.screen())
		for _, scene := range scenes {
			r := newRig(t, width, height)
			at := r.addSample()
			r.showLog()
			scene.do(r, at)
			fmt.Fprintf(b, "%s", scene.name)
			screen := r.screen()
			if c := r.Cursor(); c != nil {
				fmt.Fprintf(b, " (cursor %d,%d)", c.X, c.Y)
			}
			fmt.Fprintf(b, "\n%s\n\n", screen)
		}
	})
}
