package edit_test

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// toSummarise is a proposal over all turns but the newest that needs a summary.
func toSummarise(t *testing.T, log []conversation.Event) edit.Proposal {
	t.Helper()
	w := edit.NewRequest()
	w.Profile, w.KeepLast = preset.ProfileHeavy, 1
	s := edit.Inputs{Meter: meter.New(meter.Options{}).WithView(projection.Project(log))}
	proposal, err := edit.NewProposal(log, preset.RulesOf(preset.Plimsoll), s, w)
	conversationtest.Must(t, err)
	return proposal
}

const asWritten = "### Goal\nThe file a.go was changed in each turn, with modify_file, and each time that worked. Nothing else was touched, and no test has been run on it so far.\n### Next step\nLook at it again when the user asks."

// written is such a proposal with its summary, which took 2.5 seconds.
func written(t *testing.T, log []conversation.Event) edit.Proposal {
	t.Helper()
	proposal := toSummarise(t, log)
	conversationtest.Must(t, proposal.Accept(summary.Answer{Text: " " + asWritten + "\n", Stop: conversation.StopEnd, Model: "test/m", Took: 2500 * time.Millisecond}))
	return proposal
}

func summaryIn(t *testing.T, proposal edit.Proposal) conversation.Summary {
	t.Helper()
	for _, b := range proposal.Bodies(99) {
		if s, ok := b.(conversation.Summary); ok {
			return s
		}
	}
	t.Fatal("the proposal has no summary")
	return conversation.Summary{}
}

func TestUserCanEditASummary(t *testing.T) {
	t.Parallel()
	proposal := written(t, editTurns(5))
	kept := summaryIn(t, proposal)
	same, err := proposal.WithText("\n" + asWritten + "  ")
	if err != nil || same.Edited() {
		t.Fatalf("with the same text Edited is %t, want false; error %v", same.Edited(), err)
	}
	if diff := cmp.Diff(kept, summaryIn(t, same)); diff != "" {
		t.Error(diff)
	}
	changed, err := proposal.WithText("Only a.go matters.\x00 " + asWritten)
	if err != nil || !changed.Edited() {
		t.Fatalf("with another text Edited is %t, want true; error %v", changed.Edited(), err)
	}
	want := kept
	want.Text, want.Edited = "Only a.go matters.\u2400 "+asWritten, true
	got := summaryIn(t, changed)
	want.Origin = got.Origin
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.Origin.After <= kept.Origin.After || got.Origin.Before != kept.Origin.Before {
		t.Errorf("the longer text compacts %d to %d, the original %d to %d", got.Origin.Before, got.Origin.After, kept.Origin.Before, kept.Origin.After)
	}
	back, err := changed.WithText(asWritten)
	if err != nil || summaryIn(t, back).Text != asWritten {
		t.Errorf("the original text is not restored, error %v", err)
	}
	if diff := cmp.Diff(kept, summaryIn(t, proposal)); diff != "" || proposal.Edited() {
		t.Errorf("the proposal itself was changed: %s", diff)
	}
}

func TestEditedSummaryMustHaveAnAcceptableLength(t *testing.T) {
	t.Parallel()
	proposal := written(t, editTurns(12))
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"nothing":     {" \n\t", summary.ErrEmpty},
		"dashes":      {"-- --", summary.ErrEmpty},
		"a few words": {"it went well", summary.ErrShort},
		"too much":    {strings.Repeat("words ", 40_000), summary.ErrLong},
	} {
		if _, err := proposal.WithText(c.text); !errors.Is(err, c.want) || !errors.Is(err, summary.ErrRefused) {
			t.Errorf("%s: the edit's error is %v", name, err)
		}
		if s := summaryIn(t, proposal); s.Text != asWritten || s.Edited {
			t.Errorf("%s: a refused edit changed the proposal to %q", name, s.Text)
		}
	}
	// Mistakes of models, such as a refusal to answer, are not checked in a user's text.
	if _, err := proposal.WithText("I'm sorry, " + strings.Repeat("but this is what I want to be kept of it. ", 6)); err != nil {
		t.Error(err)
	}
}

// Turns with a summary are summarised again from the original messages, and the length
// is compared with these: the view must not grow.

func proposeHeavy(t *testing.T, l *compacttest.LogBuilder, p preset.Name, focus string, keep int) (edit.Proposal, error) {
	t.Helper()
	r := preset.RulesOf(p)
	r.KeepLast = keep
	w := edit.NewRequest()
	w.Profile, w.Focus = preset.ProfileHeavy, focus
	v := projection.Project(l.Events())
	m := meter.New(compacttest.Window(100_000)).WithView(v)
	return edit.NewProposal(l.Events(), r, edit.Inputs{Meter: m, Now: compacttest.Noon, Cold: true}, w)
}

// withSummary commits a proposal with a summary of so many tokens.
func withSummary(t *testing.T, l *compacttest.LogBuilder, proposal edit.Proposal, tokens int) *compacttest.LogBuilder {
	t.Helper()
	conversationtest.Must(t, proposal.Accept(answerOf("Port %d is free. ", tokens)))
	return l.Add(proposal.Bodies(uint64(l.Log.Len() + 1))...)
}

// answerOf is an answer of so many estimated tokens.
func answerOf(line string, tokens int) summary.Answer {
	var b strings.Builder
	for n := 0; meter.Estimate(conversation.Measure(b.String())) < float64(tokens)-4; n++ {
		fmt.Fprintf(&b, line, n)
	}
	return summary.Answer{Text: b.String(), Stop: conversation.StopEnd, Model: "test/m"}
}

// requestedLength is the length that a job's instructions name, in tokens.
func requestedLength(t *testing.T, job *summary.Job) int {
	t.Helper()
	found := regexp.MustCompile(`Use at most (\d+) tokens`).FindStringSubmatch(job.System)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(found[1]) // by the pattern
	return n
}

func TestSummaryOverASummaryIsJudgedByTheOriginalMessages(t *testing.T) {
	t.Parallel()
	for _, p := range []preset.Name{preset.Plimsoll, preset.JPHeavy, preset.OneClaw, preset.JCLI} {
		for name, grow := range map[string]int{"another focus": 0, "a range that grew by a turn": 1} {
			l := (&compacttest.LogBuilder{}).ChatTurns(4) // 20,000 tokens
			first, err := proposeHeavy(t, l, p, "", 1)
			conversationtest.Must(t, err)
			withSummary(t, l, first, 800)
			for range grow {
				l.UserTokens(10).ReplyTokens(40)
			}
			proposal, err := proposeHeavy(t, l, p, "the ports", 1)
			if err != nil {
				t.Fatalf("%s, %s: %v", p, name, err)
			}
			if n := proposal.Job.CoveredTokens; n < 14_000 {
				t.Errorf("%s, %s: the summary covers %d tokens, want 14000 at least", p, name, n)
			}
			if n, was := requestedLength(t, proposal.Job), requestedLength(t, first.Job); n > 0 && (grow == 0 && n != was || n < 400 || n > was) {
				t.Errorf("%s, %s: the requested length is %d tokens, of the first summary %d", p, name, n, was)
			}
			most := proposal.Preview().Summary.Estimate
			if again, stood := proposal, most-1200*grow; grow == 0 {
				if most < 950 || most > 1050 {
					t.Errorf("%s: the bound is %d tokens, want 950 to 1050", p, most)
				}
				if err := again.Accept(answerOf("Gate %d is open. ", stood-20)); err != nil {
					t.Errorf("%s: a summary almost a quarter longer is refused: %v", p, err)
				}
				same := proposal
				if err := same.Accept(answerOf("Port %d is free. ", 800)); err != nil {
					t.Errorf("%s: an identical summary is refused: %v", p, err)
				}
			}
			tooLong, then := proposal, proposal
			if err := tooLong.Accept(answerOf("Gate %d is open. ", most+60)); !errors.Is(err, summary.ErrLong) {
				t.Errorf("%s, %s: a summary 60 tokens above %d: error %v, want too long", p, name, most, err)
			}
			if err := then.Accept(answerOf("Gate %d is open. ", 700)); err != nil {
				t.Errorf("%s, %s: %v", p, name, err)
			} else if preview := then.Preview(); preview.After >= preview.Before {
				t.Errorf("%s, %s: the view grows from %d to %d", p, name, preview.Before, preview.After)
			} else if l := preview.Layers; len(l) != 1 || l[0].Saved < preview.Before-preview.After-2 || l[0].Saved > preview.Before-preview.After+2 {
				t.Errorf("%s, %s: %d tokens saved, the layers say %+v", p, name, preview.Before-preview.After, l)
			}
			if as := proposal; as.Accept(answerOf("Gate %d is free. ", 800)) != nil {
				t.Errorf("%s, %s: a summary as long as the first is refused", p, name)
			}
		}
	}
}

func TestSummaryThatCannotBeShortEnoughIsNotRequested(t *testing.T) {
	t.Parallel()
	for _, p := range []preset.Name{preset.Plimsoll, preset.JPHeavy, preset.OneClaw, preset.JCLI} {
		l := (&compacttest.LogBuilder{}).UserTokens(10).ReplyTokens(990).UserTokens(10).ReplyTokens(990).UserTokens(10).ReplyTokens(990)
		first, err := proposeHeavy(t, l, p, "", 1)
		conversationtest.Must(t, err)
		withSummary(t, l, first, 12)
		if _, err := proposeHeavy(t, l, p, "the ports", 1); !errors.Is(err, edit.ErrNothingToGain) {
			t.Errorf("%s: a view of a dozen tokens: %v, want nothing to gain", p, err)
		}
		if _, err := proposeHeavy(t, (&compacttest.LogBuilder{}).User("Hi.").Reply("Hello."), p, "", 0); !errors.Is(err, edit.ErrNothingToGain) {
			t.Errorf("%s: a view of two words: %v, want nothing to gain", p, err)
		}
	}
}

// In the mode raw-union a summary covers earlier ones too and is written from all their
// messages; in the mode bands it covers only new messages.
func TestSummaryCoversEarlierOnesInModeRawUnion(t *testing.T) {
	t.Parallel()
	for mode, whole := range map[preset.SummaryMode]bool{preset.ModeSeparate: false, preset.ModeRawUnion: true} {
		log := compacttest.FilesRead(6, 40).User("And now?").Events()
		r := preset.RulesOf(preset.Plimsoll)
		r.Summary.Mode = mode
		proposal := func(first, last uint64) edit.Proposal {
			s := edit.Inputs{Meter: meter.New(compacttest.Window(100_000)).WithView(projection.Project(log)), Now: conversationtest.Epoch, Cold: true}
			p, err := edit.ProposeSummary(log, r, s, []conversation.Span{{First: first, Last: last}}, conversation.Origin{})
			conversationtest.Must(t, err)
			conversationtest.Must(t, p.Extract())
			return p
		}
		unit := uint64(len(log)-1) / 6
		first := proposal(1, 3*unit)
		log = append(log, conversation.NextEvents(log, conversationtest.Epoch, first.Bodies(0)...)...)
		second := proposal(3*unit+1, 5*unit)
		log = append(log, conversation.NextEvents(log, conversationtest.Epoch, second.Bodies(0)...)...)
		if covers := second.Spans[0].First == 1; covers != whole {
			t.Errorf("%s: the second summary covers %v", mode, second.Spans)
		}
		told := 0
		for _, m := range projection.Project(log).Messages {
			if m.State == projection.StateSummarised {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s: the view has %d summaries, want 1", mode, told)
		}
	}
}

// checkReadingAfter checks the reading after a proposal against its preview.
func checkReadingAfter(t interface {
	Helper()
	Error(...any)
	Errorf(string, ...any)
}, proposal *edit.Proposal, now meter.Reading) meter.Reading {
	t.Helper()
	then, p, sum := proposal.ReadingAfter(), proposal.Preview(), 0
	for _, seg := range projection.Segments() {
		if sum += then.Segments[seg]; then.Segments[seg] < 0 {
			t.Errorf("segment %v has %d tokens", seg, then.Segments[seg])
		}
	}
	if then.Used != p.After || sum != then.Used || then.AfterSend != then.Used+then.Segments[projection.Draft] {
		t.Errorf("the reading has %d tokens, segments %d, %d after sending; preview %d", then.Used, sum, then.AfterSend, p.After)
	}
	if diff := cmp.Diff([]any{now.Window, now.LoadLine, now.HardLine, now.Reserve, now.CostUSD, now.Segments[projection.Draft]},
		[]any{then.Window, then.LoadLine, then.HardLine, then.Reserve, then.CostUSD, then.Segments[projection.Draft]}); diff != "" {
		t.Error(diff)
	}
	return then
}

func TestReadingAfterAgreesWithThePreview(t *testing.T) {
	t.Parallel()
	proposals, summaries := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		log := compacttest.AnyLog(rt)
		m := meter.New(meter.Options{
			Window: meter.Window{Tokens: 30_000}, EchoReasoning: rapid.Bool().Draw(rt, "echo"),
			Calibration: conversation.Calibration{Factor: rapid.Float64Range(0.5, 2).Draw(rt, "factor"), Samples: 3},
		}).WithPrompt(conversation.Measure("be brief"), conversation.Size{}).WithView(projection.Project(log)).
			WithHistory(log, "test/m").WithDraft(conversation.Measure("and then?"), rapid.IntRange(0, 2).Draw(rt, "drafts"))
		w := edit.NewRequest()
		w.Profile, w.KeepLast = rapid.SampledFrom([]string{preset.ProfileDefault, preset.ProfileHeavy}).Draw(rt, "profile"), 1
		proposal, err := edit.NewProposal(log, preset.RulesOf(preset.Plimsoll), edit.Inputs{Meter: m, Now: time.Unix(0, 0)}, w)
		if err != nil {
			return
		}
		proposals++
		then := checkReadingAfter(rt, &proposal, m.Reading())
		if proposal.Job == nil {
			return
		}
		summaries++
		if n := proposal.Preview().Summary.Estimate; n > 0 && then.Segments[projection.Summary] == 0 {
			rt.Errorf("a summary of %d tokens has none of %d", n, then.Used)
		}
	})
	if (proposals < 10 || summaries < 5) && !testing.Short() {
		t.Errorf("only %d proposals, %d with a summary", proposals, summaries)
	}
}

// editTurns is a log of turns in each of which a reply with reasoning changes a file.
func editTurns(turns int) []conversation.Event {
	var bodies []conversation.Body
	for range turns {
		bodies = append(bodies,
			conversation.UserMessage{Text: "look at it"},
			conversation.AssistantMessage{Reasoning: "I should look.", Stop: conversation.StopCalls,
				Calls: []conversation.ToolCall{{ID: "c", Name: "modify_file", Arguments: `{"path":"a.go","text":"` + strings.Repeat("words ", 200) + `"}`}}},
			conversation.ToolResult{CallID: "c", Tool: "modify_file", Status: conversation.ResultOK, Text: strings.Repeat("line of the file\n", 200)},
			conversation.AssistantMessage{Text: "done", Stop: conversation.StopEnd})
	}
	return compacttest.AppendTo(nil, bodies...)
}

// readFileTurns is the same with a tool that reads, whose arguments are not stripped.
func readFileTurns(turns int) []conversation.Event {
	log := editTurns(turns)
	for i, e := range log {
		switch b := e.Body.(type) {
		case conversation.AssistantMessage:
			if len(b.Calls) > 0 {
				b.Calls = []conversation.ToolCall{{ID: "c", Name: "read_file", Arguments: `{"path":"a.go"}`}}
				log[i].Body = b
			}
		case conversation.ToolResult:
			b.Tool = "read_file"
			log[i].Body = b
		}
	}
	return log
}

func previewOf(t *testing.T, log []conversation.Event, profile string, echo bool, name preset.Name) edit.Preview {
	t.Helper()
	s := edit.Inputs{Meter: meter.New(meter.Options{EchoReasoning: echo}).WithView(projection.Project(log))}
	w := edit.NewRequest()
	w.Profile, w.KeepLast = profile, 1
	proposal, err := edit.NewProposal(log, preset.RulesOf(name), s, w)
	conversationtest.Must(t, err)
	return proposal.Preview()
}

// Reasoning that is not sent to the endpoint does not count in the prefix: without it
// the request is the same.
func TestPreviewBreaksAtTheFirstChangedMessage(t *testing.T) {
	t.Parallel()
	log := editTurns(2)
	log[1].Body = conversation.AssistantMessage{Text: "first a word", Reasoning: "I should look.", Stop: conversation.StopEnd}
	log[2].Body = conversation.UserMessage{Text: "then look"}
	log = append(log, editTurns(3)[8:]...)
	for i := range log {
		log[i].Seq = uint64(i + 1)
	}
	if p := previewOf(t, log, preset.ProfileDefault, false, preset.Plimsoll); p.BreakAt != 6 {
		t.Errorf("without reasoning the prefix breaks at %d, not at the call of event 6", p.BreakAt)
	}
	if p := previewOf(t, log, preset.ProfileDefault, true, preset.Plimsoll); p.BreakAt != 2 {
		t.Errorf("with reasoning the prefix breaks at %d, not at the reasoning of event 2", p.BreakAt)
	}
	// Reasoning with calls is sent back to endpoints that demand it, stripped or not.
	if p := previewOf(t, editTurns(3), preset.ProfileDefault, true, preset.Plimsoll); p.BreakAt != 2 || len(p.Layers) != 2 ||
		p.Layers[0].Kind != "arguments" || p.Layers[1].Kind != "results" {
		t.Errorf("the prefix breaks at %d, with the layers %v", p.BreakAt, p.Layers)
	}
	if p := previewOf(t, readFileTurns(3), preset.ProfileDefault, true, preset.Plimsoll); p.BreakAt != 3 || p.Rewritten > p.After {
		t.Errorf("the prefix breaks at %d, want event 3; %d of %d tokens after it", p.BreakAt, p.Rewritten, p.After)
	}
}

// talkTurns returns numbered turns without tools.
func talkTurns(from, turns int) []conversation.Body {
	var out []conversation.Body
	for n := from; n < from+turns; n++ {
		out = append(out, conversation.UserMessage{Text: fmt.Sprintf("question %d: %s", n, strings.Repeat("some words about it. ", 60))},
			conversation.AssistantMessage{Text: fmt.Sprintf("answer %d: %s", n, strings.Repeat("more words in reply. ", 60)), Stop: conversation.StopEnd})
	}
	return out
}

func heavyProposal(t *testing.T, log []conversation.Event, name preset.Name, keep int, cold bool) edit.Proposal {
	t.Helper()
	w := edit.NewRequest()
	w.Profile, w.KeepLast = preset.ProfileHeavy, keep
	m := meter.New(meter.Options{Window: meter.Window{Tokens: 32_000}}).WithView(projection.Project(log))
	proposal, err := edit.NewProposal(log, preset.RulesOf(name), edit.Inputs{Meter: m, Now: time.Unix(2e9, 0), Cold: cold}, w)
	conversationtest.Must(t, err)
	return proposal
}

// committed is the log with the proposal in force and a text as its summary.
func committed(t *testing.T, log []conversation.Event, proposal edit.Proposal, text string) []conversation.Event {
	t.Helper()
	conversationtest.Must(t, proposal.Accept(summary.Answer{Text: text, Stop: conversation.StopEnd, Input: proposal.Job.Input}))
	return compacttest.AppendTo(log, proposal.Bodies(uint64(len(log)+1))...)
}

func TestCumulativeSummaryReadsOnlyTheNewestOne(t *testing.T) {
	t.Parallel()
	for _, name := range []preset.Name{preset.OneClaw, preset.JCLI} {
		log := compacttest.AppendTo(nil, talkTurns(0, 4)...)
		for n := range 4 {
			proposal := heavyProposal(t, log, name, 1, true)
			asked := proposal.Job.Messages[0].Text
			for old := range n {
				if got := strings.Contains(asked, fmt.Sprintf("ACCOUNT %d", old)); got != (old == n-1) {
					t.Errorf("%s: summary %d reads summary %d: %v", name, n, old, got)
				}
			}
			log = committed(t, log, proposal, fmt.Sprintf("ACCOUNT %d of all that was said so far, with what matters of it.", n))
			s := log[len(log)-1].Body.(conversation.Summary)
			if s.Depth != n || len(s.Parents) != min(n, 1) {
				t.Errorf("%s: summary %d has depth %d and the parents %v", name, n, s.Depth, s.Parents)
			}
			log = compacttest.AppendTo(log, talkTurns(4+3*n, 3)...)
		}
	}
}

// twoSummaries is a log with two summaries side by side, and the number of its events
// that are no overlays.
func twoSummaries(t *testing.T) ([]conversation.Event, uint64) {
	t.Helper()
	log := compacttest.FilesRead(12, 2000).User("And now?").Events()
	said := uint64(len(log))
	unit := (said - 1) / 12
	for _, span := range []conversation.Span{{First: 1, Last: 4 * unit}, {First: 4*unit + 1, Last: 8 * unit}} {
		proposal := summaryOf(t, log, 1_000_000, preset.InputAuto, span)
		conversationtest.Must(t, proposal.Extract())
		log = append(log, conversation.NextEvents(log, conversationtest.Epoch, proposal.Bodies(0)...)...)
	}
	return log, said
}

// summaryOf is the proposal for a summary of a span, in a window of so many tokens.
func summaryOf(t *testing.T, log []conversation.Event, tokens int, input preset.SummaryInput, span conversation.Span) edit.Proposal {
	t.Helper()
	r := preset.RulesOf(preset.Plimsoll)
	r.Summary.Input = input
	s := edit.Inputs{Meter: meter.New(compacttest.Window(tokens)).WithView(projection.Project(log)), Now: conversationtest.Epoch, Cold: true}
	proposal, err := edit.ProposeSummary(log, r, s, []conversation.Span{span}, conversation.Origin{})
	conversationtest.Must(t, err)
	return proposal
}

// A summary that replaces several others is written from the original messages if they fit
// the writing model, and otherwise from the summaries, with a recorded depth.
func TestMergedSummariesReadTheOriginalMessagesIfTheyFit(t *testing.T) {
	t.Parallel()
	log, said := twoSummaries(t)
	whole := conversation.Span{First: 1, Last: said - 1}
	for name, c := range map[string]struct {
		tokens int
		input  preset.SummaryInput
		want   preset.SummaryInput
	}{
		"it fits":                   {1_000_000, preset.InputAuto, preset.InputRaw},
		"it does not":               {8192, preset.InputAuto, preset.InputMerged},
		"what was said is demanded": {8192, preset.InputRaw, preset.InputRaw},
	} {
		proposal := summaryOf(t, log, c.tokens, c.input, whole)
		if proposal.Job.Input != c.want {
			t.Errorf("%s: reads %s, want %s", name, proposal.Job.Input, c.want)
			continue
		}
		if err := proposal.Extract(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s, isSummary := proposal.Bodies(0)[0].(conversation.Summary)
		if merged := c.want == preset.InputMerged; !isSummary || (s.Depth == 1) != merged || (len(s.Parents) == 2) != merged {
			t.Errorf("%s: depth %d, parents %v", name, s.Depth, s.Parents)
		}
		if s.Spans[0].First != 1 || s.FromTurn != 0 {
			t.Errorf("%s: covers %v from turn %d", name, s.Spans, s.FromTurn)
		}
	}
	if merged, raw := summaryOf(t, log, 8192, preset.InputAuto, whole).Job.Tokens(), summaryOf(t, log, 8192, preset.InputRaw, whole).Job.Tokens(); merged > raw/2 {
		t.Errorf("the merged request has %d tokens, the raw one %d: want fewer", merged, raw)
	}
}
