package conversation

import "time"

// An approval is the user's answer to a call that needs one. For longer than
// once it grants rules: texts in the language of permissions.allow. What a rule
// lets run is said in words wherever the rule is shown.

// Grant is how far an approval reaches.
type Grant string

// What the user can answer to a call that needs approval.
const (
	GrantOnce   Grant = "once"   // this call
	GrantRun    Grant = "run"    // what the rules cover, in this workspace, while the program runs, in every conversation
	GrantAlways Grant = "always" // the same, and kept for later runs in this workspace, until it is revoked
	GrantNo     Grant = "no"
)

// Answer is what the user answers to a call that waits: to one that needs
// approval, or to one that asks him something.
type Answer struct {
	Grant Grant
	// Rules are what a GrantRun or GrantAlways grants: those of the [Offer], or as
	// the user edited them. None: those of the offer.
	Rules []string
	Text  string // the answer to a question, or the reason of a GrantNo
}

// Offer is something that could be granted for a call, as it will be written and
// in words.
type Offer struct {
	// Rules are the exact texts that are kept: one, or two for a file
	// that is reached by a link.
	Rules []string
	// Meaning says in plain words, on one line, what the rules let run:
	// "exactly this command".
	Meaning string
	// Warning says that the rules let more run than this call, "" if they do not.
	Warning string
}

// RuleOrigin is where a rule in force comes from.
type RuleOrigin string

// The origins of rules.
const (
	RuleConfigured RuleOrigin = "configuration" // permissions.allow and .deny; the user removes it there
	RuleGranted    RuleOrigin = "granted"       // GrantAlways
	RuleOfThisRun  RuleOrigin = "this run"      // GrantRun
)

// Rule is a rule in force, for the list that /permissions shows.
type Rule struct {
	ID      string // names it to the program; "" if only the configuration can change it
	Text    string // as written
	Deny    bool   // else it allows
	Meaning string // in plain words, on one line
	Warning string // like [Offer]
	Origin  RuleOrigin
	// Location is the file that holds it, with the line of its list where known,
	// "/home/u/.config/plimsoll/config.yaml:12"; "" for a rule of this run.
	Location  string
	Workspace string    // where it holds; "" is everywhere
	Granted   time.Time // zero for the configuration's
}
