package conversation

import "strings"

// A hook is a command of the user that runs at a moment of a conversation. It may refuse what is about to happen, add a text, or
// name what a compaction has to keep. Rules:
//
//   - What a hook adds stands in the log as a part of the message or result, behind a line that names the command.
//   - What a compaction has to keep is read from the log, so that notes and summaries follow from it alone.

// The moments at which hooks run, as in the configuration.
const (
	HookBeforeTool       = "before_tool"
	HookAfterTool        = "after_tool"
	HookMessage          = "message"
	HookBeforeCompaction = "before_compaction"
	HookAfterCompaction  = "after_compaction"
	HookTurnEnd          = "turn_end"
)

// HookStopped is the reason of a hook that was stopped with the turn.
const HookStopped = "stopped"

// HookInput is what hooks are told of a moment.
type HookInput struct {
	Moment     string
	Turn       int
	Call       ToolCall       // before and after a tool
	Status     ResultStatus   // after a tool
	Text       string         // after a tool: the result, not cut; of a message: its text
	Compaction HookCompaction // before and after a compaction
	Reason     string         // at the end of a turn: done, stopped, failed or refused
}

// HookCompaction is the compaction that a hook is told of.
type HookCompaction struct {
	Source           Source
	Trigger          string
	FromTurn, ToTurn int    // -1 while they are not known
	Before, After    int    // tokens of the request; After is 0 before the compaction
	Focus            string // what the user or the model wants preserved
}

// HookOutput is what the hooks of a moment answered.
type HookOutput struct {
	Refused bool
	Reason  string // why
	Added   []HookText
	Ran     []HookRan // one for each that ran, in order
}

// HookText is a text that a hook adds.
type HookText struct{ Command, Text string }

// commandChars is how many code points of a command name it.
const commandChars = 60

// CommandName names the hook's command on one line.
func CommandName(command string) string { return OneLine(Clean(command), commandChars) }

// WithHookTexts returns a text followed by what hooks added to it.
func WithHookTexts(text string, added []HookText) string {
	for _, a := range added {
		if text != "" {
			text = strings.TrimRight(text, "\n") + "\n\n"
		}
		text += "[hook " + CommandName(a.Command) + " added:]\n" + a.Text
	}
	return text
}

// WithHookTexts returns the message with what hooks added to it.
func (m UserMessage) WithHookTexts(added []HookText) UserMessage {
	if len(added) > 0 {
		m.Text = strings.TrimRight(Clean(m.Text), "\n")
		typed := len(m.Text)
		m.Text = Clean(WithHookTexts(m.Text, added))
		m.Hooks = len(m.Text) - typed
	}
	return m
}

// WithNote returns the message with a note of the program to the model, which counts as added by hooks; "" adds nothing.
func (m UserMessage) WithNote(note string) UserMessage {
	if note == "" {
		return m
	}
	typed := strings.TrimRight(m.Typed(), "\n")
	m.Text = strings.TrimRight(Clean(m.Text), "\n") + "\n\n" + Clean(note)
	m.Hooks = len(m.Text) - len(typed)
	return m
}

// KeptByHooks returns what hooks named to be kept when they were asked last before a compaction, and the Seq of the first of
// these events; nil and 0 without any.
func KeptByHooks(log []Event) (keep []string, seq uint64) {
	for i := len(log) - 1; i >= 0; i-- {
		if !ranBeforeCompaction(log[i]) {
			continue
		}
		for ; i > 0 && ranBeforeCompaction(log[i-1]); i-- { // they are one transaction
		}
		for seq = log[i].Seq; i < len(log) && ranBeforeCompaction(log[i]); i++ {
			ran, _ := log[i].Body.(HookRan)
			keep = append(keep, ran.Keep...)
		}
		return keep, seq
	}
	return nil, 0
}

func ranBeforeCompaction(e Event) bool {
	ran, ok := e.Body.(HookRan)
	return ok && ran.Moment == HookBeforeCompaction
}
