package conversation_test

import (
	"testing"

	"pgregory.net/rapid"

	"plimsoll/conversation"
)

func TestParseCommandOutputInvertsFormatCommandOutput(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		command := rapid.StringMatching("[ -_a-z{-~]+").Draw(t, "command")
		output := rapid.OneOf(rapid.String(), rapid.StringMatching("(`{1,6}|a|\n)*")).Draw(t, "output")
		got, printed, ok := conversation.ParseCommandOutput(conversation.FormatCommandOutput(command, output))
		if !ok || got != command || printed != output {
			t.Errorf("got %q, %q, %v", got, printed, ok)
		}
	})
	for _, text := range []string{"", "I ran `ls`", "I ran `ls`:\n\nit says nothing", "I ran `a\nb`:\n\n```\n\n```", "I ran `ls`:\n\n```\na\n``` and so on"} {
		if _, _, ok := conversation.ParseCommandOutput(text); ok {
			t.Errorf("%q is parsed as the output of a command", text)
		}
	}
}
