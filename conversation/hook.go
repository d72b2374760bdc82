package conversation

// HookMoment is a moment of a conversation at which commands of the user run.
type HookMoment string

// The moments, by their keys in the configuration.
const (
	HookBeforeTool       HookMoment = "before_tool"
	HookAfterTool        HookMoment = "after_tool"
	HookMessage          HookMoment = "message"
	HookBeforeCompaction HookMoment = "before_compaction"
	HookAfterCompaction  HookMoment = "after_compaction"
	HookTurnEnd          HookMoment = "turn_end"
)

// HookInput is what hooks of a moment get.
type HookInput struct {
	Moment    HookMoment
	Tool      string // of a call
	Arguments string // of a call, JSON
	Status    string // of a result
	Result    string // text of a result
	Message   string // that is sent
	Before    int    // tokens of the view before a compaction
	After     int    // and after it
	Reason    string // why a compaction is made, or how a turn ended
}

// HookOutput is what hooks of a moment want.
type HookOutput struct {
	Refused bool
	Reason  string    // of the refusal
	Add     string    // text for the model, each part with the command that added it
	Keep    []string  // what a summary has to keep
	Ran     []HookRan // the events of the runs
}
