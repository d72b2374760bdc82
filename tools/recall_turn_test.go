package tools_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/tools"
)

// notebook is an archive that grows.
type notebook struct {
	shelf
	log conversation.Log
}

func (n *notebook) add(t *testing.T, bodies ...conversation.Body) {
	t.Helper()
	if err := n.log.Commit(n.log.Prepare(time.Unix(0, 0), bodies...)); err != nil {
		t.Fatal(err)
	}
	n.events = n.log.Events()
}

// called is a reply with one call, and its result.
func called(id, tool, arguments, text string) []conversation.Body {
	return []conversation.Body{
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: tool, Arguments: arguments}}},
		conversation.ToolResult{CallID: id, Tool: tool, Status: conversation.ResultOK, Text: text},
	}
}

// growing is a Box on a conversation that said ten things.
func growing(t *testing.T, change ...func(*tools.Options)) (*tools.Box, *notebook) {
	t.Helper()
	n := &notebook{}
	for i := range 10 {
		n.add(t, conversation.AssistantMessage{Text: fmt.Sprintf("thing %d", i+1), Stop: conversation.StopEnd})
	}
	b, _ := open(t, nil, append(change, func(o *tools.Options) { o.Archive = n })...)
	return b, n
}

func TestEightRecallsATurn(t *testing.T) {
	t.Parallel()
	b, n := growing(t)
	for i := range 7 {
		succeed(t, b, "recall", map[string]any{"id": i + 1})
	}
	fail(t, b, "recall", map[string]any{"id": "e70"}, "there is no event e70") // a miss counts
	for range 3 {
		got := succeed(t, b, "recall", map[string]any{"id": "e9"})
		if !strings.HasPrefix(got, "8 originals were asked for in this turn, which is the most. Go on with what they gave") || strings.Contains(got, "thing 9") {
			t.Errorf("got %s", got)
		}
	}
	if got := succeed(t, b, "search_history", map[string]any{"query": "thing 9"}); !strings.Contains(got, "e9, turn 0: reply") {
		t.Errorf("searching is counted separately: %s", got)
	}
	n.add(t, conversation.UserMessage{Text: "go on"}, conversation.UserMessage{Text: "now"})
	if got := succeed(t, b, "recall", map[string]any{"id": "e9"}); !strings.HasSuffix(got, "\n\nthing 9") {
		t.Errorf("in the next turn: %s", got)
	}
}

func TestTheShareOfATurnHoldsForCallsAtTheSameTime(t *testing.T) {
	t.Parallel()
	b, _ := growing(t)
	texts := make([]string, 20)
	var all sync.WaitGroup
	for i := range texts {
		all.Go(func() { texts[i] = b.Run(t.Context(), call(t, "recall", map[string]any{"id": i%10 + 1}), nil).Text })
	}
	all.Wait()
	given, notes := 0, 0
	for _, text := range texts {
		switch {
		case strings.Contains(text, "which is the most"):
			notes++
		case strings.Contains(text, "was given in this turn already"), strings.Contains(text, "\n\nthing "):
			given++
		}
	}
	if given != 8 || notes != 12 {
		t.Errorf("%d answers and %d notes", given, notes)
	}
}

func TestWhatATurnWasGivenIsNotGivenTwice(t *testing.T) {
	t.Parallel()
	b, n := growing(t)
	n.add(t, called("c1", "read_file", `{"path":"x"}`, strings.Repeat("line\n", 100))...)
	ask := func(args map[string]any, want string) {
		t.Helper()
		if got := succeed(t, b, "recall", args); !strings.Contains(got, want) {
			t.Errorf("%v: lacks %q: %.200s", args, want, got)
		}
	}
	const note = "e12 was given in this turn already, with the same query and offset; it stands above. Read it there"
	ask(map[string]any{"id": "e12", "limit": 50}, "Characters 1-50 of 500")
	ask(map[string]any{"id": "c1", "limit": 40}, note+", or go on with offset 50")
	ask(map[string]any{"id": "e12", "limit": 50, "offset": 50}, "Characters 51-100 of 500")
	ask(map[string]any{"id": "e12"}, "Characters 1-500 of 500") // more than it was given
	ask(map[string]any{"id": "12"}, note)
	n.add(t, conversation.Mask{Items: []conversation.MaskItem{{Event: 12, Part: conversation.PartResult}}})
	ask(map[string]any{"id": "e12"}, "Characters 1-500 of 500") // the answer may be hidden now
	n.add(t, conversation.UserMessage{Text: "go on"}, conversation.UserMessage{Text: "now"})
	ask(map[string]any{"id": "e12", "query": "LINE"}, "100 lines hold")
	ask(map[string]any{"id": "e12", "query": "LINE"}, note)
	ask(map[string]any{"id": "e12", "query": "ine"}, "100 lines hold")
}

func TestAMissIsNoAnswerThatWasGiven(t *testing.T) {
	t.Parallel()
	b, n := growing(t)
	fail(t, b, "recall", map[string]any{"id": "e11"}, "there is no event e11")
	n.add(t, conversation.UserMessage{Text: "now it is there"})
	if got := succeed(t, b, "recall", map[string]any{"id": "e11"}); !strings.Contains(got, "now it is there") {
		t.Errorf("got %s", got)
	}
}

func TestWhatIsInViewIsPointedTo(t *testing.T) {
	t.Parallel()
	seen := map[uint64]bool{}
	b, n := growing(t, func(o *tools.Options) { o.Visible = func(seq uint64) bool { return seen[seq] } })
	n.add(t, conversation.UserMessage{Text: "first"})
	n.add(t, called("c1", "read_file", `{"path":"x"}`, "\nalpha \x1b[1m\nbeta")...)
	n.add(t, conversation.AssistantMessage{Text: "so", Reasoning: "hm", Stop: conversation.StopEnd},
		conversation.ToolResult{CallID: "c2", Tool: "read_file", Text: "cut", Total: 50_000},
		conversation.UserMessage{Text: "second"}, conversation.UserMessage{Text: "third"})
	for i := range uint64(18) {
		seen[i+1] = i != 0
	}
	for id, want := range map[string]string{
		"e13": `e13 (result of read_file {"path":"x"} (ok), turn 0) stands above in full, 2 turns back; it begins "alpha \x1b[1m". Read it there`,
		"e17": `e17 (message of the user, turn 2) stands above in full, in this turn; it begins "third". Read it there`,
		"t1":  `all of t1 (turn 1) stands above in full, 1 turn back; it begins "second". Read it there`,
	} {
		got := succeed(t, b, "recall", map[string]any{"id": id, "query": "x", "offset": 3})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
	for id, part := range map[string]string{"e1": "thing 1", "e14": "-- reasoning\nhm", "e15": "\n\ncut", "t0": "--- e13"} {
		if got := succeed(t, b, "recall", map[string]any{"id": id}); !strings.Contains(got, part) {
			t.Errorf("%s is not in full view: %s", id, got)
		}
	}
}

func TestARecallOfARecallGivesTheOriginal(t *testing.T) {
	t.Parallel()
	b, n := growing(t)
	n.add(t, called("r1", "recall", `{"id":"e3","limit":2}`, "e3: reply. Characters 1-2 of 7\n\nth")...) // e11, e12
	n.add(t, called("r2", "recall", `{"id":"e12"}`, "copy")...)                                          // e14
	n.add(t, called("r3", "recall", `{"id":"r2","query":"g"}`, "copy of the copy")...)                   // e16
	n.add(t, called("r4", "recall", `{"id":"e4-5"}`, "two things")...)                                   // e18
	n.add(t, called("r5", "recall", `{}`, "a list")...)                                                  // e20
	n.add(t, called("r6", "recall", `{"id":"e22"}`, "of itself")...)                                     // e22
	for id, want := range map[string]string{
		"e12": "e3: reply, turn 0. Characters 1-7 of 7\n\nthing 3", "r1": "e3: reply, turn 0. Characters 1-7 of 7\n\nthing 3",
		"e16": "e3: reply, turn 0. Characters 1-7 of 7\n\nthing 3",
		"e18": "e4-5: events 4-5. Characters 1-60 of 60\n\n--- e4: reply, turn 0\nthing 4\n\n--- e5: reply, turn 0\nthing 5",
		"e20": "e20: result of recall {} (ok), turn 0. Characters 1-6 of 6\n\na list",
		"e22": "e22: result of recall {\"id\":\"e22\"} (ok), turn 0. Characters 1-9 of 9\n\nof itself",
	} {
		n.add(t, conversation.UserMessage{Text: "next"}, conversation.UserMessage{Text: "turn"})
		if diff := cmp.Diff(want, succeed(t, b, "recall", map[string]any{"id": id})); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
	n.add(t, conversation.UserMessage{Text: "next"})
	got := succeed(t, b, "recall", map[string]any{"id": "e10-22"})
	for _, part := range []string{
		"--- e14: result of recall {\"id\":\"e12\"} (ok), turn 0\n(a recall of e3, which has the original)",
		"--- e18: result of recall {\"id\":\"e4-5\"} (ok), turn 0\n(a recall of e4-5, which has the original)", "\na list", "\nof itself",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("lacks %q: %s", part, got)
		}
	}
}

func TestOverlaysLeadToWhatTheyHide(t *testing.T) {
	t.Parallel()
	b, n := growing(t)
	long := strings.Repeat("x", 9_000)
	n.add(t, conversation.UserMessage{Text: "read it"})                                                                       // e11
	n.add(t, called("c1", "read_file", `{"path":"x"}`, long)...)                                                              // e12, e13
	n.add(t, called("c2", "read_file", `{"path":"y"}`, long)...)                                                              // e14, e15
	n.add(t, conversation.Summary{Spans: []conversation.Span{{First: 11, Last: 15}}, Text: "two files were read", ToTurn: 0}) // e16
	n.add(t, conversation.Mask{Items: []conversation.MaskItem{{Event: 2}, {Event: 99}}})                                      // e17
	n.add(t, conversation.Revert{Epoch: 16}, conversation.Revert{Event: 18}, conversation.Drop{})                             // e18, e19, e20
	want := `e16: the originals that the summary of e16 speaks of, turns 0-0: 5, 18,049 characters together; recall each by its id. Characters 1-296 of 296

e11  turn 0  message of the user: read it  7 characters
e12  turn 0  reply: calls read_file  21 characters
e13  turn 0  result of read_file {"path":"x"} (ok)  9,000 characters
e14  turn 0  reply: calls read_file  21 characters
e15  turn 0  result of read_file {"path":"y"} (ok)  9,000 characters
`
	got := succeed(t, b, "recall", map[string]any{"id": "e16", "limit": 100})
	if !strings.HasSuffix(got, "offset 56\n\ne11  turn 0  message of the user: read it  7 characters\n") {
		t.Errorf("pages of a list end with its lines: %s", got)
	}
	got = succeed(t, b, "recall", map[string]any{"id": "e16"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := succeed(t, b, "recall", map[string]any{"id": "e17"}); !strings.Contains(got, "the mask of e17 speaks of. Characters 1-29 of 29\n\n--- e2: reply, turn 0\nthing 2") {
		t.Errorf("short ones are given at once: %s", got)
	}
	for _, id := range []string{"e18", "e19"} {
		if got := succeed(t, b, "recall", map[string]any{"id": id, "query": "READ it"}); !strings.Contains(got, "of the user, turn 0\nread it\n") {
			t.Errorf("%s: %s", id, got)
		}
	}
	fail(t, b, "recall", map[string]any{"id": "e20"}, "nothing was said in the originals that the drop of e20 speaks of", "e15 (result of read_file, turn 0)")
	list := succeed(t, b, "recall", nil)
	if want := "recall one by its id:\ne2  turn 0  reply: thing 2  7 characters\ne20  drop: 0 originals\ne16  summary: 5 originals"; !strings.HasSuffix(list, want) {
		t.Errorf("got %s", list)
	}
}

func TestWhatWasTakenBackSaysSo(t *testing.T) {
	t.Parallel()
	b, n := growing(t)
	n.add(t, conversation.UserMessage{Text: "zero"}, conversation.UserMessage{Text: "one"}, conversation.Rewind{Turn: 1}, conversation.UserMessage{Text: "two"})
	for id, want := range map[string]string{
		"e11": "e11: message of the user, turn 0. ", "e12": "e12: message of the user, turn 1 (undone). ", "t1": "t1: turn 1 (undone). ",
		"e13": "e13: the originals that the rewind of e13 speaks of, turn 1 and later ones. ", "e14": "e14: message of the user, turn 2. ",
	} {
		if got := succeed(t, b, "recall", map[string]any{"id": id}); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", id, got)
		}
	}
	if got := succeed(t, b, "search_history", map[string]any{"query": "one"}); !strings.Contains(got, "e12, turn 1 (undone): message of the user\none") {
		t.Errorf("got %s", got)
	}
	n.add(t, conversation.Revert{Event: 13}, conversation.UserMessage{Text: "three"})
	if got := succeed(t, b, "recall", map[string]any{"id": "e12"}); !strings.HasPrefix(got, "e12: message of the user, turn 1. ") {
		t.Errorf("given back: %s", got)
	}
}

func TestACallWithoutAResultLeadsToItsReply(t *testing.T) {
	t.Parallel()
	b, n := growing(t)
	n.add(t, called("c1", "run_command", `{"command":"make"}`, "")[:1]...)
	if got := succeed(t, b, "recall", map[string]any{"id": "c1"}); !strings.HasSuffix(got, "-- arguments of the call c1 to run_command\n{\"command\":\"make\"}") {
		t.Errorf("got %s", got)
	}
}
