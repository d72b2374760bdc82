package replay

import (
	"testing"

	"plimsoll/conversation"
	"plimsoll/conversation/jsonl"
)

func TestImagesCountInAReplay(t *testing.T) {
	t.Parallel()
	picture := jsonl.Picture{Image: conversation.Image{Width: 1500, Height: 1000}} // 2,000 tokens by the rule
	doc := jsonl.Document{Messages: []jsonl.Message{{Role: jsonl.RoleUser, Text: "look", Images: []jsonl.Picture{picture}}, {Role: jsonl.RoleAssistant, Text: "seen"},
		{Role: jsonl.RoleUser, Images: []jsonl.Picture{picture}}, {Role: jsonl.RoleAssistant, Text: "seen"}}}
	c := Load(doc, "images")
	for i, want := range []int{8004, 4, 8000, 4} {
		if got := c.messages[i].chars; got != want {
			t.Errorf("message %d has %d characters, want %d", i, got, want)
		}
	}
}
