package transcript_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func TestRewoundTurnsFoldAway(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 100, 60, turns(3)...) // every message contains the number of its turn
	r.add(user("and now?"), calls(call("1", "read_file", `{"path":"upload.go"}`)), result("1", conversation.ResultOK, "x"), reply("This."))
	if got := r.LastReply(); got != "This." {
		t.Fatalf("the last reply is %q", got)
	}
	back := r.addCompaction(timeAt(14, 4), conversation.Origin{}, conversation.Rewind{Turn: 2})
	r.wantText(t, " · 14:04 undid 2 turns", "answer 0", "answer 1")
	for _, text := range []string{"answer 2", "and now?", "read upload.go", "This."} {
		if strings.Contains(r.screen(), text) {
			t.Errorf("%q is still shown:\n%s", text, r.screen())
		}
	}
	if got := r.LastReply(); got != "answer 1" {
		t.Errorf("the last reply is %q", got)
	}
	if got := r.LastExchange(); !strings.Contains(got, "answer 1") || strings.Contains(got, "now?") {
		t.Errorf("the last exchange is %q", got)
	}
	r.add(user("otherwise"), reply("That."))
	r.wantText(t, "▌ otherwise", "That.")

	r.ToggleExpanded()
	r.wantText(t, "answer 2", "▌ and now?", "read upload.go", "This.", "   undone", "undid 2 turns")
	if n := strings.Count(r.screen(), "\n    undone\n"); n != 2 {
		t.Errorf("%d messages are marked:\n%s", n, r.screen())
	}
	wantValidView(t, r.View(), 100, 60)

	r.ToggleExpanded()
	r.addCompaction(timeAt(14, 8), conversation.Origin{}, conversation.Revert{Epoch: back})
	r.wantText(t, "answer 2", "▌ and now?", "This.", "undid the turns after 2 (undone)", "▌ otherwise")
}

// A rewind does not change files back, and its line says so if the rewound turns edited files.
func TestARewindLineSaysThatFilesWereNotChangedBack(t *testing.T) {
	t.Parallel()
	edit := result("1", conversation.ResultOK, "created")
	edit.Detail = "--- /dev/null\n+++ b/notes.md\n@@ -0,0 +1 @@\n+new\n"
	r := openTranscript(t, 100, 60, turns(2)...)
	r.add(user("write it"), calls(call("1", "create_file", `{"path":"notes.md"}`)), edit, reply("Done."))
	r.addCompaction(timeAt(14, 4), conversation.Origin{}, conversation.Rewind{Turn: 2})
	r.wantText(t, "undid 1 turn · files were not changed back")
	r.addCompaction(timeAt(14, 5), conversation.Origin{}, conversation.Rewind{Turn: 1})
	r.wantText(t, "undid 1 turn")
	edit.CallID = "2"
	r.add(user("again"), calls(call("2", "create_file", `{"path":"notes.md"}`)), edit, conversation.Rewound{Turn: 3})
	r.addCompaction(timeAt(14, 6), conversation.Origin{}, conversation.Rewind{Turn: 3})
	r.wantText(t, "14:06 undid 1 turn")
	if strings.Count(r.screen(), "not changed back") != 1 {
		t.Error(r.screen())
	}
}

// The folded messages are those that package conversation reports as rewound, no matter in
// which pieces the log arrived.
func TestRewoundTurnsAgreeWithTheLog(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var l conversation.Log
		add := func(bodies ...conversation.Body) {
			if err := l.Commit(l.Prepare(conversationtest.Epoch, bodies...)); err != nil {
				rt.Fatal(err)
			}
		}
		var rewinds []uint64
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0:
				add(conversation.Rewind{Turn: rapid.IntRange(0, 6).Draw(rt, "to")})
				rewinds = append(rewinds, uint64(l.Len()))
			case 1:
				if len(rewinds) > 0 {
					add(conversation.Revert{Event: rapid.SampledFrom(rewinds).Draw(rt, "reverted")})
					rewinds = append(rewinds, uint64(l.Len()))
				}
			default:
				add(user("question"), reply("answer"))
			}
		}
		events, want := l.Events(), 0
		rewound := conversation.RewoundBy(events)
		for i, e := range events {
			if _, user := e.Body.(conversation.UserMessage); user && rewound != nil && rewound[i] != 0 {
				want++
			}
		}
		for _, size := range []int{1, max(1, len(events))} {
			r := openTranscript(t, 80, 1)
			for piece := range slices.Chunk(events, size) {
				r.Append(piece)
				r.View()
			}
			all := strings.Count(strings.Join(drawnLines(r, 80), "\n"), "▌ question")
			r.ToggleExpanded()
			lines := drawnLines(r, 80)
			marked := 0
			for _, l := range lines {
				if l == "    undone" {
					marked++
				}
			}
			if marked != want || all+want != strings.Count(strings.Join(lines, "\n"), "▌ question") {
				rt.Fatalf("%d messages are marked, %d are shown while folded, %d are rewound:\n%s", marked, all, want, strings.Join(lines, "\n"))
			}
		}
	})
}
