package compact

import "plimsoll/conversation"

// Preset names a design: Plimsoll's own, that of a source to the letter, or one to compare with.
type Preset string

// The presets.
const (
	PresetPlimsoll  Preset = "plimsoll"
	PresetJP        Preset = "jp"       // S64, profile default
	PresetJPHeavy   Preset = "jp-heavy" // S64, profile heavy
	PresetJPAuto    Preset = "jp-auto"  // D17
	PresetAdachsoft Preset = "adachsoft"
	PresetOneClaw   Preset = "oneclaw"
	PresetJCLI      Preset = "jcli"
	PresetRaw       Preset = "raw"
	PresetTruncate  Preset = "truncate"
)

// Acting is how a design makes room automatically.
type Acting int

// The ways to make room. A profile that is set to be applied automatically takes their place.
const (
	ActEvict        Acting = iota // evicts the oldest units at the load line, with a note or a summary
	ActSummariseOld               // after a reply above the load line, a summary of all but the protected newest; drops what has none (ONE)
	ActSummariseAll               // before a request above an absolute number of tokens, a summary of everything (JCL)
	ActOnRepeats                  // omits fields of repeated calls before every request, and no more (ADA)
	ActDrop                       // the caller drops the oldest units at the load line
)

// Design is what a preset does besides the values of its rules: what planner, projection and agent ask of it.
type Design struct {
	Style       conversation.Style // of its masks and summaries
	PolicyStyle conversation.Style // of turns that are stripped by a profile
	Acts        Acting

	// Additions says that Plimsoll adds what no source knows: results that point to an equal one, names of what was cut
	// on arrival, a load line that minds a model's price step, a summary that the conversation's next request asks for.
	Additions bool
	// Absolute says that the load line is a number of tokens, whatever the window, and that a summary is waited for.
	Absolute bool
	// Command says that nothing acts automatically unless the user turns that on: the user gives a command.
	Command bool
	// Unchanged says that the log is sent as it is.
	Unchanged bool
	// FailedCallsOnly says that only a call that failed is made again for a summary, never for a poor answer.
	FailedCallsOnly bool
	// Transcript says that the conversation is written to a file before a summary, which the summary names.
	Transcript bool
	// SummaryLog and MaskLog are the names that the source logs its two layers by, "" for none.
	SummaryLog, MaskLog string
}

// design is a row of the table of designs.
type design struct {
	name Preset
	Design
}

// designs has every preset, in the order they are told of.
var designs = []design{
	{PresetPlimsoll, Design{Style: OwnStyle, PolicyStyle: OwnStyle, Additions: true}},
	{PresetJP, jpDesign},
	{PresetJPHeavy, jpDesign},
	{PresetJPAuto, jpDesign},
	{PresetAdachsoft, Design{Style: conversation.StyleAdachsoft, PolicyStyle: OwnStyle, Acts: ActOnRepeats}},
	{PresetOneClaw, Design{Style: conversation.StyleOneClaw, PolicyStyle: OwnStyle, Acts: ActSummariseOld, FailedCallsOnly: true}},
	{PresetJCLI, Design{Style: conversation.StyleJCLI, PolicyStyle: OwnStyle, Acts: ActSummariseAll, Absolute: true,
		Transcript: true, SummaryLog: "auto_compact", MaskLog: "micro_compact"}},
	{PresetRaw, Design{Style: OwnStyle, PolicyStyle: OwnStyle, Unchanged: true}},
	{PresetTruncate, Design{Style: OwnStyle, PolicyStyle: OwnStyle, Acts: ActDrop}},
}

var jpDesign = Design{Style: conversation.StyleJP, PolicyStyle: conversation.StyleJP, Command: true}

// Presets lists the presets in the order they are told of.
func Presets() []Preset {
	names := make([]Preset, len(designs))
	for i, d := range designs {
		names[i] = d.name
	}
	return names
}

// Design returns what the preset does. One of no known name acts as Plimsoll's own, without its additions.
func (p Preset) Design() *Design {
	for i := range designs {
		if designs[i].name == p {
			return &designs[i].Design
		}
	}
	return &otherDesign
}

var otherDesign = Design{Style: OwnStyle, PolicyStyle: OwnStyle}

// Style is the style of the preset's masks and summaries.
func (p Preset) Style() conversation.Style { return p.Design().Style }
