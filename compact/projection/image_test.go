package projection_test

import (
	"strings"
	"testing"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func TestAReplacedImageLeavesALine(t *testing.T) {
	t.Parallel()
	image := conversation.Image{Blob: "x", Media: "image/png", Name: "shot.png", Width: 1568, Height: 1176, Tokens: 2459}
	pdf := conversation.Image{Blob: "y", Media: conversation.MediaPDF, Name: "a.pdf", Pages: 3, Tokens: 6861}
	const stub = "[image shot.png 1568x1176, ~2459 tok: recall brings it back]\n[PDF a.pdf 3 pages, ~6861 tok: recall brings it back]"
	for name, overlay := range map[string]conversation.Body{
		"summary": conversation.Summary{Spans: []conversation.Span{{First: 1, Last: 2}}, Text: "a picture was shown"},
		"note":    conversation.Summary{Spans: []conversation.Span{{First: 1, Last: 2}}, Appendix: "a note", Version: projection.BlockVersion},
		"jcli":    conversation.Summary{Spans: []conversation.Span{{First: 1, Last: 2}}, Text: "a picture", Style: "jcli"},
		"drop":    conversation.Drop{Spans: []conversation.Span{{First: 1, Last: 2}}},
	} {
		var l conversation.Log
		for _, b := range []conversation.Body{
			conversation.UserMessage{Text: "look", Images: []conversation.Image{image, pdf}},
			conversation.AssistantMessage{Text: "I see", Stop: conversation.StopEnd},
			conversation.UserMessage{Text: "go on"}, overlay,
		} {
			conversationtest.Must(t, l.Commit(l.Prepare(conversationtest.Epoch, b)))
		}
		original := projection.Project(l.Events()[:3])
		if n := original.Sizes.Text[projection.User].Images.Count; n != 2 || len(original.Messages[0].Images) != 2 {
			t.Fatalf("%d images before", n)
		}
		v := projection.Project(l.Events())
		text := ""
		for _, m := range v.Messages {
			text += m.Text + "\n"
			if len(m.Images) > 0 || m.Size.Images.Count > 0 || m.Size != conversation.Measure(m.Text) {
				t.Errorf("%s: an image is still sent: %+v", name, m)
			}
		}
		if strings.Count(text, stub) != 1 || v.Messages[0].Before.Images.Count != 2 {
			t.Errorf("%s: the view is %q", name, text)
		}
	}
}

func TestAMaskedResultLeavesALineForItsImage(t *testing.T) {
	t.Parallel()
	image := conversation.Image{Blob: "x", Media: "image/png", Name: "shot.png", Width: 1568, Height: 1176, Tokens: 2459}
	log := func(more ...conversation.Body) []conversation.Event {
		var l conversation.Log
		conversationtest.Must(t, l.Commit(l.Prepare(conversationtest.Epoch, append([]conversation.Body{
			conversation.UserMessage{Text: "look"},
			conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "a", Name: "shot"}}, Stop: conversation.StopCalls},
			conversation.ToolResult{CallID: "a", Tool: "shot", Text: "here", Images: []conversation.Image{image}},
		}, more...)...)))
		return l.Events()
	}
	mask := conversation.Mask{Version: projection.StubVersion, Preview: 250, Items: []conversation.MaskItem{{Event: 3, Part: conversation.PartResult}}}
	for name, c := range map[string]struct {
		overlay conversation.Body
		text    string
		images  int
	}{
		"mask": {mask, "here\n[image shot.png 1568x1176, ~2459 tok: recall e3 brings it back]", 0},
		"none": {conversation.Notice{}, "here", 1},
	} {
		v := projection.Project(log(c.overlay))
		m := v.Messages[2]
		if m.Text != c.text || len(m.Images) != c.images || m.Size.Images.Count != int32(c.images) || m.Before.Images.Count != 1 {
			t.Errorf("%s: %+v", name, m)
		}
		if v.Sizes.Text[projection.Results].Images.Count != int32(c.images) {
			t.Errorf("%s: %+v", name, v.Sizes)
		}
	}
}
