package conversation

import "strings"

// How the output of a command that the user ran stands in a message: what was run,
// and what it printed between fences that nothing in it closes.
const (
	commandBegin = "I ran `"
	commandEnd   = "`:\n\n"
)

// FormatCommandOutput is the message with the output of a command that the user ran.
func FormatCommandOutput(command, output string) string {
	fence := "```"
	for strings.Contains(output, fence) {
		fence += "`"
	}
	return commandBegin + command + commandEnd + fence + "\n" + output + "\n" + fence
}

// ParseCommandOutput tells which command a message has the output of, and the output; false for
// any other message.
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
