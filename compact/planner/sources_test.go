package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// When the presets of the sources act. The figures are explained in
// plan_look_test.go; a plan that does nothing is "".

func TestD17AppliesAProfileWhenALongTurnHasEnded(t *testing.T) {
	t.Parallel()
	// Six turns in a window of 1,000 tokens, 200 of them for system prompt and tools:
	// three quarters at 2,200 characters of messages. Reasoning is not sent back.
	log := func(chars int) *compacttest.Tale {
		l := &compacttest.Tale{}
		for range 5 {
			l.User(strings.Repeat("u", 200)).Add(conversation.AssistantMessage{Text: strings.Repeat("a", 200), Reasoning: strings.Repeat("r", 5000)})
		}
		return l.User("u").Reply(strings.Repeat("a", chars-2001))
	}
	small := func(k *compacttest.Look) { k.Options.Window.Tokens, k.System = 1000, 200 }
	k := compacttest.ByPreset(preset.JPAuto, planner.MomentReply).With(small)
	if got := compacttest.Tell(k.Plan(log(2200))); got != "" {
		t.Errorf("three quarters: %s", got)
	}
	p := k.Plan(log(2204))
	if compacttest.Tell(p) != "threshold: profile default" || p.Used != 751 {
		t.Errorf("above: %q at %d", compacttest.Tell(p), p.Used)
	}
	if w := edit.RequestOf(p); p.Profile != "" && (w.Source != conversation.SourceAuto || w.Trigger != planner.TriggerThreshold || w.From == nil) {
		t.Errorf("%+v", w)
	}
	for name, change := range map[string]func(*compacttest.Look){
		"a window that is not known": func(k *compacttest.Look) { k.Options.Window.Tokens = 0 },
		"before a request":           func(k *compacttest.Look) { k.Check.Moment = planner.MomentRequest },
		"where a turn begins":        func(k *compacttest.Look) { k.Check.Moment = planner.MomentTurn },
		"six turns are not enough":   func(k *compacttest.Look) { k.Rules.Auto.MinTurns = 6 },
		"just taken back":            func(k *compacttest.Look) { k.Check.Past.Undone = 2000 },
		"turned off":                 func(k *compacttest.Look) { k.Rules.Auto.Enabled = false },
	} {
		if got := compacttest.Tell(k.With(change).Plan(log(3500))); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := compacttest.Tell(k.With(func(k *compacttest.Look) { k.Rules.Auto.MinTurns = 5 }).Plan(log(3500))); got == "" {
		t.Error("six turns are more than five")
	}
	heavy := compacttest.ByPreset(preset.JPHeavy, planner.MomentReply).With(small).With(func(k *compacttest.Look) { k.Rules.Auto.Enabled = true })
	if got := compacttest.Tell(heavy.Plan(log(3500))); got != "threshold: profile heavy" {
		t.Errorf("the heavy profile, turned on: %q", got)
	}
}

func TestD17LeavesNoTurnBehindThatKeepLastSparedOnce(t *testing.T) {
	t.Parallel()
	k := compacttest.ByPreset(preset.JPAuto, planner.MomentReply).With(func(k *compacttest.Look) { k.Options.Window.Tokens, k.System = 40_000, 3000 })
	l, passes := &compacttest.Tale{}, 0
	for range 14 {
		l.Stints(1)
		c := k.Of(l.Events())
		plan := c.Plan(k.Rules)
		if plan.Profile == "" {
			continue
		}
		pass, err := edit.NewProposal(c.Log, k.Rules, edit.Inputs{Meter: c.Meter, Now: compacttest.Noon}, edit.RequestOf(plan))
		if err != nil {
			t.Fatalf("turn %d: %v", len(c.Log)/4, err)
		}
		passes++
		l.Add(pass.Bodies(uint64(l.Log.Len() + 1))...)
		newest := c.Log[len(c.Log)-1].Turn
		for _, m := range projection.Project(l.Events()).Messages {
			if m.Role == projection.RoleTool && (m.State == projection.StateMasked) != (m.Turn <= newest-3) {
				t.Errorf("after the pass behind turn %d the result of turn %d is %s", newest, m.Turn, m.State)
			}
		}
	}
	if passes < 3 {
		t.Errorf("%d passes", passes)
	}
}

func TestONESummarisesAllButTheProtectedShareAfterAReply(t *testing.T) {
	t.Parallel()
	k := compacttest.ByPreset(preset.OneClaw, planner.MomentReply)
	if got := compacttest.Tell(k.Plan((&compacttest.Tale{}).Talks(17))); got != "" {
		t.Errorf("at 85 percent: %s", got)
	}
	// 25,000 tokens stay: the newest five turns.
	over := (&compacttest.Tale{}).Talks(17).Says(10).Answers(1)
	for name, c := range map[string]struct {
		change func(*compacttest.Look)
		want   string
	}{
		"above it":             {func(*compacttest.Look) {}, "threshold: cover 1-26, drops"},
		"after a failed call":  {func(k *compacttest.Look) { k.Check.Past.Failures = 1 }, "threshold: cover 1-26, drops"},
		"after two":            {func(k *compacttest.Look) { k.Check.Past.Failures = 2 }, "threshold: drops"},
		"after three":          {func(k *compacttest.Look) { k.Check.Past.Failures = 3 }, "threshold: drops"},
		"just compacted":       {func(k *compacttest.Look) { k.Check.Past.After = 84_000 }, "threshold: cover 1-26, drops"},
		"just taken back":      {func(k *compacttest.Look) { k.Check.Past.Undone = 84_000 }, ""},
		"before a request":     {func(k *compacttest.Look) { k.Check.Moment = planner.MomentRequest }, ""},
		"where a turn begins":  {func(k *compacttest.Look) { k.Check.Moment = planner.MomentTurn }, ""},
		"window not known":     {func(k *compacttest.Look) { k.Options.Window.Tokens = 0 }, ""},
		"more of it protected": {func(k *compacttest.Look) { k.Rules.ProtectedRatio = 0.5 }, "threshold: cover 1-16, drops"},
	} {
		if got := compacttest.Tell(k.With(c.change).Plan(over)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for name, l := range map[string]*compacttest.Tale{"one long question": (&compacttest.Tale{}).Says(95_000).Answers(1), "one long reply": (&compacttest.Tale{}).Answers(95_000)} {
		if got := compacttest.Tell(k.Plan(l)); got != "" {
			t.Errorf("%s, of which nothing may go: %q", name, got)
		}
	}
	if got := compacttest.Tell(k.Plan((&compacttest.Tale{}).Says(10).Answers(60_000).Says(40_000).Answers(1))); got != "threshold: cover 1-2, drops" {
		t.Errorf("a long question behind others: %q", got)
	}
}

// jcliWork is turns with a result each, of so many bytes.
func jcliWork(tool string, bytes ...int) *compacttest.Tale {
	l := (&compacttest.Tale{}).User("Go.")
	for _, n := range bytes {
		l.Call(tool, "{}", conversation.ResultOK, strings.Repeat("x", n))
	}
	return l
}

func TestJCLReplacesOldResultsBeforeEveryRequest(t *testing.T) {
	t.Parallel()
	old := []int{800, 801, 5000, 801}
	for range 9 {
		old = append(old, 801)
	}
	for _, m := range compacttest.Moments() {
		k := compacttest.ByPreset(preset.JCLI, m)
		want := "every request: mask e5 e7"
		if m == planner.MomentReply {
			want = ""
		}
		// 13 results, of which ten stay; 800 bytes are not over 800.
		if got := compacttest.Tell(k.Plan(jcliWork("read_file", old...))); got != want {
			t.Errorf("moment %d: %q", m, got)
		}
		if got := compacttest.Tell(k.Plan(jcliWork("todo_write", old...))); got != "" {
			t.Errorf("exempt, moment %d: %q", m, got)
		}
		if got := compacttest.Tell(k.Plan(jcliWork("read_file", old[3:]...))); got != "" {
			t.Errorf("ten results, moment %d: %q", m, got)
		}
	}
	p := compacttest.ByPreset(preset.JCLI, planner.MomentRequest).Plan(jcliWork("read_file", old...))
	if m, ok := p.Masks[0].(conversation.Mask); !ok || m.Style != conversation.StyleJCLI {
		t.Errorf("%+v", p.Masks)
	}
}

func TestJCLSummarisesEverythingAboveItsThreshold(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).Talks(3).User("And now?").Call("read_file", "{}", conversation.ResultOK, "x")
	k := compacttest.ByPreset(preset.JCLI, planner.MomentRequest).With(func(k *compacttest.Look) { k.System = 300 })
	size := k.Of(l.Events()).Meter.Reading().Used
	if size < 15_300 {
		t.Fatalf("system prompt and tools count, and there are %d tokens", size)
	}
	limit := func(tokens int) func(*compacttest.Look) {
		return func(k *compacttest.Look) { k.Rules.TokenThreshold = tokens }
	}
	for name, c := range map[string]struct {
		change func(*compacttest.Look)
		want   string
	}{
		"at it":               {limit(size), ""},
		"above it":            {limit(size - 1), "threshold: cover 1-6"},
		"in a small window":   {func(k *compacttest.Look) { k.Options.Window.Tokens = 1000 }, ""},
		"no threshold":        {limit(0), ""},
		"its own":             {limit(204_800), ""},
		"after a reply":       {func(k *compacttest.Look) { limit(10)(k); k.Check.Moment = planner.MomentReply }, ""},
		"where a turn begins": {func(k *compacttest.Look) { limit(10)(k); k.Check.Moment = planner.MomentTurn }, "threshold: cover 1-6"},
		"no window":           {func(k *compacttest.Look) { limit(10)(k); k.Options.Window.Tokens = 0 }, "threshold: cover 1-6"},
		"after one failure":   {func(k *compacttest.Look) { limit(10)(k); k.Check.Past.Failures = 1 }, "threshold: cover 1-6"},
		"after two":           {func(k *compacttest.Look) { limit(10)(k); k.Check.Past.Failures = 2 }, "threshold: cover 1-6"},
		"after three":         {func(k *compacttest.Look) { limit(10)(k); k.Check.Past.Failures = 3 }, ""},
	} {
		if p := k.With(c.change).Plan(l); compacttest.Tell(p) != c.want || p.Acts() && p.Used != k.Of(l.Events()).Meter.Reading().Used {
			t.Errorf("%s: %q, want %q", name, compacttest.Tell(p), c.want)
		}
	}
	if got := compacttest.Tell(k.With(limit(10)).Plan((&compacttest.Tale{}).Says(1000))); got != "" {
		t.Errorf("nothing may be covered: %q", got)
	}
}

// edits is a call of a tool per file, with long arguments and results.
func edits(files ...string) *compacttest.Tale {
	l := (&compacttest.Tale{}).User("Go.")
	for i, f := range files {
		l.Call("edit", fmt.Sprintf(`{"path":%q,"text":%q}`, f, strings.Repeat("t", 101+i)), conversation.ResultOK, strings.Repeat("r", 2000))
	}
	return l
}

func identified(k *compacttest.Look) {
	k.Rules.Dedupe.ToolIdentifierFields = map[string][]string{"edit": {"path"}}
}

func TestADAOmitsWhatNewerCallsRepeatBeforeEveryRequest(t *testing.T) {
	t.Parallel()
	for _, m := range compacttest.Moments() {
		k := compacttest.ByPreset(preset.Adachsoft, m).With(identified)
		want := "every request: mask e2 call_1 e3"
		if m == planner.MomentReply {
			want = ""
		}
		p := k.Plan(edits("a", "b", "a"))
		if compacttest.Tell(p) != want {
			t.Errorf("moment %d: %q", m, compacttest.Tell(p))
		}
		if got := compacttest.Tell(k.Plan(edits("a", "b", "c"))); got != "" {
			t.Errorf("moment %d, nothing repeated: %q", m, got)
		}
		if want != "" {
			if mask, _ := p.Masks[0].(conversation.Mask); mask.Style != conversation.StyleAdachsoft {
				t.Errorf("%+v", p.Masks)
			}
		}
	}
	full := compacttest.ByPreset(preset.Adachsoft, planner.MomentRequest).With(identified)
	if got := compacttest.Tell(full.Plan((&compacttest.Tale{}).Talks(30))); got != "" {
		t.Errorf("above every line it has no other layer: %q", got)
	}
}
