package conversation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/conversation"
)

func TestSplitAttachmentsInvertsFormatAttachments(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		message := rapid.StringMatching(`[a-z@. \n]{0,40}`).Draw(t, "message")
		var files []conversation.AttachedFile
		for range rapid.IntRange(0, 3).Draw(t, "files") {
			files = append(files, conversation.AttachedFile{
				Path: rapid.StringN(1, 12, 40).Draw(t, "path"),
				Text: strings.TrimRight(rapid.StringMatching(`[a-z<>/" \n]{0,60}`).Draw(t, "text"), "\n"),
			})
		}
		gotMessage, gotFiles := conversation.SplitAttachments(message + conversation.FormatAttachments(files...))
		if gotMessage != message {
			t.Fatalf("message %q, want %q", gotMessage, message)
		}
		if d := cmp.Diff(files, gotFiles); d != "" {
			t.Fatal(d)
		}
	})
}

func TestMalformedAttachmentsStayInTheMessage(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n</file>", "just </file>", "x\n\n<file path=\"no end\n</file>", "<file path=\"x\">\ny\n</file>"} {
		if message, files := conversation.SplitAttachments(text); message != text || files != nil {
			t.Errorf("SplitAttachments(%q) = %q, %v", text, message, files)
		}
	}
}
