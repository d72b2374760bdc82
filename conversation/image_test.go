package conversation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

var shot = conversation.Image{Blob: "ab", Media: "image/png", Name: `my "shot"`, Width: 1568, Height: 1176, Bytes: 640_000, Tokens: 2459}

func TestAttachedImagesAreCutFromTheirText(t *testing.T) {
	t.Parallel()
	other := conversation.Image{Blob: "cd", Media: "image/jpeg", Name: "b\n<image {", Width: 1, Height: 1}
	text := "see @a" + conversation.FormatAttachments(conversation.AttachedFile{Path: "x", Text: "y"})
	got, images := conversation.CutImages(text + conversation.FormatImages(shot, other))
	other.Name = "b <image {"
	if d := cmp.Diff([]conversation.Image{shot, other}, images); d != "" || got != text {
		t.Errorf("%q\n%s", got, d)
	}
	for _, typed := range []string{"", "plain", "a\n\n<image {}>", "a\n\n<image {\"blob\":7}>", "<image {\"blob\":\"x\"}>", "a\n\n<image {\"blob\":\"x\"}> and more"} {
		if got, images := conversation.CutImages(typed); got != typed || images != nil {
			t.Errorf("%q became %q with %v", typed, got, images)
		}
	}
}

func TestImagesAreMeasuredWithTheirMessage(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	huge := conversation.Image{Blob: "x", Name: "n\x00" + strings.Repeat("x", 500), Width: -4, Height: 1 << 40}
	pdf := conversation.Image{Blob: "y", Media: conversation.MediaPDF, Name: "a.pdf", Width: 7, Pages: 1 << 40}
	events := l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: "look", Images: []conversation.Image{shot, huge, pdf}})
	conversationtest.Must(t, l.Commit(events))
	data, err := conversation.Marshal(events[0])
	conversationtest.Must(t, err)
	back, err := conversation.Unmarshal(data)
	conversationtest.Must(t, err)
	if d := cmp.Diff(events[0], back); d != "" {
		t.Error(d)
	}
	b, _ := back.Body.(conversation.UserMessage)
	if s := b.Size; s.Chars() != 4 || s.Images.Count != 3 || s.Images.Pages != 1<<16 || s.Images.Pixels != 1568*1176+1<<16 || s != conversation.MeasureMessage("look"+conversation.FormatImages(b.Images...)) {
		t.Errorf("the size is %+v", s)
	}
	if strings.Contains(string(data), "640000,\"tokens\":2459") == false {
		t.Errorf("it is stored as %s", data)
	}
}

// The examples of the guide "Images and vision".
func TestTilesAreThoseOfTheGuide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ w, h, tiles int }{{1024, 1024, 4}, {2048, 4096, 6}, {512, 512, 1}, {513, 20, 2}, {1, 1, 1}, {4000, 3000, 4}} {
		if got := (conversation.Image{Width: c.w, Height: c.h}).Size().Tiles; int(got) != c.tiles {
			t.Errorf("%dx%d takes %d tiles, want %d", c.w, c.h, got, c.tiles)
		}
	}
}

func TestMentionsAreFoundInAText(t *testing.T) {
	t.Parallel()
	got := conversation.Mentions("@a.png, see (@b.png) and @\"c d.png\"! me@host.png @ @@")
	if d := cmp.Diff([]string{"a.png", "b.png", "c d.png", "@"}, got); d != "" {
		t.Error(d)
	}
}
