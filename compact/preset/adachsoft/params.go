package adachsoft

// DefaultTrimBytes is the largest field, of arguments and of results, that stays unless the parameters say otherwise (ADA).
const DefaultTrimBytes = 100

// Params is what the reduction of repeated calls works by (ADA).
type Params struct {
	Enabled              bool                // for the caller; Dedupe does not read it
	InputTrimBytes       int                 // argument fields over this many bytes are omitted
	OutputTrimBytes      int                 // result fields over this many bytes are omitted
	ExcludedTools        []string            // never touched
	ToolIdentifierFields map[string][]string // arguments that tell calls of a tool apart; never omitted
}
