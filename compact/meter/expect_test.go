package meter_test

import (
	"strings"
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// asks is a story in which a message of chars was said, so that a request can be
// made.
func (s *story) asks(chars int) *story {
	return s.add(conversation.UserMessage{Text: strings.Repeat("a", chars)})
}

func (s *story) answered(chars, prompt, completion int, undercounted bool) *story {
	return s.reported(chars, conversation.Usage{Prompt: prompt, Cached: -1, Completion: completion, Reasoning: -1, Undercounted: undercounted})
}

// reported appends a reply of chars with a report.
func (s *story) reported(chars int, u conversation.Usage) *story {
	u.Estimate, u.Reply = s.meter.RequestEstimate(), uint64(s.log.Len()+1)
	s.add(conversation.AssistantMessage{Text: strings.Repeat("b", chars), Stop: conversation.StopEnd}, u)
	s.meter = s.meter.WithUsage(u)
	return s
}

func TestWhatAReportShouldCount(t *testing.T) {
	t.Parallel()
	told := func() *story {
		return newStory(compacttest.Window(32_000)).asks(16_000).answered(800, 4004, 204, false)
	}
	for name, c := range map[string]struct {
		story                       *story
		other                       bool // the prompt or the tools changed
		tokens, reported, estimated float64
	}{
		"nothing was reported": {newStory(compacttest.Window(32_000)).asks(4000), false, 1004, 0, 1004},
		"a message more":       {told().asks(4000), false, 4004 + 204 + 1004, 4004, 204 + 1004},
		"other tools":          {told().asks(4000), true, 4004 + 204 + 1004, 0, 4004 + 204 + 1004},
		"a reply that was counted high": {newStory(compacttest.Window(32_000)).asks(16_000).answered(800, 4004, 5000, false).asks(4000), false,
			4004 + 204 + 1004, 4004, 204 + 1004},
		"a reply that was counted low": {newStory(compacttest.Window(32_000)).asks(16_000).answered(800, 4004, 104, false).asks(4000), false,
			4004 + 104 + 1004, 4004, 104 + 1004},
		"an undercounted report after it": {told().asks(4000).answered(800, 2000, 204, true).asks(4000), false,
			4004 + 2*(204+1004), 4004, 2 * (204 + 1004)},
		"another revision": {told().add(conversation.Unknown{Name: conversation.KindMask, Raw: conversation.RawJSON(`{}`)}).asks(4000), false,
			4004 + 204 + 1004, 0, 4004 + 204 + 1004},
		"an absurd report": {newStory(compacttest.Window(32_000)).asks(16_000).answered(800, 90_000, 204, false).asks(4000), false,
			4 * (4004 + 204 + 1004), 0, 4 * (4004 + 204 + 1004)},
	} {
		m := c.story.meter
		got := m.Expect(conversation.Usage{Revision: c.story.view.Revision, Estimate: m.RequestEstimate()}, !c.other)
		if near := func(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 }; !near(got.Tokens, c.tokens) ||
			!near(got.Reported, c.reported) || !near(got.Estimated, c.estimated) {
			t.Errorf("%s: expected %v, of it reported %v, estimated %v; want %v, %v, %v", name,
				got.Tokens, got.Reported, got.Estimated, c.tokens, c.reported, c.estimated)
		}
	}
}

func TestWhatAReportTells(t *testing.T) {
	t.Parallel()
	trusted := compacttest.Window(32_000)
	trusted.Calibration = conversation.Calibration{Factor: 1, Samples: 3}
	echo := trusted
	echo.EchoReasoning = true
	// 4,004 were counted, 204 came, 1,004 were added: 5,212.
	told := func(o meter.Options) *story {
		return newStory(o).asks(16_000).answered(800, 4004, 204, false).asks(4000)
	}
	// Then 3,900 were: too few. Another 1,208 make it 6,420.
	fell := told(trusted).answered(800, 3900, 204, true).asks(4000)
	light := told(trusted).answered(800, 4100, 204, true).asks(4000)
	thinking := newStory(echo).asks(16_000).add(conversation.AssistantMessage{Text: "so", Reasoning: strings.Repeat("c", 8000)}).answered(800, 6020, 204, false).asks(4000)
	for name, c := range map[string]struct {
		story  *story
		report conversation.Usage
		want   meter.Finding
	}{
		"as expected":                      {told(trusted), conversation.Usage{Prompt: 5212}, meter.CountWholePrompt},
		"more":                             {told(trusted), conversation.Usage{Prompt: 9000}, meter.CountWholePrompt},
		"light texts":                      {told(trusted), conversation.Usage{Prompt: 4700}, meter.CountWholePrompt},
		"nothing":                          {told(trusted), conversation.Usage{Prompt: -1}, meter.CountWholePrompt},
		"zero":                             {told(trusted), conversation.Usage{Prompt: 0}, meter.CountWholePrompt},
		"no growth":                        {told(trusted), conversation.Usage{Prompt: 4204}, meter.CountUnclear},
		"a fifth is missing":               {told(trusted), conversation.Usage{Prompt: 4100}, meter.CountDoubtful},
		"a third is missing":               {told(trusted), conversation.Usage{Prompt: 3400}, meter.PromptTruncated},
		"a tiny count":                     {told(trusted), conversation.Usage{Prompt: 400}, meter.CountDoubtful},
		"only what is new":                 {told(trusted), conversation.Usage{Prompt: 1010}, meter.CountUncachedOnly},
		"new, and the reply":               {told(trusted), conversation.Usage{Prompt: 1300}, meter.CountUncachedOnly},
		"the cache beside":                 {told(trusted), conversation.Usage{Prompt: 1900, Cached: 3200}, meter.CountUncachedOnly},
		"written to the cache beside":      {told(trusted), conversation.Usage{Prompt: 2300, Cached: 100, CacheWrite: 2800}, meter.CountUncachedOnly},
		"the cache in it":                  {told(trusted), conversation.Usage{Prompt: 3000, Cached: 500}, meter.PromptTruncated},
		"again as little":                  {fell, conversation.Usage{Prompt: 3950}, meter.PromptTruncated},
		"again, and it grew":               {fell, conversation.Usage{Prompt: 5100}, meter.CountDoubtful},
		"light, and it grew":               {light, conversation.Usage{Prompt: 5200}, meter.CountWholePrompt},
		"light, and it stays":              {light, conversation.Usage{Prompt: 4120}, meter.PromptTruncated},
		"without reasoning":                {thinking, conversation.Usage{Prompt: 5230}, meter.CountWholePrompt},
		"without reasoning, and then some": {thinking, conversation.Usage{Prompt: 2500}, meter.PromptTruncated},
		"unanchored":                       {newStory(trusted).asks(16_000), conversation.Usage{Prompt: 2500}, meter.CountWholePrompt},
		"unanchored, half":                 {newStory(trusted).asks(16_000), conversation.Usage{Prompt: 2000}, meter.CountDoubtful},
		"unanchored, nothing learned":      {newStory(compacttest.Window(32_000)).asks(16_000), conversation.Usage{Prompt: 1000}, meter.CountWholePrompt},
	} {
		u := c.report
		u.Revision, u.Estimate = c.story.view.Revision, c.story.meter.RequestEstimate()
		e := c.story.meter.Expect(u, true)
		if got := e.Classify(u); got != c.want {
			t.Errorf("%s: found %v, want %v; expected %+v", name, got, c.want, e)
		}
	}
}
