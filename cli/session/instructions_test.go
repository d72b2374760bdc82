package session

import (
	"testing"

	"plimsoll/agent/core"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/tools"
)

// In a window of 8,192 tokens, prompt and tools take at most a quarter, with all tools. In one of 4,096 tokens some tools are
// left out.
func TestPromptAndToolsFitSmallWindows(t *testing.T) {
	t.Parallel()
	box, err := tools.New(tools.Options{Workspace: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	}()
	prompt := buildSystemPrompt(t.TempDir(), nil)
	if of := prompt + taskPrompt + "\n\nCount every sail."; changedNote(nil, core.Prompt{System: of}, prompt) != "" || changedNote(nil, core.Prompt{System: "old " + of}, prompt) == "" {
		t.Error("what a task is told in addition counts as a change, or a change does not")
	}
	forms := shortForms(prompt, box)
	if forms[0].System == prompt {
		t.Error("the prompt is as long in a small window")
	}
	for i, window := range []int{8192, 4096} {
		text, err := core.EncodeTools(forms[i].Tools)
		if err != nil {
			t.Fatal(err)
		}
		m := meter.New(meter.Options{}).WithPrompt(conversation.Measure(forms[i].System), conversation.Measure(text))
		if n := m.EstimatedTokens(); n > window/4 {
			t.Errorf("prompt and tools have %d tokens in a window of %d", n, window)
		} else {
			t.Logf("prompt and tools have %d tokens in a window of %d", n, window)
		}
	}
	if len(forms[0].Tools) != len(box.Specs()) {
		t.Errorf("%d tools of %d at 8,192", len(forms[0].Tools), len(box.Specs()))
	}
}
