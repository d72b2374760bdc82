package session

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll/agent/core"
	"plimsoll/cli/setup"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/instructions"
)

// The instructions of an open conversation. Requests keep the system prompt with which the conversation began, whatever the
// files say by now, until a compaction or another model breaks the prefix anyway.

// InstructionNames lists the files with instructions that conversations start with, separated by commas.
func InstructionNames(s *setup.Settings) string {
	var names []string
	for _, f := range instructionFiles(s) {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// changedNote says that the instructions changed since the prompt in use was recorded, and what it costs to take them over; ""
// if they have not changed.
func changedNote(files []instructions.File, used core.Prompt, prompt string) string {
	if inFormOf(used.System, prompt) == used.System {
		return ""
	}
	what := "The instructions"
	if i := slices.IndexFunc(files, func(f instructions.File) bool { return !strings.Contains(used.System, f.Title()+f.Text) }); i >= 0 {
		what = files[i].Name
	}
	cost := "nothing more: the provider's cache does not hold the conversation"
	if used.Cached {
		cost = fmt.Sprintf("~%s tokens that the provider reads again without its cache", numbers.Grouped(used.Tokens))
	}
	if used.Thinking > 0 {
		cost += fmt.Sprintf(", and the thinking of %d replies", used.Thinking)
	}
	return what + " changed since this conversation got its instructions, which it keeps. A new conversation has the new ones; here they would cost " + cost + "."
}
