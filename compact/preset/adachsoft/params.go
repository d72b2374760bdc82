package adachsoft

// DefaultTrimBytes is ADA's default size limit for argument and result fields: larger ones are omitted.
const DefaultTrimBytes = 100

// Params are the settings of Dedupe (ADA).
type Params struct {
	Enabled              bool                // used by callers; Dedupe does not read it
	InputTrimBytes       int                 // argument fields over this many bytes are omitted
	OutputTrimBytes      int                 // result fields over this many bytes are omitted
	ExcludedTools        []string            // tools that are never reduced
	ToolIdentifierFields map[string][]string // arguments that identify a call of a tool; never omitted
}
