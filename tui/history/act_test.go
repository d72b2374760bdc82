package history_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/tui/history"
	"plimsoll/tui/pane"
)

func TestKeysActOnTheUnitUnderTheCursor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, row, keys string
		want            func(at map[string]uint64) pane.Action
	}{
		{"a reply is pinned with its results", "failed", "p", func(at map[string]uint64) pane.Action {
			return pane.Pin{Events: []uint64{at["failed"] - 2, at["failed"]}, Pinned: true}
		}},
		{"a pinned message is unpinned", "pinned", "p", func(at map[string]uint64) pane.Action {
			return pane.Pin{Events: []uint64{at["pinned"]}}
		}},
		{"a result is masked", "hostile", "m", func(at map[string]uint64) pane.Action {
			return pane.Mask{Events: []uint64{at["hostile"]}}
		}},
		{"a masked result is not masked again", "failed", "m", func(map[string]uint64) pane.Action {
			return pane.Snackbar{Text: "it is already shortened", Failure: true}
		}},
		{"a summarised message is not masked", "question", "m", func(map[string]uint64) pane.Action {
			return pane.Snackbar{Text: "it is already summarized", Failure: true}
		}},
		{"the compaction of a stub is undone", "failed", "u", func(at map[string]uint64) pane.Action { return pane.Undo{Epoch: at["mask"]} }},
		{"the compaction of a summary is undone", "found", "u", func(at map[string]uint64) pane.Action {
			return pane.Undo{Epoch: at["summary"]}
		}},
		{"the compaction of a line is undone", "mask", "u", func(at map[string]uint64) pane.Action { return pane.Undo{Epoch: at["mask"]} }},
		{"an event without a compaction has no undo", "last", "u", func(map[string]uint64) pane.Action {
			return pane.Snackbar{Text: "no compaction changed this: it is sent in full", Failure: true}
		}},
		{"a rewind is not undone with u", "rewound", "u", func(map[string]uint64) pane.Action {
			return pane.Snackbar{Text: "this is no compaction: redo restores the turns", Failure: true}
		}},
		{"rewound turns are restored", "rewound", "r", func(map[string]uint64) pane.Action { return pane.Restore{} }},
		{"the line of the rewind restores them too", "rewind", "r", func(map[string]uint64) pane.Action { return pane.Restore{} }},
		{"a compaction is redone", "last", "r", func(map[string]uint64) pane.Action { return pane.Redo{} }},
		{"a rewound message is not pinned", "rewound", "p", func(map[string]uint64) pane.Action {
			return pane.Snackbar{Text: "it was undone: redo it first", Failure: true}
		}},
		{"a fork at a user message begins before it", "pinned", "f", func(at map[string]uint64) pane.Action {
			return history.Fork{Before: at["pinned"]}
		}},
		{"a fork at a call begins after its result", "failed", "f", func(at map[string]uint64) pane.Action {
			return history.Fork{Before: at["failed"] + 1}
		}},
		{"the first press asks before a turn is resent", "failed", "e", func(map[string]uint64) pane.Action { return nil }},
		{"a turn is resent on a second press", "failed", "ee", func(map[string]uint64) pane.Action { return history.Resend{Turn: 1} }},
		{"another key cancels the question", "failed", "ezpe", func(map[string]uint64) pane.Action { return nil }},
		{"the original result is copied", "failed", "y", func(map[string]uint64) pane.Action {
			return pane.Copy{What: "the result", Text: "--- FAIL: TestUpload\n    listen tcp :8080: bind: address already in use\n" + strings.Repeat("FAIL upload 0.4s\n", 40)}
		}},
		{"q closes", "last", "q", func(map[string]uint64) pane.Action { return pane.Closed{} }},
		{"other keys are the parent's", "last", "z", func(map[string]uint64) pane.Action { return pane.Ignored{} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 100, 30)
			at := r.addSample()
			r.showLog()
			r.moveTo(at[test.row])
			got := r.press(strings.Split(test.keys, "")...)
			if diff := cmp.Diff(test.want(at), got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if strings.HasSuffix(test.keys, "e") && got == nil && !strings.Contains(r.screen(), "e again undoes turns 2–5 and returns the message to the composer") {
				t.Errorf("no question on the screen:\n%s", r.screen())
			}
		})
	}
}

func TestRefusalsSayWhy(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 30)
	r.addSample()
	r.readOnlyReason = "open in another window"
	r.showLog()
	for _, k := range []string{"p", "m", "u", "r", "e"} {
		if diff := cmp.Diff(pane.Action(pane.Snackbar{Text: r.readOnlyReason, Failure: true}), r.press(k)); diff != "" {
			t.Errorf("%s: -want +got\n%s", k, diff)
		}
	}
	for k, want := range map[string]pane.Action{"y": pane.Copy{Text: "now run it ten times", What: "the message"}, "f": history.Fork{Before: uint64(r.log.Len())}} {
		if diff := cmp.Diff(want, r.press(k)); diff != "" {
			t.Errorf("%s: -want +got\n%s", k, diff)
		}
	}
}

func TestRefreshKeepsTheCursorOnItsEvent(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"both", "original", "as sent"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 100, 30)
			at := r.addSample()
			r.showLog()
			for range map[string]int{"both": 0, "original": 1, "as sent": 2}[side] {
				r.press("tab")
			}
			for r.press("k") == nil && !strings.Contains(cursorRow(r), " go test ./upload -count") {
			}
			r.press("enter")
			before := cursorRow(r)
			r.add(conversation.UserMessage{Text: "one more"})
			if side != "as sent" { // there a mask changes the visible rows
				r.compact("more", maskOf(at["hostile"]))
			}
			r.Refresh(r.content())
			if diff := cmp.Diff(before, cursorRow(r)); diff != "" {
				t.Errorf("-before +after\n%s", diff)
			}
		})
	}
}

func cursorRow(r *rig) string {
	var out []string
	for l := range strings.SplitSeq(r.screen(), "\n") {
		if strings.HasPrefix(l, "▌") {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}
