package tui_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/inspect"
	"plimsoll/compact/planner"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/find"
	"plimsoll/tui"
)

// Hostile texts of models, tools, files and conversations in every view. After each message the rig checks the screen for
// control sequences and its size.

// evil is harmful terminal text: it clears the screen, writes the clipboard, reverses text, rings the bell, sets colours.
const evil = "\x1b[2J\x1b]52;c;aGk=\x07 \u202e\u2066漢字👨‍👩‍👧‍👦\x9b1m\x90q\x1b\\ z\u0301\u0301\u0301\r\v\x7f \x1b[31mred\x1b]0;x\x07"

func hostileConversation() []conversation.Body {
	bodies := sampleConversation()
	for i, body := range bodies {
		switch b := body.(type) {
		case conversation.UserMessage:
			b.Text = evil + " why " + evil
			bodies[i] = b
		case conversation.AssistantMessage:
			b.Text, b.Reasoning = "**"+evil+"**\n\n```"+evil+"\n"+evil+"\n```", evil
			for j := range b.Calls {
				b.Calls[j].Name, b.Calls[j].Arguments = evil, `{"path":"`+evil+`"}`
			}
			bodies[i] = b
		case conversation.ToolResult:
			b.Tool, b.Text, b.Detail = evil, strings.Repeat(evil+"\n", 30), evil
			bodies[i] = b
		case conversation.Usage:
			b.Model = evil
			bodies[i] = b
		case conversation.Summary:
			b.Origin.Why, b.Origin.Trigger, b.Text, b.Appendix, b.Model = evil, evil, evil+"\n\ne4 in turn 1 "+evil, evil, evil
			bodies[i] = b
		case conversation.Mask:
			b.Origin.Why, b.Origin.Trigger, b.Origin.Preset = evil, evil, evil
			bodies[i] = b
		}
	}
	return append(bodies, conversation.Renamed{Title: evil}, conversation.Attempt{Outcome: conversation.AttemptFailed, Why: evil, Model: evil},
		conversation.Notice{Level: conversation.NoticeWarning, Text: evil}, conversation.UserMessage{Text: evil}, conversation.AssistantMessage{Text: evil, Stop: conversation.StopEnd})
}

func withHostileConversation(r *rig, o *tui.Options) {
	r.setLog(hostileConversation()...)
	r.first.Title, o.Workspace = evil, evil
	r.first.Profiles = []tui.Profile{{Name: "default", Note: evil}, {Name: evil, Note: evil, Summarises: true}}
	r.next.Title, r.next.Events, r.next.Meter, r.next.Notes = evil, r.first.Events, r.first.Meter, []string{evil}
	for at, q := range r.archive.requests {
		q.System, q.Why, q.Hash, q.MatchesSent = evil, evil, evil, false
		q.Tools = []conversation.ToolSpec{{Name: evil, Description: evil, Parameters: conversation.RawJSON(`{}`)}}
		r.archive.requests[at] = q
	}
	hit := find.Hit{Conversation: "first", Title: evil, Event: atFix, Time: time.Now(), Who: evil, Excerpt: evil + "fix" + evil, At: find.Span{Start: len(evil), End: len(evil) + 3}}
	other := hit
	other.Conversation = "other"
	r.archive.found = map[string]tui.Found{"fix": {Query: "fix", Hits: []find.Hit{hit, hit, other}, Conversations: 2}}
	r.stored = []tui.Stored{{ID: "other", Title: evil, Open: evil}}
	r.changedSettings["compaction.preset"] = evil
}

func hostileAnswers() []updates.Update {
	p := plan
	p.Profile, p.Layers = evil, []edit.Layer{{Kind: evil, Events: 3, Saved: 700}}
	p.Summary = &edit.SummaryNeed{Model: evil, Covers: 900, Estimate: 90}
	breakdown := inspect.Breakdown{Forecast: planner.Forecast{Timing: planner.Timing{State: planner.TimingReady}, Rule: evil, SummaryTo: -1, EvictTo: -1, ColdTo: -1},
		Heaviest: []inspect.Item{{Event: atRun, Kind: projection.Results, Label: evil, Tokens: 300, Original: 300, State: projection.StateVerbatim, Why: evil}},
		Savings:  []inspect.Saving{{Kind: evil, Items: 1, Tokens: 3}}}
	bad := &llm.Error{Class: llm.BadRequest, Message: evil, Hint: evil}
	return []updates.Update{
		previewAnswer(p), updates.Previewed{Err: bad}, updates.Inspected{Breakdown: breakdown}, updates.Reviewing{Text: strings.Repeat(evil+"\n", 20), Appendix: evil, Covers: 9_100, Request: edit.Request{Focus: evil}},
		updates.Reviewed{}, updates.Edited{What: updates.EditPin, Err: bad}, updates.Edited{What: updates.EditMask, Before: 9, After: 3}, updates.CompactionFailed{Err: bad},
		updates.Delta{Text: evil, Reasoning: evil}, updates.Failed{Err: bad}, updates.Status{Phase: updates.Retrying, Why: evil}, updates.Status{Phase: updates.Idle},
		updates.Queued{Texts: []string{evil}}, approval("c1", evil), updates.ApprovalClosed{CallID: "c1"}, updates.ModelSwitched{Model: llm.Model{Provider: evil, ID: evil, Badge: evil}},
		updates.OpenElsewhere{Why: evil},
	}
}

func TestHostileTextInEveryView(t *testing.T) {
	answers := hostileAnswers()
	for name, open := range map[string][]string{
		"history": {"ctrl+t"}, "context": nil, "ledger": nil, "preview": {"ctrl+k"}, "review": nil, "search": nil, "settings": nil,
	} {
		screenOf(t, name, withHostileConversation, func(r *rig) {
			switch {
			case open != nil:
				r.press(open...)
			case name == "review":
				r.sendUpdates(answers[3])
				r.submit("/review")
			case name == "search":
				r.submit("/search fix")
			case name == "settings":
				r.submit("/settings")
				r.press("tab") // to a group
			default:
				r.submit("/" + name)
			}
			r.wantView(name)
			r.sendUpdates(answers[0], answers[2])
			r.wantText("␛") // control characters are shown, not removed
			for _, at := range [][2]int{{40, 12}, {20, 6}, {100, 30}} {
				r.resize(at[0], at[1])
				r.press("home")
				for range 12 { // unfold every row on the way down
					r.press("down")
					if name == "history" || name == "ledger" && at[0] < 100 {
						r.press("enter")
					}
				}
				if name == "history" {
					r.press("ctrl+t", "ctrl+t", "[", "home", "enter", "down", "enter")
				}
			}
			r.sendUpdates(answers[5], answers[7], answers[9]) // errors and edits show a snackbar
			r.wantView(name)
		})
	}
}

func TestHostileErrorsOfTheBackend(t *testing.T) {
	screen(t, withHostileConversation, func(r *rig) {
		for _, name := range []string{"request", "full", "search", "resume"} {
			r.failing[name] = errors.New(evil)
		}
		r.press("ctrl+t", "[", "esc")
		r.selectRow("e4 ")
		r.press("enter", "q")
		r.press("ctrl+t", "q")
		r.submit("/search fix")
		r.press("enter", "esc")
		r.submit("/resume other")
	})
}

func TestAnyKeysInAnyViews(t *testing.T) {
	var names []string
	for _, b := range allBindings(tui.DefaultKeyMap()) {
		names = append(names, b.Keys()...)
	}
	names = append(names, "a", "1", "2", "Z", "漢", "/", "@", "!")
	for seed := range uint64(4) {
		screenOf(t, fmt.Sprint(seed), withHostileConversation, func(r *rig) {
			rng := rand.New(rand.NewPCG(seed, 1))
			if seed == 0 {
				r.first.ReadOnly = evil
			}
			answers := hostileAnswers()
			commands := []string{"/context", "/ledger", "/search fix", "/review", "/history 1", "/compact --dry-run", "/rewind", "/model", "/pin 1"}
			for range 250 {
				switch rng.IntN(14) {
				case 0:
					r.sendUpdates(answers[rng.IntN(len(answers))])
				case 1:
					r.resize(20+rng.IntN(120), 6+rng.IntN(40))
				case 2:
					r.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: rng.IntN(r.width), Y: rng.IntN(r.height)},
						tea.MouseWheelMsg{Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[rng.IntN(2)], X: 3, Y: 3})
				case 3:
					r.send(tea.PasteMsg{Content: evil})
				case 4:
					r.submit(commands[rng.IntN(len(commands))])
				case 5:
					r.appendEvents(conversation.UserMessage{Text: evil}, conversation.Renamed{Title: evil})
				case 6:
					r.wait(time.Duration(rng.IntN(3000)) * time.Millisecond)
				default:
					r.press(names[rng.IntN(len(names))])
				}
			}
		})
	}
}
