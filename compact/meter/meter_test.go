package meter_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// story is a log built step by step, with its view and meter.
type story struct {
	log   conversation.Log
	view  projection.View
	meter meter.Meter
}

func newStory(o meter.Options) *story {
	return &story{meter: meter.New(o), view: projection.Project(nil)}
}

func (s *story) add(bodies ...conversation.Body) *story {
	events := s.log.Prepare(conversationtest.Epoch, bodies...)
	if err := s.log.Commit(events); err != nil {
		panic(err)
	}
	s.view = s.view.Extend(s.log.Events())
	s.meter = s.meter.WithView(s.view)
	return s
}

func (s *story) reply(text string, u conversation.Usage) *story {
	u.Estimate = s.meter.RequestEstimate()
	u.Reply = uint64(s.log.Len() + 1)
	s.add(conversation.AssistantMessage{Text: text, Reasoning: "thinking", Stop: conversation.StopEnd}, u)
	s.meter = s.meter.WithUsage(u)
	return s
}

func TestEstimatesUntilTheProviderReports(t *testing.T) {
	t.Parallel()
	s := newStory(compacttest.Window(1000)).add(conversation.UserMessage{Text: strings.Repeat("abcd", 96)})
	if r := s.meter.Reading(); r.Used != 100 || !r.Estimated {
		t.Fatalf("before a report: used %d, estimated %v; want 100, true", r.Used, r.Estimated)
	}
	s.reply("fine", conversation.Usage{Prompt: 200, Cached: 150, Completion: 30, Reasoning: 10})
	r := s.meter.Reading()
	if r.Used != 220 || r.Estimated {
		t.Errorf("after a report: used %d, estimated %v; want 220 (200 sent, 20 said), false", r.Used, r.Estimated)
	}
	if r.CachedShare != 0.75 {
		t.Errorf("the cached share is %v, want 0.75", r.CachedShare)
	}
	// 384 characters more at the factor just learned: 200 reported for 100 estimated.
	s.add(conversation.UserMessage{Text: strings.Repeat("abcd", 96)})
	if r := s.meter.Reading(); r.Used != 420 || !r.Estimated {
		t.Errorf("with a new message: used %d, estimated %v; want 420, true", r.Used, r.Estimated)
	}
}

func TestReasoningThatIsNotSentBackDoesNotFillTheWindow(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("abcd", 96) // 100 tokens with its framing
	for name, c := range map[string]struct {
		reasoning string
		reported  int
		echo      bool
		used      int
		estimated bool
	}{
		"reported":                   {text, 60, false, 240, false},
		"reported and hidden":        {"", 60, false, 240, false},
		"not reported":               {text, -1, false, 250, true}, // half of the reply by its size
		"reported as none":           {text, 0, false, 250, true},
		"none":                       {"", -1, false, 300, false},
		"sent back":                  {text, 60, true, 300, false},
		"sent back and not reported": {text, -1, true, 300, false},
	} {
		options := compacttest.Window(1000)
		options.EchoReasoning = c.echo
		s := newStory(options).add(conversation.UserMessage{Text: text})
		u := conversation.Usage{Prompt: 200, Completion: 100, Reasoning: c.reported, Reply: 2, Estimate: s.meter.RequestEstimate()}
		s.add(conversation.AssistantMessage{Text: text, Reasoning: c.reasoning, Stop: conversation.StopEnd}, u)
		if r := s.meter.WithUsage(u).Reading(); r.Used != c.used || r.Estimated != c.estimated {
			t.Errorf("%s: used %d, estimated %v; want %d, %v", name, r.Used, r.Estimated, c.used, c.estimated)
		}
	}
}

func TestHistoryGivesTheSameReadingAsLivingIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newStory(compacttest.Window(8192))
		for i := range rapid.IntRange(0, 6).Draw(t, "turns") {
			s.add(conversation.UserMessage{Text: strings.Repeat("word ", 20*(i+1))})
			if rapid.Bool().Draw(t, "replied") {
				s.reply("and so on", conversation.Usage{Model: "m", Prompt: rapid.IntRange(100, 4000).Draw(t, "prompt"),
					Cached: 10, Completion: 12, Reasoning: 2})
			}
		}
		options := compacttest.Window(8192)
		options.Calibration = s.meter.Calibration()
		again := meter.New(options).WithView(projection.Project(s.log.Events())).WithHistory(s.log.Events(), "m")
		if got, want := fmt.Sprint(again.Reading()), fmt.Sprint(s.meter.Reading()); got != want {
			t.Fatalf("reopened %s\nlived    %s", got, want)
		}
	})
}

func TestSegmentsAddUpToUsed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := conversationtest.Log(t)
		m := meter.New(meter.Options{EchoReasoning: rapid.Bool().Draw(t, "echo")}).
			WithPrompt(conversation.Size{ASCII: rapid.IntRange(0, 900).Draw(t, "system")}, conversation.Size{ASCII: 7}).
			WithView(projection.Project(events)).WithHistory(events, "").
			WithDraft(conversation.Size{ASCII: rapid.IntRange(0, 500).Draw(t, "draft")}, 1)
		r := m.Reading()
		sum := 0
		for _, seg := range projection.Segments() {
			if r.Segments[seg] < 0 {
				t.Fatalf("%s is %d", seg, r.Segments[seg])
			}
			sum += r.Segments[seg]
		}
		if sum != r.Used || r.AfterSend != r.Used+r.Segments[projection.Draft] {
			t.Fatalf("segments %v add up to %d of %d, after send %d", r.Segments, sum, r.Used, r.AfterSend)
		}
	})
}

func TestLinesFollowTheWindow(t *testing.T) {
	t.Parallel()
	gemini := meter.Options{Window: meter.Window{Tokens: 1_048_576}, PriceStep: 200_000}
	for name, c := range map[string]struct {
		options             meter.Options
		load, hard, reserve int
	}{
		"defaults":                          {compacttest.Window(128_000), 108_800, 121_600, 16_000},
		"small window":                      {compacttest.Window(8192), loadLine(8192), 7782, 1024},
		"small reply":                       {meter.Options{Window: meter.Window{Tokens: 128_000}, MaxReply: 4096}, 108_800, 121_600, 4096},
		"price step":                        {meter.Options{Window: meter.Window{Tokens: 1_000_000}, PriceStep: 200_000}, 190_000, 950_000, 16_000},
		"token threshold":                   {meter.Options{Window: meter.Window{Tokens: 128_000}, TokenThreshold: 50_000}, 50_000, 121_600, 16_000},
		"unknown window":                    {meter.Options{}, 0, 0, 0},
		"a source's ratio":                  {gemini.WithRules(preset.RulesOf(preset.JPAuto)), 786_432, 996_147, 16_000},
		"no source knows a price step":      {gemini.WithRules(preset.RulesOf(preset.OneClaw)), 891_289, 996_147, 16_000},
		"the default preset does":           {gemini.WithRules(preset.RulesOf(preset.Plimsoll)), 190_000, 996_147, 16_000},
		"J-CLI's threshold":                 {gemini.WithRules(preset.RulesOf(preset.JCLI)), 204_800, 996_147, 16_000},
		"J-CLI's threshold, small window":   {compacttest.Window(8192).WithRules(preset.RulesOf(preset.JCLI)), 204_800, 7782, 1024},
		"J-CLI's threshold, unknown window": {meter.Options{}.WithRules(preset.RulesOf(preset.JCLI)), 204_800, 0, 0},
		"configured lines":                  {meter.Options{Window: meter.Window{Tokens: 1000}, TriggerRatio: 0.5, HardRatio: 0.9}, 500, 900, 125},
	} {
		r := meter.New(c.options).Reading()
		if r.LoadLine != c.load || r.HardLine != c.hard || r.Reserve != c.reserve {
			t.Errorf("%s: load %d, hard %d, reserve %d; want %d, %d, %d", name, r.LoadLine, r.HardLine, r.Reserve, c.load, c.hard, c.reserve)
		}
	}
}

func TestEstimateIsScriptAware(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"abcdefgh": 2, "世界世界": 4, "Привет": 3} {
		if got := meter.Estimate(conversation.Measure(text)); got != want {
			t.Errorf("Estimate(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestCalibrationConvergesAndIsClamped(t *testing.T) {
	t.Parallel()
	s := newStory(compacttest.Window(100_000))
	for range 8 {
		s.add(conversation.UserMessage{Text: strings.Repeat("abcd", 100)})
		s.reply("ok", conversation.Usage{Prompt: int(s.meter.RequestEstimate() * 1.5), Completion: 1})
	}
	if f := s.meter.Calibration().Factor; f < 1.49 || f > 1.51 {
		t.Errorf("the factor is %v after eight reports of 1.5 times the estimate", f)
	}
	s.add(conversation.UserMessage{Text: strings.Repeat("abcd", 100)})
	s.reply("ok", conversation.Usage{Prompt: 90_000_000, Completion: 1})
	if f := s.meter.Calibration().Factor; f > 4 {
		t.Errorf("factor %v after an absurd report", f)
	}
}

func TestASilentlyCutPromptTeachesNothing(t *testing.T) {
	t.Parallel()
	s := newStory(compacttest.Window(100_000))
	for range 3 {
		s.add(conversation.UserMessage{Text: strings.Repeat("abcd", 100)})
		s.reply("ok", conversation.Usage{Prompt: int(s.meter.RequestEstimate()), Completion: 1})
	}
	before := s.meter.Calibration()
	s.add(conversation.UserMessage{Text: strings.Repeat("abcd", 100)})
	s.reply("ok", conversation.Usage{Prompt: int(s.meter.RequestEstimate() / 2), Completion: 1})
	if s.meter.Calibration() != before {
		t.Errorf("the calibration is %+v after a truncated prompt, want %+v", s.meter.Calibration(), before)
	}
}

func TestCatalogueB1UsageFromBeforeACompactionDoesNotAnchorTheMeter(t *testing.T) {
	t.Parallel()
	s := newStory(compacttest.Window(100_000)).add(conversation.UserMessage{Text: "Read it."},
		conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "a", Name: "read_file", Arguments: "{}"}}},
		conversation.ToolResult{CallID: "a", Tool: "read_file", Text: strings.Repeat("word ", 40_000)})
	s.reply("Read.", conversation.Usage{Prompt: 60_000, Completion: 10})
	full := s.meter.Reading()
	s.add(compacttest.MaskResults(3))
	masked := s.meter.Reading()
	// What the provider reports now is of a request that was built before.
	late := conversation.Usage{Prompt: 60_000, Completion: 10, Reply: 4}
	after := s.meter.WithUsage(late).Reading()
	if full.Used < 60_000 || masked.Used > 2000 || !masked.Estimated || after.Used != masked.Used {
		t.Errorf("used %d, %d after the mask, %d after a late report", full.Used, masked.Used, after.Used)
	}
}

// A meter that follows a view as it grows counts the thinking that one counts which sees the whole view at once.
func TestThinkingOfAGrowingViewCountsAsThatOfAWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		told := meter.Thinking{Replies: map[uint64]bool{}, IsBound: rapid.Bool().Draw(t, "bound")}
		all := []projection.Message(nil)
		for i := range rapid.Uint64Range(1, 20).Draw(t, "messages") {
			msg := projection.Message{Role: projection.RoleAssistant, Events: []uint64{i + 1}, ReasoningStripped: rapid.Bool().Draw(t, "stripped")}
			if rapid.Bool().Draw(t, "thinks") {
				msg.Reasoning, msg.ReasoningSize = "r", conversation.Size{ASCII: 1 << i}
				msg.Extras = map[string]conversation.RawJSON{"x": nil}
			}
			all = append(all, msg)
		}
		first := rapid.IntRange(0, len(all)).Draw(t, "told of")
		told.Through = uint64(first)
		for i := range first {
			told.Replies[uint64(i+1)] = rapid.Bool().Draw(t, "goes back")
		}
		o := meter.Options{EchoReasoning: true}
		m := meter.New(o).WithView(projection.View{Messages: all[:first]}).WithThinking(meter.Thinking{}).WithThinking(told)
		for i := range all {
			n := i + 1
			if i == len(all)/2 {
				n = rapid.IntRange(0, len(all)).Draw(t, "a shorter or longer one")
			}
			v := projection.View{Messages: all[:n]}
			if m = m.WithView(v); n < first {
				continue
			}
			whole := meter.New(o).WithView(projection.View{Messages: slices.Clone(all[:first])}).WithThinking(told).WithView(v)
			sum := projection.Sizes{}
			for k := range v.Messages {
				if whole.SendsThinking(&v.Messages[k]) != m.SendsThinking(&v.Messages[k]) {
					t.Fatalf("message %d of %d: thinking counts otherwise than in a new meter", k, n)
				} else if m.SendsThinking(&v.Messages[k]) {
					sum.Add(projection.Reasoning, v.Messages[k].ReasoningSize)
				}
			}
			if got, want := m.SegmentEstimate(projection.Reasoning), meter.EstimateSegment(&sum, projection.Reasoning); got != want || whole.SegmentEstimate(projection.Reasoning) != want {
				t.Fatalf("%d messages: %v tokens, whole %v, want %v", n, got, whole.SegmentEstimate(projection.Reasoning), want)
			}
		}
	})
}

func TestAReplyFillsTheWindowWhileItArrives(t *testing.T) {
	t.Parallel()
	s := newStory(compacttest.Window(1000)).add(conversation.UserMessage{Text: strings.Repeat("abcd", 96)})
	arriving := s.meter.WithReply(conversation.Size{ASCII: 384})
	r := arriving.Reading()
	if r.Used != 200 || !r.Estimated || r.Segments[projection.Assistant] != 100 {
		t.Errorf("used %d, estimated %v, assistant %d; want 200, true, 100", r.Used, r.Estimated, r.Segments[projection.Assistant])
	}
	s.meter = arriving
	if r := s.add(conversation.AssistantMessage{Text: strings.Repeat("abcd", 96)}).meter.Reading(); r.Used != 200 {
		t.Errorf("used %d once it is in the log, want 200: counted twice or not at all", r.Used)
	}
}

func TestAnotherModelDropsTheAnchorAndKeepsTheCost(t *testing.T) {
	t.Parallel()
	cost := 0.25
	s := newStory(compacttest.Window(1000)).add(conversation.UserMessage{Text: strings.Repeat("abcd", 96)})
	s.reply("fine", conversation.Usage{Prompt: 200, Completion: 3, CostUSD: &cost})
	r := s.meter.WithModel(compacttest.Window(4000)).Reading()
	if !r.Estimated || r.Window.Tokens != 4000 || r.CostUSD == nil || *r.CostUSD != cost || r.Used != 105 {
		t.Errorf("the reading of the other model is %+v", r)
	}
}

func TestReasoningOfALoopLeavesTheWindowWithTheNextMessage(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("abcd", 96)
	options := compacttest.Window(1000)
	options.EchoReasoning, options.EchoLoop = true, true
	s := newStory(options).add(conversation.UserMessage{Text: text}, conversation.AssistantMessage{Text: text, Reasoning: text, Stop: conversation.StopEnd})
	switched := s.meter.WithModel(options)
	thought := s.meter.Reading().Segments[projection.Reasoning]
	if thought < 96 || switched.Reading().Segments[projection.Reasoning] != thought {
		t.Errorf("%d tokens of reasoning are counted in the loop, %d after a change of model", thought, switched.Reading().Segments[projection.Reasoning])
	}
	before, counted := s.meter.Reading().Used, s.meter.WithTokenCount(220) // of a request that begins with another message
	if r := counted.Reading(); r.Used != 220 || r.Estimated {
		t.Errorf("used is %d, estimated %v; want the counted 220", r.Used, r.Estimated)
	}
	r := s.add(conversation.UserMessage{Text: text}).meter.Reading()
	if r.Segments[projection.Reasoning] != 0 || r.Used != before-thought+100 {
		t.Errorf("the reading is %+v, after %d tokens with %d of reasoning", r, before, thought)
	}
	if used := counted.WithView(s.view).Reading().Used; used < 310 || used > 330 {
		t.Errorf("used %d after a count of 220 and a message of 100", used)
	}
}

func TestReasoningOfOtherModelsDoesNotGoBack(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("abcd", 96)
	for _, loop := range []bool{false, true} {
		options := compacttest.Window(1000)
		options.EchoReasoning, options.EchoLoop, options.EchoModel = true, loop, "zai/glm"
		s := newStory(options).add(conversation.UserMessage{Text: text})
		for _, model := range []string{"zai/glm", "anthropic/claude", "zai/other"} {
			s.add(conversation.AssistantMessage{Text: text, Reasoning: text, Model: model, Stop: conversation.StopEnd})
		}
		if got := s.meter.Reading().Segments[projection.Reasoning]; got != 100 {
			t.Errorf("loop %v: %d tokens of reasoning, want the 100 of the model's own", loop, got)
		}
		if m := s.meter; !loop && (!m.SendsThinking(&s.view.Messages[1]) || m.SendsThinking(&s.view.Messages[2])) {
			t.Error("the thinking of another model's reply counts as sent")
		}
	}
}

// loadLine returns Plimsoll's load line for a window in tokens. It is higher than that of the other presets.
func loadLine(tokens int) int {
	return int(preset.SharesFor(tokens).Trigger * float64(tokens))
}
