package tui_test

import (
	"strings"
	"testing"
)

// The effect of a value is shown before it is accepted. Then it is in force, and the breakdown is requested again.
func TestASettingIsPreviewedAndThenChanged(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		openView["settings"](r)
		r.selectRow("Compacts at")
		r.calls = nil
		r.press("enter", "backspace", "3")
		r.wantCalls("try compaction.trigger_ratio 0.08", "try compaction.trigger_ratio 0.83")
		r.wantText("then", "With 0.83 it goes on otherwise.", "Load line 109k → 106k")
		r.press("enter")
		r.wantCalls("change compaction.trigger_ratio 0.83")
		r.wantText("83% •", "this conversation", "1 change not kept")
		r.wantNoText("then ")
		r.press("s")
		r.wantCalls("keep map[compaction.trigger_ratio:0.83]")
		r.wantText("kept in ~/.config/plimsoll/config.settings.yaml")
		r.wantView("settings")
	})
}

// The mode, the theme and the mouse are settings of this run, which the screen changes itself.
func TestSettingsOfThisRun(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		openView["settings"](r)
		r.selectRow("Permission mode")
		r.press("enter", "enter")
		r.wantText("edits •", "this run", "permissions: edits")
		if !strings.Contains(strings.Join(r.calls, "\n"), "first mode edits") {
			t.Errorf("asked for %q", r.calls)
		}
		r.selectRow("Mouse")
		r.press("enter", "enter")
		r.wantText("off •")
		if r.m.View().MouseMode != 0 {
			t.Error("the mouse is used")
		}
		r.selectRow("Theme")
		r.press("enter")
		r.wantText("Theme", "contrast-dark")
		r.typeText("solarized")
		r.press("enter")
		r.wantView("settings")
		r.wantText("solarized-light •")
		r.calls = nil
		r.press("s")
		r.wantCalls("keep map[permissions.mode:edits ui.mouse:false ui.theme:solarized-light]")
	})
}

func TestSettingsLeadToTheDialogsOfTheModel(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		r.typeText("a draft stays")
		r.press("ctrl+p")
		r.typeText("/settings")
		r.press("enter")
		r.wantView("settings")
		r.selectRow("Model ")
		r.press("enter")
		r.wantText("ollama/qwen3:8b")
		r.press("down", "enter")
		r.wantCalls("models", "switch ollama/qwen3:8b")
		r.selectRow("How much it reasons")
		r.press("enter")
		r.wantText("how much the model reasons")
	})
}
