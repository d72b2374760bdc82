package session

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"plimsoll/agent/core"
	"plimsoll/cli/setup"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/instructions"
	"plimsoll/tools/workspace"
)

// The instructions of an open conversation. Requests keep the system prompt with which the conversation began, whatever the
// files say by now, until a compaction or another model changes the prefix anyway, or the user asks for a new prompt.

// MemoryFile is a file with instructions: where it is used, as "in turn 3, changed on disk", and its estimated tokens.
type MemoryFile struct {
	instructions.File
	State  string
	Tokens int
}

// Memory lists the files with instructions of the conversation that has these events. If files differ from the instructions in the
// prompt, changed says so, and what a new prompt costs; else it is "". With replace, the files' texts replace those in the prompt first.
func (r *Running) Memory(ctx context.Context, events []conversation.Event, replace bool) (list []MemoryFile, changed string, err error) {
	found := instructionFiles(r.Agents.Settings)
	prompt := buildSystemPrompt(r.Agents.Settings.Workspace, found)
	if replace {
		r.Agent.ReplacePrompt(func(old string) string { return inFormOf(old, prompt) })
	}
	used, err := r.Agent.Prompt(ctx)
	if err != nil {
		return nil, "", err
	}
	for _, f := range found {
		list = append(list, MemoryFile{f, stateIn(used.System, f), tokensOf(f.Text)})
	}
	files, err := workspace.Open(r.Agents.Settings.Workspace)
	if err != nil {
		return list, "", err
	}
	defer func() { _ = files.Close() }() // opened for reading
	listed := map[string]bool{}
	for _, e := range slices.Backward(events) {
		if l, ok := e.Body.(conversation.InstructionsLoaded); ok && !listed[l.Path] {
			listed[l.Path] = true
			list = append(list, nestedFile(files, l, e.Turn))
		}
	}
	return list, changedNote(found, used, prompt), nil
}

// nestedFile returns a file of a folder as it is now. A tool result of a turn brought its instructions into the conversation.
func nestedFile(files *workspace.Files, l conversation.InstructionsLoaded, turn int) MemoryFile {
	m := MemoryFile{instructions.File{Name: l.Path, From: "project"}, fmt.Sprintf("in turn %d", turn), 0}
	for _, f := range instructions.OfFolder(files, path.Dir(l.Path)) { // imports are below the folder of their file
		if f.Name == l.Path {
			m.File, m.Tokens = f, tokensOf(f.Text)
		}
	}
	if m.Hash != l.Hash {
		m.State += ", changed on disk"
	}
	return m
}

func stateIn(system string, f instructions.File) string {
	switch {
	case f.Text == "":
		return "not used"
	case strings.Contains(system, f.Title()+f.Text):
		return "in the prompt"
	case strings.Contains(system, f.Title()):
		return "changed on disk"
	}
	return "not in the prompt yet"
}

// InstructionNames lists the files with instructions that conversations start with, separated by commas.
func InstructionNames(s *setup.Settings) string {
	var names []string
	for _, f := range instructionFiles(s) {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// changedNote says that the instructions changed since the prompt in use was recorded, and what a new prompt costs; "" if they
// have not changed.
func changedNote(files []instructions.File, used core.Prompt, prompt string) string {
	if inFormOf(used.System, prompt) == used.System {
		return ""
	}
	what := "The instructions"
	if i := slices.IndexFunc(files, func(f instructions.File) bool { return f.Text != "" && stateIn(used.System, f) != "in the prompt" }); i >= 0 {
		what = files[i].Name
	}
	cost := "nothing more: the provider's cache does not hold the conversation"
	if used.Cached {
		cost = fmt.Sprintf("~%s tokens that the provider reads again without its cache", numbers.Grouped(used.Tokens))
	}
	if used.Thinking > 0 {
		cost += fmt.Sprintf(", and the thinking of %d replies", used.Thinking)
	}
	return what + " changed since this conversation got its instructions, which it keeps. To take the change over costs " + cost + "."
}

func tokensOf(text string) int { return int(math.Ceil(meter.Estimate(conversation.Measure(text)))) }
