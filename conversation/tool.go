package conversation

import (
	"encoding/json"
	"strings"
)

// ToolSpec declares a tool to the model and to the program.
type ToolSpec struct {
	Name        string
	Description string
	Parameters  RawJSON // JSON Schema of the arguments, an object
	ReadOnly    bool    // changes nothing: may run in parallel and in plan mode
}

// Need says what has to happen before a call may run.
type Need string

// What a call may need.
const (
	NeedNothing  Need = "nothing"  // run it
	NeedApproval Need = "approval" // ask the user first
	NeedAnswer   Need = "answer"   // the user's answer is the result
	NeedRefusal  Need = "refusal"  // do not run it; Reason says why
)

// Review is a call as the user is asked about it, before it runs.
type Review struct {
	Need     Need
	ReadOnly bool
	Title    string   // one line: tool and subject, "modify_file upload.go"
	Diff     string   // unified diff of what would change, for edits
	Command  string   // the exact command, for commands
	Question string   // for NeedAnswer
	Options  []string // for NeedAnswer: the answers offered, may be empty
	Reason   string   // for NeedRefusal: what the model and the user are told
	Offer    Offer    // for NeedApproval: what could be granted for longer; without rules, nothing
}

// Mode is a permission mode: which calls run without asking.
type Mode string

// The permission modes, in the order Shift+Tab cycles them.
const (
	ModePlan     Mode = "plan"      // read-only calls only, others are refused
	ModeAsk      Mode = "ask"       // everything that changes something is asked
	ModeAutoEdit Mode = "auto-edit" // edits of workspace files run, the rest is asked
	ModeYolo     Mode = "yolo"      // everything runs
)

// Modes lists the permission modes in cycling order.
func Modes() []Mode { return []Mode{ModePlan, ModeAsk, ModeAutoEdit, ModeYolo} }

// Outcome is what running a call gave, before it becomes a ToolResult.
type Outcome struct {
	Status ResultStatus
	Text   string // the whole text, not yet cut
	Detail string // for the eye only
}

// RepairArguments returns args as a JSON object: unchanged if it is one,
// otherwise an object that keeps the text under "_invalid" so that it can be
// sent again. llama.cpp answers 500 to every later request whose history holds
// arguments that do not parse, and a reply cut at its token limit leaves such.
// The second result says whether args was already an object.
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
