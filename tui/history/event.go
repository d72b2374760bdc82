package history

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// Descriptions of events that are not messages: overlays, a change of the model, notices.

func clock(t time.Time, zone *time.Location) string { return t.In(zone).Format("15:04") }

func (d *document) isUndone(i int) bool {
	_, overlay := conversation.OriginOf(d.Log[i].Body)
	return overlay && !slices.ContainsFunc(d.epochFrom(i), func(e conversation.Event) bool { return d.active[e.Seq] })
}

// undoneLabel says what happened to an overlay that is no longer in force.
func undoneLabel(b conversation.Body) string {
	revert, is := b.(conversation.Revert)
	if b.Kind() == conversation.KindRewind || is && revert.Redoes == 0 {
		return "redone since"
	}
	return "undone"
}

func isCompaction(b conversation.Body) bool {
	switch b.(type) {
	case conversation.Cap, conversation.Mask, conversation.Summary, conversation.Drop:
		return true
	}
	return false
}

func (d *document) describeBriefly(at int) string {
	switch body := d.Log[at].Body.(type) {
	case conversation.ToolResult:
		return strings.TrimSpace(plain.Line(conversation.ToolVerb(body.Tool, true)) + " " + d.subjectOf(d.Log[at].Seq, body.CallID))
	case conversation.AssistantMessage:
		if len(body.Calls) > 0 {
			return "→ " + plain.Line(conversation.ToolVerb(body.Calls[0].Name, false)) + " " + subject(body.Calls[0])
		}
		return plain.Line(conversation.Beginning(strings.TrimSpace(body.Text), maxSubject))
	}
	return d.describe(at)
}

// describe says in a few words what an event did.
func (d *document) describe(i int) string {
	switch body := d.Log[i].Body.(type) {
	case conversation.Cap, conversation.Mask, conversation.Summary, conversation.Drop:
		return d.compacted(i, true)
	case conversation.Rewind:
		if body.Reply != 0 {
			return "sent again without the reply that broke off"
		}
		return "undone: from turn " + pane.Turn(body.Turn) + " on"
	case conversation.Pin:
		return "pinned " + namesOf(body.Events)
	case conversation.Unpin:
		return "pin ended: " + namesOf(body.Events)
	case conversation.Revert:
		return d.reverted(body)
	case conversation.ModelChanged:
		return strings.TrimSuffix("model "+body.Name()+", window "+pane.Tokens(body.Window), ", window 0")
	case conversation.Instructions:
		return "system prompt " + pane.Tokens(d.tokens(body.SystemSize)) + ", tools " + pane.Tokens(d.tokens(body.ToolsSize))
	case conversation.ConfigChanged:
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(body.Set)) {
			parts = append(parts, k+" = "+body.Set[k])
		}
		return "settings: " + strings.Join(parts, ", ")
	case conversation.Renamed:
		return "title: " + body.Title
	case conversation.Notice:
		return body.Text
	case conversation.TurnFailed:
		return strings.TrimSuffix("turn failed: "+body.Message+" · "+body.Hint, " · ")
	case conversation.MCPServer:
		return strings.TrimSuffix("server "+body.Server+" "+body.State+": "+cmp.Or(body.Error, body.Version), ": ")
	case conversation.ToolsLoaded:
		var names []string
		for _, t := range body.Tools {
			names = append(names, t.Name)
		}
		return "tools looked up: " + strings.Join(names, ", ")
	case conversation.SkillLoaded:
		return "skill " + body.Name + " loaded, " + pane.Tokens(d.tokens(body.Size))
	case conversation.InstructionsLoaded:
		return "instructions of " + body.Path + " added, " + pane.Tokens(d.tokens(body.Size))
	case conversation.JobStarted:
		return body.Text()
	case conversation.JobEnded:
		return body.Text() + ", output " + pane.Tokens(d.tokens(body.Size))
	case conversation.TaskStarted:
		return "task " + body.Conversation + " started: " + body.Prompt
	case conversation.TaskEnded:
		return "task " + body.Conversation + " ended, " + body.State + ", " + pane.Tokens(body.Tokens) + " kept out"
	case conversation.HookRan:
		return strings.TrimSuffix("hook "+body.Moment+": "+body.Command+": "+body.Reason, ": ")
	case conversation.Checkpoint:
		if body.Unknown {
			return "which files " + body.By + " changed is not known"
		}
		return "kept before " + body.By + " changed it: " + pathsOf(body.Files)
	case conversation.Rewound:
		return fmt.Sprintf("files brought back to before turn %s: %s", pane.Turn(body.Turn), pathsOf(body.Files))
	case conversation.Attempt:
		return "compaction " + body.Outcome + ": " + body.Why
	case conversation.Usage: // only the list of compactions shows it
		return "a summary was paid for, and no compaction has used it so far"
	}
	return "written by a newer version of Plimsoll: " + string(d.Log[i].Body.Kind())
}

func pathsOf(files []conversation.FileVersion) string {
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	return strings.Join(paths, ", ")
}

// compacted describes a compaction, with or without its tokens.
func (d *document) compacted(i int, tokens bool) string {
	origin, _ := conversation.OriginOf(d.Log[i].Body)
	text := "compacted"
	if tokens && origin.Before > 0 {
		text += " " + pane.Tokens(origin.Before) + " → " + pane.Tokens(origin.After)
	}
	return strings.TrimSuffix(text+": "+pane.Reason(origin.Why), ": ")
}

// causedBy says who caused an overlay, with a space before it; "" for the user.
func causedBy(origin conversation.Origin) string {
	switch origin.Source {
	case conversation.SourceAuto:
		return " automatically"
	case conversation.SourceTool:
		return " at the model's request"
	case conversation.SourceRecovery:
		return " to recover from an overflow"
	}
	return ""
}

func (d *document) reverted(r conversation.Revert) string {
	of, done := "", "compaction undone"
	if r.Redoes != 0 {
		done = "compaction redone"
	}
	if i := d.index(cmp.Or(r.Redoes, r.Epoch, r.Event)); i >= 0 {
		switch d.Log[i].Body.(type) {
		case conversation.Rewind, conversation.Revert:
			return "what was undone is active again"
		}
		origin, _ := conversation.OriginOf(d.Log[i].Body)
		if turns, _, _ := strings.Cut(pane.Reason(origin.Why), ","); strings.HasPrefix(turns, "turn") {
			of = ": " + turns
		}
	}
	return done + of
}

// namesOf lists the names of events, at most six.
func namesOf(events []uint64) string {
	const most = 6
	var parts []string
	for _, seq := range events[:min(len(events), most)] {
		parts = append(parts, eventName(seq))
	}
	if len(events) > most {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

// facts draws what an event is, who caused it, its result and its summaries. Each fact is said once, and not if the row says it.
func (d *drawer) facts(at int, row string, width int) (out []line) {
	e, said := d.document.Log[at], ansi.Strip(row)
	say := func(facts ...string) {
		facts = slices.DeleteFunc(facts, func(fact string) bool { return strings.Contains(said, plain.Line(fact)) })
		text := strings.Join(facts, ", ")
		said += "\n" + plain.Line(text)
		out = append(out, d.wholeText(text, d.styles.Muted, width)...)
	}
	entry := d.document.entries[e.Seq]
	say(d.eventText(at, width))
	say(tokensOfEntry(entry), resultWord(entry)+meaningOf(entry.Result))
	origin, ok := conversation.OriginOf(e.Body)
	if a, attempt := e.Body.(conversation.Attempt); attempt {
		origin, ok = conversation.Origin{Source: a.Source, Trigger: a.Trigger, Preset: a.Preset, Profile: a.Profile}, true
	}
	if ok {
		about := []string{"made" + causedBy(origin) + " in turn " + pane.Turn(e.Turn), clock(e.Time, d.zone)}
		for _, p := range [][2]string{{"set off by", origin.Trigger}, {"preset", origin.Preset}, {"profile", origin.Profile}} {
			if p[1] != "" {
				about = append(about, p[0]+" "+p[1])
			}
		}
		say(about...)
	}
	for _, o := range d.document.epochFrom(at) {
		s, _ := o.Body.(conversation.Summary)
		of := " of " + pane.Turns(s.FromTurn, s.ToTurn)
		if strings.HasPrefix(" of "+pane.Reason(origin.Why)+",", of+",") {
			of = ""
		}
		switch {
		case s.Model != "":
			text := "summary" + of + " by " + s.Model
			if s.Depth > 0 {
				text += fmt.Sprintf(", %s from the originals", numbers.Count(s.Depth, "step"))
			}
			if s.Edited {
				text += ", edited by you"
			}
			say(text)
		case s.Policies == nil && s.Text == "" && o.Body.Kind() == conversation.KindSummary:
			say("note" + of + " by the program, without a model")
		}
	}
	say(costsOf(entry)...)
	return out
}

// eventName names an event as the recall tool does: e41.
func eventName(seq uint64) string { return "e" + strconv.FormatUint(seq, 10) }

// eventsName names consecutive events: e41–e44.
func eventsName(events []uint64) string {
	switch n := len(events); n {
	case 0:
		return "no event"
	case 1:
		return eventName(events[0])
	default:
		return eventName(events[0]) + "–" + eventName(events[n-1])
	}
}
