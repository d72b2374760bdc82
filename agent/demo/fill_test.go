package demo_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/agent/demo"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
)

// fills has the gauge filled, and returns what was said last, all that was said,
// and the tokens of the request that follows.
func (w *workspace) fills(t *testing.T, s *demo.Server, history []object) (last, said string, used int) {
	t.Helper()
	said, history = w.play(t, s, append(list(system(prose)), history...), "fill the gauge", workspaceTools)
	last, _ = history[len(history)-1]["content"].(string)
	return last, said, ask(t, s, append(history, user("thanks")), object{"tools": workspaceTools}).Prompt
}

// longListing is a workspace with nothing to read whose listing is long.
func longListing() map[string]string {
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("a-picture-with-a-long-name-%03d.png", i)] = "x"
	}
	return files
}

// linesOf are the load line and the hard line of a window.
func linesOf(window int) (load, hard int) {
	o := meter.Options{Window: meter.Window{Tokens: window, Source: meter.WindowServer}}
	r := meter.New(o.With(preset.RulesOf(preset.Plimsoll))).Reading()
	return r.LoadLine, r.HardLine
}

// Above the load line, where room is made, and below the hard line by enough for
// the next message, in any window.
func TestFillsTheGaugePastTheLoadLine(t *testing.T) {
	t.Parallel()
	for _, window := range []int{4096, 8192, 20_000, demo.DefaultWindow} {
		for name, files := range map[string]map[string]string{
			"files": newWorkspace().files, "one file": {"log.md": strings.Repeat("a line of many\n", 120)},
			"a long listing":  longListing(),
			"nothing to read": {"logo.png": strings.Repeat("x", 3000), "small.txt": "short", "log.txt": strings.Repeat("a line of many\n", 40_000)},
		} {
			t.Run(fmt.Sprint(window, " ", name), func(t *testing.T) {
				t.Parallel()
				w, s := newWorkspace(), start(t, demo.Options{Window: window})
				w.files = files
				last, said, used := w.fills(t, s, nil)
				if load, hard := linesOf(window); used <= load || used >= hard {
					t.Errorf("the gauge stands at %d of %d tokens", used, window)
				}
				for _, want := range []string{"Look at the gauge: it is above the load line (▲,", "compacted automatically", "`ctrl+x` or `/undo-compact` undoes it"} {
					if !strings.Contains(last, want) {
						t.Errorf("%q is missing from\n%s", want, last)
					}
				}
				// A summary leaves the newest quarter alone: what stands there may not be all there is.
				if newest := ask(t, s, list(user(last))).Prompt; newest > window*32/100 || used-newest < window*55/100 {
					t.Errorf("the last reply has %d of %d tokens", newest, used)
				}
				if strings.Count(said, "```")%2 != 0 {
					t.Errorf("a block of code has no end:\n%s", said)
				}
				if strings.Count(said, "## Prompt caches\n") > 1 && window <= 4096 {
					t.Errorf("a chapter is told twice:\n%s", said)
				}
			})
		}
	}
}

// After room was made there is room to fill.
func TestFillsTheGaugeAgain(t *testing.T) {
	t.Parallel()
	w, s := newWorkspace(), start(t, demo.Options{Window: 8192})
	last, _, used := w.fills(t, s, list(user(strings.Repeat("word ", 3300)), reply("I see.")))
	if load, hard := linesOf(8192); used <= load || used >= hard || !strings.Contains(last, "compacted automatically") {
		t.Errorf("the gauge stands at %d of 8192 tokens: %s", used, last)
	}
}

// Room was made and undone: filling must not run into the hard line.
func TestAFullGaugeIsNotFilledFurther(t *testing.T) {
	t.Parallel()
	w, s := newWorkspace(), start(t, demo.Options{Window: 8192})
	last, said, used := w.fills(t, s, list(user(strings.Repeat("word ", 5200)), reply("I see.")))
	if _, hard := linesOf(8192); used > hard || !strings.Contains(last, "The gauge is full: ") || !strings.Contains(last, "`/redo-compact`") || len(said) > 1200 {
		t.Errorf("the gauge stands at %d of 8192 tokens: %s", used, said)
	}
}
