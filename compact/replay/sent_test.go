package replay_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/projection"
	"plimsoll/compact/replay"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// growing sends views one after another and compares each request with what is
// made of its view alone. It counts the messages that were not made again.
func growing(t interface {
	Helper()
	Fatalf(string, ...any)
}, views ...projection.View) int {
	t.Helper()
	send, kept := replay.Sender(), 0
	for i, v := range views {
		got, known, size, wrong := send(v)
		kept += known
		want, _, wantSize, wantWrong := replay.Sender()(v)
		hard, _ := projection.Harden(v, projection.Capabilities{}) // sent or not, it is compared
		if d := cmp.Diff(hard, want); d != "" {
			t.Fatalf("view %d alone:\n%s", i, d)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("view %d of %d:\n%s", i, len(views), d)
		}
		if size != wantSize || wrong != wantWrong {
			t.Fatalf("view %d: %d characters and %d violations, want %d and %d", i, size, wrong, wantSize, wantWrong)
		}
	}
	return kept
}

// parts is a view as it grew, message by message in steps, on one array.
func parts(v projection.View, steps ...int) []projection.View {
	var out []projection.View
	for n, i := 0, 0; n <= len(v.Messages); i++ {
		part := v
		part.Messages = v.Messages[:n]
		out = append(out, part)
		n += steps[i%len(steps)]
	}
	return out
}

func TestRequestsOfGrowingViewsAreThoseOfTheWholeViews(t *testing.T) {
	t.Parallel()
	logs := rapid.OneOf(rapid.Custom(conversationtest.Malformed), rapid.Custom(conversationtest.Log), rapid.Custom(conversationtest.Rich))
	rapid.Check(t, func(t *rapid.T) {
		log := logs.Draw(t, "log")
		steps := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 4).Draw(t, "steps")
		growing(t, parts(projection.Project(log), steps...)...)
		view := projection.Project(nil)
		var views []projection.View
		for n, i := 0, 0; n <= len(log); i++ {
			view = view.Extend(log[:n])
			views = append(views, view)
			n += steps[i%len(steps)]
		}
		growing(t, views...)
	})
}

func TestRequestsOfGrowingViewsWithIDsThatComeAgain(t *testing.T) {
	t.Parallel()
	say := func(role projection.Role, text, answers string, calls ...string) projection.Message {
		m := projection.Message{Role: role, Text: text, CallID: answers}
		for _, id := range calls {
			m.Calls = append(m.Calls, conversation.ToolCall{ID: id, Name: "read", Arguments: "{}"})
		}
		m.Size = conversation.Measure(text)
		return m
	}
	user, reply := say(projection.RoleUser, "do", ""), say(projection.RoleAssistant, "so", "")
	calls := func(ids ...string) projection.Message { return say(projection.RoleAssistant, "", "", ids...) }
	result := func(id string) projection.Message { return say(projection.RoleTool, "of "+id, id) }
	for name, c := range map[string]struct {
		messages []projection.Message
		kept     bool // some of it is not made again
	}{
		"sound":                   {[]projection.Message{user, calls("a", "b"), result("a"), result("b"), calls("c"), result("c"), reply, user}, true},
		"a late result":           {[]projection.Message{user, calls("a"), user, result("a"), user}, true},
		"two late results":        {[]projection.Message{user, calls("a"), user, user, result("a"), result("a")}, true},
		"an orphan, then its id":  {[]projection.Message{user, result("a"), user, calls("a"), result("a")}, true},
		"one id for all":          {[]projection.Message{user, calls("a"), result("a"), calls("a"), result("a"), calls("a", "a"), result("a"), result("a")}, true},
		"no ids":                  {[]projection.Message{user, calls(""), result(""), calls(""), result(""), user, reply}, false},
		"ids of no form":          {[]projection.Message{user, calls("a b"), result("a b"), user, calls("c"), result("c"), user}, false},
		"a reply first":           {[]projection.Message{reply, calls("a"), result("a"), calls("b"), result("b")}, true},
		"nothing but results":     {[]projection.Message{result("a"), result("b"), result("c")}, false},
		"blank messages":          {[]projection.Message{say(projection.RoleUser, " ", ""), say(projection.RoleAssistant, "", ""), user, say(projection.RoleUser, "\n", "")}, true},
		"calls of the user":       {[]projection.Message{say(projection.RoleUser, "", "", "a"), user, calls("a"), result("a"), say(projection.RoleUser, "x", "", "b"), calls("b"), result("b")}, false},
		"another system message":  {[]projection.Message{user, say(projection.RoleSystem, "s", ""), calls("a"), result("a"), say(projection.RoleSystem, "s", "")}, true},
		"calls without an answer": {[]projection.Message{user, calls("a", "b"), calls("c"), result("b"), user, result("c"), calls("b"), result("b")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, steps := range [][]int{{1}, {2}, {3}, {1, 2}, {len(c.messages)}} {
				kept := growing(t, parts(projection.View{Messages: c.messages}, steps...)...)
				if steps[0] == 1 && len(steps) == 1 && (kept > 0) != c.kept {
					t.Errorf("%d messages were not made again", kept)
				}
			}
		})
	}
}

func TestRequestsOfOtherViewsAreMadeAnew(t *testing.T) {
	t.Parallel()
	log := conversation.Log{}
	for i := range 4 {
		id := fmt.Sprint("call_", i)
		if err := log.Commit(log.Prepare(since, conversation.UserMessage{Text: "do"},
			conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: id, Name: "read", Arguments: "{}"}}},
			conversation.ToolResult{CallID: id, Tool: "read", Text: "read"})); err != nil {
			t.Fatal(err)
		}
	}
	whole := projection.Project(log.Events())
	shorter, other := whole, projection.Project(log.Events())
	shorter.Messages = whole.Messages[:6]
	if kept := growing(t, whole, shorter); kept != 0 {
		t.Errorf("of a shorter view %d messages were kept", kept)
	}
	if kept := growing(t, whole, other); kept != 0 {
		t.Errorf("of a view on another array %d messages were kept", kept)
	}
	if kept := growing(t, shorter, whole); kept != 6 {
		t.Errorf("of a view that grew %d messages were kept, want 6", kept)
	}
}
