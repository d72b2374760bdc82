package agent_test

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// The lists of ONE (OneClaw FEAT-011), each line a test by its own words: under
// the preset oneclaw as the source has it, and where the words mean something
// there, under plimsoll as the rules of this program have it. A line that is
// about another package stands there, in oneclaw_test.go.
//
// The talk they are about is in a window of 10,000 tokens, of which each turn
// fills some 1,030: the threshold of ONE is at 8,500, so that the ninth turn is
// above it, the hard line at 9,500, and the newest 2,500 are protected, which is
// two turns.

const talkWindow = 10_000

// line is a line of a list with what it says of a preset.
type line struct {
	says  string
	holds func(t *testing.T, p preset.Name)
	only  preset.Name // "": both
}

// lines runs each line under both presets.
func lines(t *testing.T, all []line) {
	t.Parallel()
	for _, l := range all {
		t.Run(l.says, func(t *testing.T) {
			t.Parallel()
			for _, p := range []preset.Name{preset.OneClaw, preset.Plimsoll} {
				if l.only != "" && p != l.only {
					continue
				}
				t.Run(string(p), func(t *testing.T) { bubble(t, func(t *testing.T) { l.holds(t, p) }) })
			}
		})
	}
}

// voices is a provider with a script for replies and another one for summaries,
// which may be asked for beside each other.
type voices struct{ replies, summaries llm.Provider }

func (v voices) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	last := r.Messages[len(r.Messages)-1].Text
	if strings.HasSuffix(last, "Write the summary now, and nothing else.") || strings.HasPrefix(last, "This is a request of the program") {
		return v.summaries.Stream(ctx, r)
	}
	return v.replies.Stream(ctx, r)
}

// talker is a rig with a script of its own for summaries.
type talker struct {
	*rig
	summaries *agenttest.Provider
	preset    preset.Name
}

// talksUnder is an idle talker with the rules of a preset.
func talksUnder(t *testing.T, p preset.Name, change func(*core.Options), summaries ...agenttest.Reply) *talker {
	t.Helper()
	s := agenttest.NewProvider(summaries...)
	r := start(t, func(o *core.Options) {
		o.Rules, o.Model.Window.Tokens = preset.RulesOf(p), talkWindow
		if p == preset.Plimsoll {
			o.Rules.TriggerRatio += 1e-9 // the default lies nearer the hard line in small windows
		}
		o.Provider = voices{o.Provider, s}
		if change != nil {
			change(o)
		}
	})
	t.Cleanup(r.end) // a test that gives up leaves nothing behind
	return &talker{r, s, p}
}

// after is a talker in which turns were said.
func after(t *testing.T, p preset.Name, turns int, change func(*core.Options), summaries ...agenttest.Reply) *talker {
	t.Helper()
	k := talksUnder(t, p, change, summaries...)
	k.turns(0, turns)
	return k
}

// turns says so many turns more, with replies of 1,000 tokens.
func (k *talker) turns(from, n int) {
	for i := range n {
		k.hears(from+i, 1000)
	}
}

// hears is a turn with a reply of so many tokens.
func (k *talker) hears(turn, tokens int) {
	k.provider.Add(answers(spoken(turn, tokens)))
	k.say(asked(turn))
}

// gets is a turn with a short reply.
func (k *talker) gets(question, answer string, more ...agenttest.Reply) {
	k.provider.Add(agenttest.Join(append([]agenttest.Reply{answers(answer)}, more...)...))
	k.say(question)
}

func asked(turn int) string { return fmt.Sprintf("question %d of the talk", turn) }

// spoken is a reply of so many tokens that names its turn all along.
func spoken(turn, tokens int) string {
	return strings.Repeat(fmt.Sprintf("words of turn %d, ", turn), tokens)[:4*tokens-1] + "."
}

// ends stops a talker, of which nothing may run on.
func (k *talker) ends() {
	k.t.Helper()
	k.finish()
	if n := k.summaries.Running(); n != 0 {
		k.t.Errorf("%d requests for summaries outlived the agent", n)
	}
	if f := k.failures(); len(f) != 0 {
		k.t.Errorf("the conversation failed: %v", f)
	}
}

// answered checks that the conversation goes on.
func (k *talker) answered(question string) {
	k.t.Helper()
	k.gets(question, "fine, "+question)
	k.idle()
	if got := said(k.memory.Events()); got[len(got)-1] != "assistant stop fine, "+question || got[len(got)-2] != "user "+question {
		k.t.Errorf("the newest that was said is %q", got[len(got)-2:])
	}
}

// asks checks how many summaries were asked for.
func (k *talker) asks(want int) {
	k.t.Helper()
	if got := len(k.summaries.Requests()); got != want {
		k.t.Fatalf("%d requests for summaries, want %d", got, want)
	}
}

// stories are the summaries in the log that hold a text, oldest first.
func (k *talker) stories() []conversation.Summary {
	var out []conversation.Summary
	for _, e := range k.overlays() {
		if s, isSummary := e.Body.(conversation.Summary); isSummary && s.Text != "" {
			out = append(out, s)
		}
	}
	return out
}

// trimmed is how often the user was told that the history was trimmed.
func (k *talker) trimmed() int {
	n := 0
	for _, c := range k.made() {
		if c.Trimmed {
			n++
		}
	}
	return n
}

// untouched checks that nothing was compacted and nobody was told anything. Under
// plimsoll a summary may have been prepared.
func (k *talker) untouched() {
	k.t.Helper()
	begun := 0
	if k.preset != preset.Plimsoll {
		k.asks(0)
		begun = len(agenttest.Of[updates.Compacting](k.watch))
	}
	if len(k.overlays())+len(k.attempts())+len(k.made())+len(k.refused())+begun != 0 {
		k.t.Errorf("overlays %v, attempts %v, told %v and %v", brief(k.overlays()), k.attempts(), k.made(), k.refused())
	}
}

// down is a call that fails for a reason that may pass.
func down() agenttest.Reply { return agenttest.Fail(fault()) }

// passes lets the time of a retry pass.
func (k *talker) passes() {
	time.Sleep(2 * time.Second)
	k.wait()
}

// reports is a last reply by whose report the talk has so many tokens.
func (k *talker) reports(tokens int) {
	k.gets("and what of it?", "all of it", agenttest.Used(tokens-100, 100))
}

func TestOneClawFunctionalTests(t *testing.T) {
	lines(t, []line{
		{says: "Verify compact triggers when token count exceeds 85% threshold", holds: compactTriggers},
		{says: "Verify compact does not trigger when under threshold", holds: compactDoesNotTrigger},
		{says: "Verify compact does not trigger when model context window is null", holds: windowIsNull},
		{says: "Verify protected window calculation (most recent 25% by tokens)", holds: protectedWindow},
		{says: "Verify summary is stored in Session.compactedSummary", holds: summaryIsStored},
		{says: "Verify original messages remain unchanged in DB", holds: originalsRemain},
		{says: "Verify subsequent API requests use summary + recent messages only", holds: requestsUseTheSummary},
		{says: "Verify multiple compactions merge into one cumulative summary", holds: compactionsMerge},
		{says: "Verify compact failure retry (one retry)", holds: oneRetry},
		{says: "Verify fallback to truncation on double failure", holds: fallback},
		{says: "Verify Snackbar shown on fallback", holds: snackbar},
		{says: "Verify tool result truncation at 30K characters", holds: resultIsCut},
		{says: "Verify truncation marker is appended", holds: resultIsMarked},
		{says: "Verify tool results under 30K are not modified", holds: resultIsWhole},
	})
}

func compactTriggers(t *testing.T, p preset.Name) {
	k := after(t, p, 7, nil, summarises(account))
	k.untouched()
	k.reports(8501)
	k.asks(1)
	want := map[preset.Name]string{preset.OneClaw: planner.TriggerThreshold, preset.Plimsoll: planner.TriggerLoadLine}[p]
	s := k.stories()
	if len(s) != 1 || s[0].Made.Source != conversation.SourceAuto || s[0].Made.Trigger != want {
		t.Errorf("made %+v, refused %v", s, k.refused())
	}
	k.ends()
}

func compactDoesNotTrigger(t *testing.T, p preset.Name) {
	k := after(t, p, 7, nil, summarises(account))
	k.reports(8500) // exactly 85 percent is not above it
	if got := k.reading(); got.Used != 8500 || got.LoadLine != 8500 {
		t.Errorf("used %d, and the load line is at %d", got.Used, got.LoadLine)
	}
	k.untouched()
	k.ends()
}

func windowIsNull(t *testing.T, p preset.Name) {
	k := after(t, p, 14, func(o *core.Options) { o.Model.Window = meter.Window{} })
	k.untouched()
	k.ends()
	if n := k.notices(); len(n) != 0 {
		t.Errorf("the user is told %q", n)
	}
}

func protectedWindow(t *testing.T, p preset.Name) {
	k := talksUnder(t, p, nil, summarises(account))
	for i, tokens := range []int{1500, 1500, 1500, 1500, 900, 700, 600, 900} {
		k.hears(i, tokens)
	}
	k.asks(1)
	kept := 0.0 // of the newest, in tokens
	var newest []string
	for _, m := range slices.Backward(projection.Project(k.memory.Events()).Messages) {
		if m.State != projection.StateVerbatim {
			break
		}
		kept += meter.Estimate(m.Size) + meter.FramingTokens
		newest = append(newest, m.Text)
	}
	// Three turns have some 2,300 tokens; the reply before them has 900.
	if p == preset.OneClaw && (kept > 2500 || kept+904 <= 2500 || len(newest) != 6 || newest[5] != asked(5)) {
		t.Errorf("%d messages of %.0f tokens stand, the oldest of them %.40q", len(newest), kept, newest[len(newest)-1])
	}
	if p == preset.Plimsoll && (len(newest) < 6 || kept < 2200) {
		t.Errorf("only %d messages of %.0f tokens stand", len(newest), kept)
	}
	k.ends()
}

func summaryIsStored(t *testing.T, p preset.Name) {
	k := after(t, p, 9, nil, summarises(account))
	s := k.stories()
	if len(s) != 1 || s[0].Text != account || s[0].Model != "test/m" || s[0].Made.Preset != string(p) || s[0].FromTurn != 0 {
		t.Fatalf("stored %+v", s)
	}
	if again, err := conversation.NewLog(k.memory.Events()); err != nil || again.Len() != len(k.memory.Events()) {
		t.Errorf("it cannot be loaded: %v", err)
	}
	if p == preset.OneClaw && (s[0].ToTurn != 6 || s[0].Appendix != "" || s[0].Input != string(preset.InputRaw)) {
		t.Errorf("stored %+v", s[0]) // the newest two turns are not part of it, nor is anything added
	}
	k.ends()
}

func originalsRemain(t *testing.T, p preset.Name) {
	gate := agenttest.NewGate()
	k := after(t, p, 9, nil, agenttest.Join(agenttest.Hold(gate), summarises(account)))
	before := k.memory.Events()
	gate.Open()
	k.wait()
	if len(k.stories()) != 1 {
		t.Fatal("nothing was compacted")
	}
	if diff := cmp.Diff(before, k.memory.Events()[:len(before)]); diff != "" {
		t.Error(diff)
	}
	k.ends()
}

func requestsUseTheSummary(t *testing.T, p preset.Name) {
	k := after(t, p, 9, nil, summarises(account))
	k.answered("and now?")
	got := onWire(k.last().Messages)
	recent := []wire{
		{Role: "user", Text: asked(7)}, {Role: "assistant", Text: spoken(7, 1000)},
		{Role: "user", Text: asked(8)}, {Role: "assistant", Text: spoken(8, 1000)}, {Role: "user", Text: "and now?"},
	}
	if p == preset.OneClaw {
		want := append([]wire{{Role: "user", Text: "Summary of the earlier conversation:\n\n" + account}}, recent...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	all := fmt.Sprint(got)
	if diff := cmp.Diff(recent, got[max(0, len(got)-len(recent)):]); diff != "" || strings.Count(all, account) != 1 || strings.Contains(all, "words of turn 3") {
		t.Errorf("sent %d messages: %s", len(got), diff)
	}
	if p == preset.Plimsoll && !strings.Contains(got[0].Text, asked(0)) {
		t.Errorf("the first question does not stand: %.80q", got[0].Text)
	}
	if k.last().System != "be brief" {
		t.Errorf("the system prompt is %q", k.last().System) // a summary is never part of it
	}
	k.ends()
}

// further is another summary that counts.
const further = account + "\n### Later\nThe later turns of the talk went on in the same way, and nothing of what was settled before was changed in them."

// anew is a summary that counts and repeats nothing of account: plimsoll's stand beside
// each other.
const anew = "### Goal\nMore of the talk is gone through in later turns, one question in each of them (t6 and later).\n" +
	"### Done\nEvery question had a long reply that names its turn; nothing was settled in them that has to be kept.\n" +
	"### Next step\nAnswer the next question as those before it."

// next is the summary that a model writes second under a preset.
func next(p preset.Name) string {
	if p == preset.Plimsoll {
		return anew
	}
	return further
}

func compactionsMerge(t *testing.T, p preset.Name) {
	k := after(t, p, 9, nil, summarises(account), summarises(next(p)))
	k.turns(9, 7)
	k.asks(2)
	s := k.stories()
	if len(s) != 2 {
		t.Fatalf("%d summaries, refused %v", len(s), k.refused())
	}
	k.answered("and now?")
	wants := onWire(k.summaries.Requests()[1].Messages)
	asks, sent := wants[len(wants)-1].Text, fmt.Sprint(onWire(k.last().Messages))
	if p == preset.OneClaw {
		if !strings.Contains(asks, "words of turn 9") || strings.Contains(asks, "words of turn 3") || !strings.Contains(asks, "The user goes through the listings") {
			t.Errorf("the second one is made of %.300q", asks)
		}
		if s[1].Input != string(preset.InputMerged) || s[1].Depth != 1 || s[1].FromTurn != 0 || s[1].ToTurn != 13 {
			t.Errorf("stored %+v", s[1])
		}
	}
	// One block either way; the summaries of plimsoll stand beside each other in it.
	if n := strings.Count(sent, account); n != 1 || strings.Count(sent, next(p)) != 1 {
		t.Errorf("sent the first %d times", n)
	}
	blocks := 0
	for _, m := range k.last().Messages {
		if m.State == projection.StateSummarised {
			blocks++
		}
	}
	if blocks != 1 {
		t.Errorf("%d blocks", blocks)
	}
	k.ends()
}

func oneRetry(t *testing.T, p preset.Name) {
	k := after(t, p, 9, nil, down(), summarises(account))
	k.passes()
	k.asks(2)
	r := k.summaries.Requests()
	if !reflect.DeepEqual(r[0], r[1]) {
		t.Error("the second request is another one")
	}
	if len(k.stories()) != 1 || len(k.attempts())+len(k.refused())+k.trimmed() != 0 {
		t.Errorf("%d summaries, attempts %v, told %v", len(k.stories()), k.attempts(), k.refused())
	}
	k.answered("and now?")
	k.ends()
}
