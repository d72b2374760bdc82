package replay_test

import (
	"fmt"
	"slices"
	"testing"

	"plimsoll/compact/projection"
	"plimsoll/compact/replay"
	"plimsoll/conversation"
)

// A policy that is broken on purpose is caught by the figure that is there for it.

// work is a conversation of one turn of steps.
func work(steps, chars int) *builder {
	one := (&builder{}).user("do it all")
	for i := range steps {
		one.call("read", fmt.Sprintf(`{"n":%d}`, i), fmt.Sprintf("step_number_%d ", i)+text(chars))
	}
	return one.reply("done")
}

func TestOrphanedResultsAreViolations(t *testing.T) {
	t.Parallel()
	// It forgets the reply whose call the result answers.
	orphans := policy(replay.Policy{Transform: func(v projection.View) projection.View {
		v.Messages = slices.DeleteFunc(slices.Clone(v.Messages), func(m projection.Message) bool { return m.Events[0] == 2 })
		return v
	}})
	f, _ := figuresOf(t, orphans, work(3, 100))
	if f.Violations != 3 {
		t.Errorf("%d violations, want one for each request that lacks the call", f.Violations)
	}
}

func TestBrokenMessagesAreViolations(t *testing.T) {
	t.Parallel()
	change := func(role projection.Role, f func(*projection.Message)) replay.PolicyMaker {
		return policy(replay.Policy{Transform: func(v projection.View) projection.View {
			v.Messages = slices.Clone(v.Messages)
			for i := range v.Messages {
				if v.Messages[i].Role == role {
					f(&v.Messages[i])
				}
			}
			return v
		}})
	}
	for name, p := range map[string]replay.PolicyMaker{
		"arguments that are no object": change(projection.RoleAssistant, func(m *projection.Message) {
			m.Calls = slices.Clone(m.Calls)
			m.Calls[0].Arguments = `"[omitted]"`
		}),
		"half a character": change(projection.RoleTool, func(m *projection.Message) { m.Text = m.Text[:10] + "\xe6\x97" }),
		"a NUL":            change(projection.RoleUser, func(m *projection.Message) { m.Text += "\x00" }),
		"a second prompt":  change(projection.RoleUser, func(m *projection.Message) { m.Role = projection.RoleSystem }),
		"nothing at all":   policy(replay.Policy{Transform: func(v projection.View) projection.View { return projection.View{} }}),
		"an own last word": policy(replay.Policy{Transform: func(v projection.View) projection.View {
			v.Messages = append(slices.Clone(v.Messages), projection.Message{Role: projection.RoleAssistant, Text: "so", Events: []uint64{1}})
			return v
		}}),
	} {
		if f, _ := figuresOf(t, p, work(1, 100)); f.Violations == 0 {
			t.Errorf("%s: no violation", name)
		}
	}
}

func TestMisplacedMessagesAreCounted(t *testing.T) {
	t.Parallel()
	user, said := projection.Message{Role: projection.RoleUser, Text: "u"}, projection.Message{Role: projection.RoleAssistant, Text: "a"}
	calls := func(ids ...string) projection.Message {
		m := projection.Message{Role: projection.RoleAssistant}
		for _, id := range ids {
			m.Calls = append(m.Calls, conversation.ToolCall{ID: id, Name: "t", Arguments: "{}"})
		}
		return m
	}
	result := func(id string) projection.Message {
		return projection.Message{Role: projection.RoleTool, CallID: id, Text: "r"}
	}
	for name, c := range map[string]struct {
		messages []projection.Message
		want     int
	}{
		"as it should be":     {[]projection.Message{user, calls("a", "b"), result("a"), result("b"), said, user}, 0},
		"nothing":             {nil, 1},
		"it begins elsewhere": {[]projection.Message{said, user}, 1},
		"it has an answer":    {[]projection.Message{user, said}, 1},
		"an id used twice":    {[]projection.Message{user, calls("a"), result("a"), calls("a"), result("a")}, 1},
		"no id":               {[]projection.Message{user, calls(""), result("")}, 1},
		"in the wrong order":  {[]projection.Message{user, calls("a", "b"), result("b"), result("a")}, 2},
		"an answer too many":  {[]projection.Message{user, calls("a"), result("a"), result("a")}, 1},
		"an answer too few":   {[]projection.Message{user, calls("a", "b"), result("a"), user}, 1},
		"an answer too late":  {[]projection.Message{user, calls("a"), user, result("a")}, 2},
		"another prompt":      {[]projection.Message{user, {Role: projection.RoleSystem, Text: "s"}, user}, 1},
	} {
		if got := replay.Misplaced(c.messages); got != c.want {
			t.Errorf("%s: %d faults, want %d", name, got, c.want)
		}
	}
}

// losing is a policy that cuts results on arrival and masks all but the newest
// behind stubs with ids; the full texts are kept or lost.
func losing(keep bool) replay.PolicyMaker {
	return func(replay.PolicySetting) replay.Policy {
		return replay.Policy{HasRecall: true, StoreResult: replay.CutOnArrival(conversation.ArrivalCap{Chars: conversation.ResultMaxChars}, keep), Decide: func(l replay.PolicyInput) (replay.Decision, error) {
			var items []conversation.MaskItem
			for _, m := range l.View.Messages[:len(l.View.Messages)-1] {
				if m.Role == projection.RoleTool && m.State != projection.StateMasked {
					items = append(items, conversation.MaskItem{Event: m.Events[0], Part: conversation.PartResult})
				}
			}
			if len(items) == 0 {
				return replay.Decision{}, nil
			}
			return replay.Decision{Overlays: []conversation.Body{conversation.Mask{Style: conversation.StylePlimsoll, Version: projection.StubVersion, Items: items}}}, nil
		}}
	}
}

func TestLostTextsAreNotRecoverable(t *testing.T) {
	t.Parallel()
	one := (&builder{}).user("go").
		call("read", `{}`, "early/name.go"+text(40_000)+" late/name.go").
		call("read", `{}`, "x").
		reply("early/name.go and late/name.go")
	f, _ := figuresOf(t, losing(true), one)
	checkNear(t, "what can be had back", float64(f.Recoverable), 1)
	checkNear(t, "recall", float64(f.RecallTool), 0)
	f, _ = figuresOf(t, losing(false), one)
	checkNear(t, "what can be had back of lost texts", float64(f.Recoverable), 1/2.0)
}

func TestResultsAreStoredAsTheProgramStoresThem(t *testing.T) {
	t.Parallel()
	own := func(replay.PolicySetting) replay.Policy {
		return replay.Policy{StoreResult: replay.StoreResults(100_000)}
	}
	twice := func() *builder {
		return (&builder{}).user("go").call("read", `{}`, text(1000)).call("read", `{}`, text(1000)).reply("done")
	}
	f, _ := figuresOf(t, own, twice())
	raw, _ := figuresOf(t, policy(replay.Policy{}), twice())
	if saved := raw.TokensPeak - f.TokensPeak; saved < 150 || f.PrefixBreaks != 0 {
		t.Errorf("a repeated result saves %v tokens, %d breaks; want 150, none", saved, f.PrefixBreaks)
	}
	hidden := func(s replay.PolicySetting) replay.Policy {
		p := once(1, mask(conversation.StyleJCLI, 3))(s)
		p.StoreResult = replay.StoreResults(100_000)
		return p
	}
	one := (&builder{}).user("go").call("read", `{}`, text(1000)).call("look", `{}`, "x").call("read", `{}`, text(1000)).reply("done")
	f, _ = figuresOf(t, hidden, one)
	// The first one is a stub of 21 characters when the second arrives whole.
	checkNear(t, "the last request", f.TokensPeak, 4000+float64(2+6+21+6+1+6+1000)/4)
}
