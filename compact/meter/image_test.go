package meter_test

import (
	"math"
	"testing"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func TestImagesAreCountedByTheModelsRule(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	add := func(bodies ...conversation.Body) {
		conversationtest.Must(t, l.Commit(l.Prepare(conversationtest.Epoch, bodies...)))
	}
	picture := conversation.UserMessage{Text: "look", Images: []conversation.Image{{Blob: "x", Width: 1500, Height: 1000}}}
	add(conversation.UserMessage{Text: "hello"})
	without := projection.Project(l.Events())
	add(picture)
	with := projection.Project(l.Events())
	text := projection.Project(l.Events())
	text.Sizes.Text[projection.User].Images = conversation.ImageSize{}
	pdf := conversation.ImageSize{Count: 1, Pages: 10}
	for _, c := range []struct{ got, want, off float64 }{
		{meter.PixelRule.Tokens(pdf), 23_300, 0.05},            // 10 pages of text, as measured with Claude
		{meter.TileRule.Tokens(pdf), 10*(700+765) + 85, 0.001}, // by no published rule
		{meter.LineRule.Tokens(pdf), 20, 0.001},
	} {
		if math.Abs(c.got-c.want) > c.off*c.want {
			t.Errorf("10 pages count %.0f tokens, want %.0f", c.got, c.want)
		}
	}
	for name, c := range map[string]struct {
		rule meter.ImageRule
		want float64
	}{
		"unknown": {meter.ImageRule{}, 85 + 170*6}, // 1,152 by 768
		"pixels":  {meter.PixelRule, 2000},
		"a line":  {meter.LineRule, 20},
	} {
		for _, factor := range []float64{0.5, 1, 2.5} {
			o := meter.Options{Images: c.rule, Calibration: conversation.Calibration{Factor: factor, Samples: 9}}
			m := meter.New(o)
			got := float64(m.WithView(with).Reading().Used - m.WithView(text).Reading().Used)
			if math.Abs(got-c.want) > 1 {
				t.Errorf("%s at factor %.1f: %.0f tokens, want %.0f", name, factor, got, c.want)
			}
			anchored := m.WithView(without).WithUsage(conversation.Usage{Prompt: 500, Completion: 0, Estimate: m.WithView(without).RequestEstimate()})
			if got := anchored.WithView(with).Reading().Used - anchored.WithView(text).Reading().Used; math.Abs(float64(got)-c.want) > 1 {
				t.Errorf("%s after a report, at factor %.1f: %d tokens, want %.0f", name, factor, got, c.want)
			}
			draft := m.WithDraft(conversation.Size{Images: picture.Images[0].Size()}, 1).Reading()
			if got := float64(draft.AfterSend - draft.Used); math.Abs(got-c.want-4*factor) > 1 {
				t.Errorf("%s in a draft, at factor %.1f: %.0f tokens", name, factor, got)
			}
		}
	}
	m := meter.New(meter.Options{Images: meter.PixelRule}).WithView(with)
	m = m.WithUsage(conversation.Usage{Prompt: 2400, Estimate: 2200, Images: 2000, Completion: -1})
	if f := m.Factor(); f != 2 {
		t.Errorf("400 tokens of text for 200 estimated ones teach the factor %.2f", f)
	}
}
