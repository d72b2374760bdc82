// Package preset names the designs that a conversation can be compacted by, and says what each does: when it makes room,
// and what stands where something is hidden. It is the one place that knows them by name: others ask a [Design] or a
// [Wording]. Adding one takes a row of designs, its words, and its values.
// [Rules] are the numbers and switches of one, with what the user set in their place; [RulesOf] gives them. What is a
// source's to the byte stands in a package below.
package preset

import "plimsoll/conversation"

// Name names a design: Plimsoll's own, exactly that of a source, or one to compare with.
type Name string

// The presets.
const (
	Plimsoll  Name = "plimsoll"
	JP        Name = "jp"       // S64, profile default
	JPHeavy   Name = "jp-heavy" // S64, profile heavy
	JPAuto    Name = "jp-auto"  // D17
	Adachsoft Name = "adachsoft"
	OneClaw   Name = "oneclaw"
	JCLI      Name = "jcli"
	Raw       Name = "raw"
	Truncate  Name = "truncate"
)

// Action is how a row makes room automatically.
type Action int

// The ways to make room. A profile that is set to be applied automatically takes their place.
const (
	ActEvict        Action = iota // evicts the oldest units at the load line, with a note or a summary
	ActSummariseOld               // after a reply above the load line, a summary of all but the protected newest; drops what has none (ONE)
	ActSummariseAll               // before a request above an absolute number of tokens, a summary of everything (JCL)
	ActOnRepeats                  // omits fields of repeated calls before every request, and no more (ADA)
	ActDrop                       // the caller drops the oldest units at the load line
)

// Design is what a preset does besides the values of its rules: what planner, projection and agent ask of it.
type Design struct {
	Style       conversation.Style // of its masks and summaries
	PolicyStyle conversation.Style // of turns that are stripped by a profile
	Action      Action

	// HasAdditions says that Plimsoll adds what no source knows: results that point to an equal one, names of what was cut
	// on arrival, a load line that minds a model's price step, a summary that the conversation's next request asks for.
	HasAdditions bool
	// AbsoluteLoadLine says that the load line is a number of tokens, whatever the window, and that a summary is waited for.
	AbsoluteLoadLine bool
	// CommandOnly says that nothing acts automatically unless the user turns that on: the user gives a command.
	CommandOnly bool
	// SendsUnchanged says that the log is sent as it is.
	SendsUnchanged bool
	// RetriesFailuresOnly says that only a call that failed is made again for a summary, never for a poor answer.
	RetriesFailuresOnly bool
	// WritesTranscript says that the conversation is written to a file before a summary, which the summary names.
	WritesTranscript bool
	// SummaryLog and MaskLog are the names that the source logs its two layers by, "" for none.
	SummaryLog, MaskLog string
}

// row is a row of the table of designs.
type row struct {
	name Name
	Design
}

// designs has every preset, in the order they are told of.
var designs = []row{
	{Plimsoll, Design{Style: OwnStyle, PolicyStyle: OwnStyle, HasAdditions: true}},
	{JP, jpDesign},
	{JPHeavy, jpDesign},
	{JPAuto, jpDesign},
	{Adachsoft, Design{Style: conversation.StyleAdachsoft, PolicyStyle: OwnStyle, Action: ActOnRepeats}},
	{OneClaw, Design{Style: conversation.StyleOneClaw, PolicyStyle: OwnStyle, Action: ActSummariseOld, RetriesFailuresOnly: true}},
	{JCLI, Design{Style: conversation.StyleJCLI, PolicyStyle: OwnStyle, Action: ActSummariseAll, AbsoluteLoadLine: true,
		WritesTranscript: true, SummaryLog: "auto_compact", MaskLog: "micro_compact"}},
	{Raw, Design{Style: OwnStyle, PolicyStyle: OwnStyle, SendsUnchanged: true}},
	{Truncate, Design{Style: OwnStyle, PolicyStyle: OwnStyle, Action: ActDrop}},
}

var jpDesign = Design{Style: conversation.StyleJP, PolicyStyle: conversation.StyleJP, CommandOnly: true}

// All lists the presets in the order they are told of.
func All() []Name {
	names := make([]Name, len(designs))
	for i, d := range designs {
		names[i] = d.name
	}
	return names
}

// Names lists the presets as the user writes them.
func Names() []string {
	var names []string
	for _, d := range designs {
		names = append(names, string(d.name))
	}
	return names
}

// Design returns what the preset does. One of no known name acts as Plimsoll's own, without its additions.
func (p Name) Design() *Design {
	for i := range designs {
		if designs[i].name == p {
			return &designs[i].Design
		}
	}
	return &otherDesign
}

var otherDesign = Design{Style: OwnStyle, PolicyStyle: OwnStyle}

// Style is the style of the preset's masks and summaries.
func (p Name) Style() conversation.Style { return p.Design().Style }
