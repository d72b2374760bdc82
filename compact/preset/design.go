// Package preset defines the presets by which a conversation can be compacted. A preset is a named choice; its [Design]
// says how it behaves, its [Wording] which text replaces compacted messages. Only this package knows the presets by
// name. A new one needs a row in designs, a wording and its values. [Rules] are a preset's settings combined with the
// user's; [RulesOf] returns its own. Code that reproduces a published design byte for byte is in a package below. A
// [Profile] is a named way to compact, which users can write. The load line is the request size at which compaction starts.
package preset

import "plimsoll/conversation"

// Name is a preset: Plimsoll's own, a published design reproduced exactly, or a baseline.
type Name string

// The presets, and the published designs that they reproduce; docs/presets.md links them.
const (
	Plimsoll  Name = "plimsoll"
	JP        Name = "jp"        // RFD 064 of JP, with the profile default
	JPHeavy   Name = "jp-heavy"  // RFD 064, with the profile heavy
	JPAuto    Name = "jp-auto"   // draft RFD D17 of JP, which compacts automatically
	Adachsoft Name = "adachsoft" // the PHP package adachsoft/ai-agent-context-tool-compaction
	OneClaw   Name = "oneclaw"   // FEAT-011 of OneClaw
	JCLI      Name = "jcli"      // the program J-CLI
	Raw       Name = "raw"       // baseline: sends everything
	Truncate  Name = "truncate"  // baseline: drops the oldest units
)

// Action is how a preset reduces a conversation automatically.
type Action int

// The automatic actions. A profile for automatic use replaces them; CommandOnly and SendsUnchanged override them.
const (
	ActEvict        Action = iota // evicts the oldest units at the load line, with a note or a summary
	ActSummariseOld               // after a reply above the load line, summarises or drops all but the newest units
	ActSummariseAll               // before a request above an absolute number of tokens, summarises everything
	ActOnRepeats                  // before every request, omits fields of repeated calls
	ActDrop                       // the caller drops the oldest units at the load line
)

// Design is the behaviour of a preset apart from its rule values, as planner, projection and agent use it.
type Design struct {
	Style       conversation.Style // of masks and summaries
	PolicyStyle conversation.Style // of turns that a profile strips
	Action      Action

	// OwnFeatures enables what only Plimsoll's design has: a result may refer to an equal earlier one, a capped result has an
	// index of names, the load line stays below the model's long-context price step, and the conversation's next request
	// may ask for the summary.
	OwnFeatures bool
	// AbsoluteLoadLine has two effects: the load line is a fixed number of tokens for any window, and requests wait for
	// the summary.
	AbsoluteLoadLine bool
	// CommandOnly means that only a user command compacts, unless the user turns automatic compaction on.
	CommandOnly bool
	// SendsUnchanged sends every logged message unchanged.
	SendsUnchanged bool
	// RetriesFailuresOnly retries only a failed summary request, not one with a poor answer.
	RetriesFailuresOnly bool
	// WritesTranscript writes the conversation to a file before a summary; the summary names the file.
	WritesTranscript bool
	// SummaryLog and MaskLog are the names under which the published design logs its summaries and masks, "" for
	// none.
	SummaryLog, MaskLog string
}

type row struct {
	name Name
	Design
}

// designs lists every preset in display order.
var designs = []row{
	{Plimsoll, Design{Style: OwnStyle, PolicyStyle: OwnStyle, OwnFeatures: true}},
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

// All returns the presets in display order.
func All() []Name {
	names := make([]Name, len(designs))
	for i, d := range designs {
		names[i] = d.name
	}
	return names
}

// Names returns the names of all presets, as the user writes them.
func Names() []string {
	var names []string
	for _, d := range designs {
		names = append(names, string(d.name))
	}
	return names
}

// Design returns the behaviour of the preset. An unknown name behaves as Plimsoll's own without OwnFeatures.
func (p Name) Design() *Design {
	for i := range designs {
		if designs[i].name == p {
			return &designs[i].Design
		}
	}
	return &otherDesign
}

var otherDesign = Design{Style: OwnStyle, PolicyStyle: OwnStyle}

// Style returns the style of the preset's masks and summaries.
func (p Name) Style() conversation.Style { return p.Design().Style }
