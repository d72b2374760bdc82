package replay_test

import (
	"fmt"
	"slices"
	"testing"

	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/replay"
	"plimsoll/conversation"
)

// A policy that is broken on purpose is caught by the figure that is there for it.

// work is a conversation of one turn of steps.
func work(steps, chars int) *tale {
	one := (&tale{}).user("do it all")
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
	f, _ := seen(t, orphans, work(3, 100))
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
		if f, _ := seen(t, p, work(1, 100)); f.Violations == 0 {
			t.Errorf("%s: no violation", name)
		}
	}
}

func TestRequestsHaveAnOrder(t *testing.T) {
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

// losing is a policy that cuts results on arrival and hides all but the newest
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
	one := (&tale{}).user("go").
		call("read", `{}`, "early/name.go"+text(40_000)+" late/name.go").
		call("read", `{}`, "x").
		reply("early/name.go and late/name.go")
	f, _ := seen(t, losing(true), one)
	near(t, "what can be had back", float64(f.Recoverable), 1)
	near(t, "recall", float64(f.RecallTool), 0)
	f, _ = seen(t, losing(false), one)
	near(t, "what can be had back of lost texts", float64(f.Recoverable), 1/2.0)
}

func TestNibblingOnEveryRequestIsDearerThanNothing(t *testing.T) {
	t.Parallel()
	f, _ := seen(t, losing(true), work(30, 1000))
	if f.PrefixBreaks != 29 {
		t.Errorf("%d breaks in 31 requests, want one for each result that is not the newest", f.PrefixBreaks)
	}
	patient, _ := seen(t, policy(replay.Policy{}), work(30, 1000))
	if patient.PrefixBreaks != 0 || patient.SessionsWorse["anthropic-1h"] != 0 {
		t.Errorf("the figures of doing nothing are %+v", patient)
	}
	// A newest part that has to be written again with every request costs more than what the masks save.
	tail := func(replay.PolicySetting) replay.Policy {
		return replay.Policy{Decide: func(l replay.PolicyInput) (replay.Decision, error) {
			rules := preset.RulesOf(preset.JCLI)
			items := planner.MicroItems(l.View, rules)
			if len(items) == 0 {
				return replay.Decision{}, nil
			}
			return replay.Decision{Overlays: []conversation.Body{conversation.Mask{Style: conversation.StyleJCLI, Version: projection.StubVersion, Items: items}}}, nil
		}}
	}
	f, _ = seen(t, tail, work(30, 4000))
	if f.SessionsWorse["anthropic-1h"] != 1 || !(f.WorstFit["anthropic-1h"] > 1) {
		t.Errorf("%d sessions are worse, at worst %v times", f.SessionsWorse["anthropic-1h"], f.WorstFit["anthropic-1h"])
	}
}

func TestResultsAreStoredAsTheProgramStoresThem(t *testing.T) {
	t.Parallel()
	own := func(replay.PolicySetting) replay.Policy {
		return replay.Policy{StoreResult: replay.StoreResults(100_000)}
	}
	twice := func() *tale {
		return (&tale{}).user("go").call("read", `{}`, text(1000)).call("read", `{}`, text(1000)).reply("done")
	}
	f, _ := seen(t, own, twice())
	raw, _ := seen(t, policy(replay.Policy{}), twice())
	if saved := raw.TokensPeak - f.TokensPeak; saved < 150 || f.PrefixBreaks != 0 {
		t.Errorf("a repeated result saves %v tokens, %d breaks; want 150, none", saved, f.PrefixBreaks)
	}
	hidden := func(s replay.PolicySetting) replay.Policy {
		p := once(1, mask(conversation.StyleJCLI, 3))(s)
		p.StoreResult = replay.StoreResults(100_000)
		return p
	}
	one := (&tale{}).user("go").call("read", `{}`, text(1000)).call("look", `{}`, "x").call("read", `{}`, text(1000)).reply("done")
	f, _ = seen(t, hidden, one)
	// The first one is a stub of 21 characters when the second arrives whole.
	near(t, "the last request", f.TokensPeak, 4000+float64(2+6+21+6+1+6+1000)/4)
}
