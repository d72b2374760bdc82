package adachsoft

// DefaultTrimBytes is adachsoft's default size limit for argument and result fields: larger ones are omitted.
const DefaultTrimBytes = 100

// Params are the settings of Dedupe, as the section dedupe of the configuration.
type Params struct {
	Enabled              bool                `yaml:"enabled" title:"Leaves out large fields of older calls" doc:"Omit large fields of all but the newest call of each kind (adachsoft)."` // Dedupe does not read it
	InputTrimBytes       int                 `yaml:"input_trim_bytes" title:"Longest argument that stays, in bytes" doc:"Argument fields over this many bytes are omitted."`
	OutputTrimBytes      int                 `yaml:"output_trim_bytes" title:"Longest result that stays, in bytes" doc:"Result fields over this many bytes are omitted."`
	ExcludedTools        []string            `yaml:"excluded_tools" title:"Tools that are never shortened" check:"text" doc:"Tools that are never reduced."`
	ToolIdentifierFields map[string][]string `yaml:"tool_identifier_fields" name:"TOOL" names:"text" check:"text" doc:"Argument fields that tell calls of a tool apart; never omitted themselves."`
}
