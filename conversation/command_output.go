package conversation

import "strings"

// When the user runs a command, its output becomes a user message: a line with the
// command, then the output in a code fence longer than any fence in the output.
const (
	commandBegin = "I ran `"
	commandEnd   = "`:\n\n"
)

// FormatCommandOutput returns the message text for a command that the user ran.
func FormatCommandOutput(command, output string) string {
	fence := "```"
	for strings.Contains(output, fence) {
		fence += "`"
	}
	return commandBegin + command + commandEnd + fence + "\n" + output + "\n" + fence
}

// ParseCommandOutput returns the command and the output in a text that FormatCommandOutput
// made; false for any other text.
func ParseCommandOutput(text string) (command, output string, ok bool) {
	rest, ok := strings.CutPrefix(text, commandBegin)
	if !ok {
		return "", "", false
	}
	command, rest, ok = strings.Cut(rest, commandEnd)
	if !ok || strings.Contains(command, "\n") {
		return "", "", false
	}
	fence := rest[:len(rest)-len(strings.TrimLeft(rest, "`"))]
	output, begins := strings.CutPrefix(rest, fence+"\n")
	output, ends := strings.CutSuffix(output, "\n"+fence)
	if len(fence) < 3 || !begins || !ends {
		return "", "", false
	}
	return command, output, true
}
