package conversation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func TestKeptByHooksIsWhatTheNewestSaid(t *testing.T) {
	t.Parallel()
	asked := func(moment string, keep ...string) conversation.HookRan {
		return conversation.HookRan{Moment: moment, Keep: keep}
	}
	const before, other = conversation.HookBeforeCompaction, conversation.HookTurnEnd
	for name, c := range map[string]struct {
		bodies []conversation.Body
		want   []string
		seq    uint64
	}{
		"nothing":   {[]conversation.Body{conversation.UserMessage{Text: "hi"}, asked(other)}, nil, 0},
		"two hooks": {[]conversation.Body{asked(before, "old"), conversation.Notice{}, asked(before, "a", "b"), asked(before), asked(before, "c"), asked(other, "x")}, []string{"a", "b", "c"}, 3},
		"no longer": {[]conversation.Body{asked(before, "old"), conversation.Notice{}, asked(before)}, nil, 3},
	} {
		var l conversation.Log
		keep, seq := conversation.KeptByHooks(l.Prepare(conversationtest.Epoch, c.bodies...))
		if diff := cmp.Diff(c.want, keep); diff != "" || seq != c.seq {
			t.Errorf("%s: %d, want %d %s", name, seq, c.seq, diff)
		}
	}
}

func TestTypedIsWithoutWhatHooksAdded(t *testing.T) {
	t.Parallel()
	added := []conversation.HookText{{Command: "a\nb", Text: "one"}, {Command: "c", Text: "two\x00"}}
	m := conversation.UserMessage{Text: "hi\xff\n"}.WithHookTexts(added)
	if want := "hi\uFFFD\n\n[hook a b added:]\none\n\n[hook c added:]\ntwo\u2400"; m.Text != want || m.Typed() != "hi\uFFFD" {
		t.Errorf("%q, typed %q", m.Text, m.Typed())
	}
	for _, hostile := range []int{-1, 99} {
		if typed := (conversation.UserMessage{Text: "hi", Hooks: hostile}).Typed(); typed != "hi" && typed != "" {
			t.Errorf("%d: %q", hostile, typed)
		}
	}
}
