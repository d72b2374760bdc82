package conversation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ToolSpec is the declaration of a tool. Logs have it as JSON.
type ToolSpec struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Parameters  RawJSON `json:"parameters"`          // JSON Schema of the arguments, an object
	ReadOnly    bool    `json:"read_only,omitempty"` // the tool changes nothing: it may run in parallel and in plan mode
}

// The names of what requests declare for MCP servers.
const (
	ToolFindTools  = "find_tools" // looks up declarations
	ToolRunCommand = "run_command"
	ToolCallTool   = "call_tool" // calls a tool that was looked up
	ServerPrefix   = "mcp__"     // begins the name of every tool of a server
)

// OfServer reports whether the declaration is there for the MCP servers.
func (t ToolSpec) OfServer() bool {
	return t.Name == ToolFindTools || t.Name == ToolCallTool || strings.HasPrefix(t.Name, ServerPrefix)
}

// HasTool reports whether a tool of this name is among tools.
func HasTool(tools []ToolSpec, name string) bool {
	return slices.ContainsFunc(tools, func(t ToolSpec) bool { return t.Name == name })
}

// Need is what a tool call needs before it may run.
type Need string

// The needs of tool calls.
const (
	NeedNothing  Need = "nothing"  // run it
	NeedApproval Need = "approval" // ask the user first
	NeedAnswer   Need = "answer"   // ask the user; the answer is the result
	NeedForm     Need = "form"     // ask the user to fill in a form
	NeedRefusal  Need = "refusal"  // do not run it, for the Reason given
)

// Review describes a tool call before it runs: what it needs, and what the user is shown for approval.
type Review struct {
	Need     Need
	ReadOnly bool
	Title    string   // one line: tool and subject, "modify_file upload.go"
	Diff     string   // unified diff of what would change, for edits
	Command  string   // the exact command, for commands
	Question string   // for NeedAnswer and NeedForm
	Options  []string // for NeedAnswer: the answers offered, may be empty
	Form     []FormField
	Reason   string  // for NeedRefusal: the reason, shown to the model and the user
	Offer    Offer   // for NeedApproval: the rules that the user can grant; empty without any
	Wider    []Offer // with Offer: rules that allow more, each more than the one before
	// Changeable: the user can change Command before it runs.
	Changeable bool
	NoReason   bool // for NeedApproval: nobody reads the reason of a denial
	// Passing: the Offer can be granted only until the conversation is left, by GrantConversation, and not be changed.
	Passing bool
}

// Mode is a permission mode: which calls run without asking.
type Mode string

// The permission modes, in the order Shift+Tab cycles them.
const (
	ModePlan  Mode = "plan"  // read-only calls only, others are refused
	ModeAsk   Mode = "ask"   // calls that are not read-only need approval
	ModeEdits Mode = "edits" // edits of workspace files run, other such calls need approval
	ModeAuto  Mode = "auto"  // the same, and commands run that the sandbox confines
	ModeYolo  Mode = "yolo"  // everything runs
)

// Modes lists the permission modes in cycling order.
func Modes() []Mode { return []Mode{ModePlan, ModeAsk, ModeEdits, ModeAuto, ModeYolo} }

// ParseMode returns the mode of a name; earlier versions called edits auto-edit. An unknown name is returned as it is.
func ParseMode(name string) Mode {
	if name == "auto-edit" {
		return ModeEdits
	}
	return Mode(name)
}

// Outcome is the raw output of a tool call, before it is cut and becomes a ToolResult.
type Outcome struct {
	Status ResultStatus
	Text   string  // the whole text, not cut
	Detail string  // shown to the user and never sent
	Images []Image // stored already
	Events []Body  // stored with the result, after it; none of them is a message or an overlay
}

// WithCommand returns the arguments of a call that runs a command with another command.
func WithCommand(args, command string) (string, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(args), &all); err != nil {
		return "", fmt.Errorf("the arguments of the command: %w", err)
	}
	var err error
	if all["command"], err = EncodeJSON(command); err != nil {
		return "", err
	}
	out, err := EncodeJSON(all)
	return string(out), err
}

// RepairArguments returns args as a JSON object: unchanged if it is one,
// otherwise an object with the text under "_invalid". A reply cut at its token
// limit leaves arguments that do not parse, and llama.cpp answers 500 to every
// later request that contains such arguments. The second result reports whether
// args was an object already, or empty.
func RepairArguments(args string) (string, bool) {
	trimmed := strings.TrimSpace(args)
	if trimmed == "" {
		return "{}", true
	}
	if strings.HasPrefix(trimmed, "{") && json.Valid([]byte(trimmed)) {
		return args, true
	}
	// Encoding a map of one string cannot fail.
	kept, _ := EncodeJSON(map[string]string{"_invalid": args})
	return string(kept), false
}
