package demo_test

import (
	"strings"
	"testing"

	"plimsoll/agent/demo"
)

// fills has the gauge filled, and returns what was said and the tokens of the
// request that follows.
func (w *workspace) fills(t *testing.T, s *demo.Server, history []object) (said string, used int) {
	t.Helper()
	said, history = w.play(t, s, append(list(system(prose)), history...), "fill the gauge", workspaceTools)
	return said, ask(t, s, append(history, user("thanks")), object{"tools": workspaceTools}).Prompt
}

func TestFillsTheGaugeWithFilesShortOfTheLoadLine(t *testing.T) {
	t.Parallel()
	w, s := newWorkspace(), start(t, demo.Options{})
	said, used := w.fills(t, s, nil)
	if used < 8192*75/100 || used > 8192*84/100 {
		t.Errorf("the gauge stands at %d of 8192 tokens", used)
	}
	for _, want := range []string{`read_file {"path": "docs/long.md"}`, "The text of `docs/long.md` goes along", "`/compact --keep-last 0`", "`/undo-compact`"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing from\n%s", want, said)
		}
	}
}

func TestFillsTheGaugeWithWordsWhereThereIsNothingToRead(t *testing.T) {
	t.Parallel()
	w, s := newWorkspace(), start(t, demo.Options{})
	w.files = map[string]string{"logo.png": strings.Repeat("x", 3000), "small.txt": "short", "log.txt": strings.Repeat("a line of many\n", 4000)}
	said, used := w.fills(t, s, nil)
	if used < 8192*75/100 || used > 8192*84/100 || strings.Contains(said, "read_file {") {
		t.Errorf("the gauge stands at %d of 8192 tokens: %s", used, said)
	}
	if !strings.Contains(said, "`/summarize --keep-last 0`") || strings.Contains(said, "`/compact") {
		t.Errorf("what makes room is not said: %s", said)
	}
}

func TestAFullGaugeIsNotFilledFurther(t *testing.T) {
	t.Parallel()
	w, s := newWorkspace(), start(t, demo.Options{})
	said, used := w.fills(t, s, list(user(strings.Repeat("word ", 5500)), reply("I see.")))
	if used > 8192*84/100 || !strings.Contains(said, "The gauge is full enough") || len(said) > 1200 {
		t.Errorf("the gauge stands at %d of 8192 tokens: %s", used, said)
	}
}
