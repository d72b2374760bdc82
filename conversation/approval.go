package conversation

import "time"

// Some tool calls need the user's approval. An approval that lasts longer than one
// call grants permission rules, written as in permissions.allow. The screen shows
// each rule together with a description of the calls that it allows.

// Grant is the scope of an approval.
type Grant string

// What the user can answer to a call that needs approval.
const (
	GrantOnce   Grant = "once"   // allow this call
	GrantRun    Grant = "run"    // allow what the rules cover, in this workspace and every conversation, until the program ends
	GrantAlways Grant = "always" // the same, and kept for later runs in this workspace, until it is revoked
	GrantNo     Grant = "no"     // deny this call
	// GrantConversation allows what the rules of a passing Review cover, until the conversation is left.
	GrantConversation Grant = "conversation"
)

// Answer is the user's answer to a waiting call: to one that needs approval, or
// to one that asks the user a question.
type Answer struct {
	Grant Grant
	// Rules are the rules that GrantRun or GrantAlways grants, as the user edited
	// them. Empty means the rules of the [Offer].
	Rules   []string
	Command string // for GrantOnce of a changeable command: runs instead; "" for the command as it is
	Text    string // the answer to a question, or the reason for a GrantNo
	// Values are those of a form, by the name of the field.
	Values map[string]any
}

// Offer is the permission rules that the user can grant for a call, and their
// description.
type Offer struct {
	// Rules are the exact texts that are stored: one, or two for a file
	// that is reached through a symbolic link.
	Rules []string
	// Meaning describes, on one line, the calls that the rules allow:
	// "exactly this command".
	Meaning string
	// Warning says that the rules allow more than this call, "" if they do not.
	Warning string
}

// RuleOrigin is the source of a permission rule.
type RuleOrigin string

// The sources of permission rules.
const (
	RuleConfigured RuleOrigin = "configuration" // permissions.allow and .deny; the user removes it there
	RuleGranted    RuleOrigin = "granted"       // GrantAlways
	RuleOfThisRun  RuleOrigin = "this run"      // GrantRun
	RulePassing    RuleOrigin = "conversation"  // GrantConversation
)

// Rule is a permission rule in force, as /permissions lists it.
type Rule struct {
	ID      string // identifies the rule to revoke; "" if only the configuration can change it
	Text    string // as written
	Deny    bool   // the rule denies calls; otherwise it allows them
	Meaning string // describes the rule on one line
	Warning string // as in [Offer]
	Origin  RuleOrigin
	// Location is the file that contains the rule, with the line number if known:
	// "/home/u/.config/plimsoll/config.yaml:12"; "" for a rule of this run.
	Location  string
	Workspace string    // the workspace in which the rule applies; "" is everywhere
	Granted   time.Time // zero for a rule of the configuration
}
