package compact

// The outlook is what the planner will do next, and when, told before it happens.

// OutlookState is why the planner does what it will do.
type OutlookState string

// The states of the planner.
const (
	OutlookReady   OutlookState = "ready"   // it acts at At
	OutlookNow     OutlookState = "now"     // it acts at the next request or after the reply
	OutlookHeld    OutlookState = "held"    // the user took a pass back: it acts from At on
	OutlookResting OutlookState = "resting" // a pass was made: it acts again from At on
	OutlookUnknown OutlookState = "unknown" // the window is not known: only a refusal makes it act
	OutlookOff     OutlookState = "off"     // automatic compaction is off: only a refusal makes it act
)

// Outlook is what the planner will do next.
type Outlook struct {
	State OutlookState
	// At is the tokens of a request from which on it acts, 0 if none makes it act;
	// Left is how many may be added until then, never negative.
	At, Left int
	// Turns is in how many turns that will be, as the last ones went; 0 unknown.
	Turns int
	// What it would do at At, as far as what is said so far tells: how many results
	// and arguments it would hide, how many turns it would summarise, and what would
	// be left of a request, in tokens. All are 0 where nothing is known.
	Masks              int
	SummaryFrom, Until int // turns a summary would cover; Until -1: none
	After              int
	// Asks says that a model may be asked for a summary; after failures in a row none is.
	Asks     bool
	Failures int
	// Saver says that stubs are made below the load line too, where they pay, and
	// Stride how many tokens they have to save for that.
	Saver  bool
	Stride int
	Rule   string // the rule in force, in a few words: the preset, the profile
}

// Outlook tells what the planner will do next.
func (r Rules) Outlook(c Check) Outlook { return Outlook{} }
