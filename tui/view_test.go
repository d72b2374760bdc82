package tui_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/tui"
)

// metered is a meter with a value in every field.
func metered() updates.Metered {
	cost := 0.42
	events := log(
		conversation.UserMessage{Text: strings.Repeat("words ", 2000)}, conversation.AssistantMessage{Text: strings.Repeat("words ", 6000), Stop: conversation.StopEnd},
		conversation.ToolResult{CallID: "1", Text: strings.Repeat("words ", 20_000)})
	m := meter.New(meter.Options{Window: fakeModel().Window}).
		WithPrompt(conversation.Size{ASCII: 4000}, conversation.Size{ASCII: 12_000}).WithView(projection.Project(events))
	return updates.Metered{Meter: m.WithUsage(conversation.Usage{Prompt: 78_100, Cached: 71_852, CacheWrite: -1, Completion: -1, Reasoning: -1,
		Estimate: m.RequestEstimate(), CostUSD: &cost, PriceSource: "reported"})}
}

func TestMainScreen(t *testing.T) {
	for name, colourless := range map[string]bool{"dark": false, "mono": true} {
		for _, at := range [][2]int{{80, 24}, {40, 12}} {
			if colourless && at[0] != 80 {
				continue
			}
			screenOf(t, fmt.Sprintf("%s/%dx%d", name, at[0], at[1]), func(_ *rig, o *tui.Options) { o.Colourless = colourless }, func(r *rig) {
				r.resize(at[0], at[1])
				fillTranscript(r)
				r.sendUpdates(metered())
				r.typeText("so fix it, and @upload.go too")
				golden.RequireEqual(r.t, r.m.View().Content+"\n")
			})
		}
	}
}

func TestScreens(t *testing.T) {
	for _, at := range [][2]int{{80, 24}, {40, 12}} {
		screenOf(t, fmt.Sprintf("%dx%d", at[0], at[1]), func(r *rig, _ *tui.Options) {
			r.width, r.height = at[0], at[1]
			r.first.Model = llm.Model{Provider: "demo", ID: "rules", Badge: "not an AI", Window: meter.Window{Tokens: 8192, Source: meter.WindowServer}}
		}, func(r *rig) {
			var b strings.Builder
			shot := func(name string) { fmt.Fprintf(&b, "== %s\n%s\n", name, r.text()) }
			shot("welcome")
			r.typeText("/co")
			shot("completions")
			r.press("esc", "ctrl+c")
			r.submit("what is this?")
			r.sendAppended(conversation.UserMessage{Text: "what is this?"})
			r.sendUpdates(updates.Status{Phase: updates.Retrying, Since: time.Now(), Attempt: 2, Wait: 5 * time.Second, Why: "too many requests"})
			shot("retrying")
			r.sendUpdates(updates.Status{Phase: updates.Asking, Since: time.Now()}, approval("1", "go test ./..."))
			shot("approval")
			r.sendUpdates(updates.ApprovalClosed{CallID: "1"}, updates.Status{Phase: updates.Idle})
			r.sendUpdates(updates.Failed{Err: &llm.Error{Class: llm.Quota, Status: 402, Message: "no credit is left", Hint: "add credit, or switch with /model"}})
			shot("failed")
			golden.RequireEqual(r.t, b.String())
		})
	}
}

// The rig checks every view; this test shows all sizes and states.
func TestEveryTerminalSize(t *testing.T) {
	states := map[string]func(r *rig){
		"welcome":    func(*rig) {},
		"talk":       fillTranscript,
		"completing": func(r *rig) { fillTranscript(r); r.typeText("and @") },
		"commands":   func(r *rig) { r.typeText("/") },
		"search":     func(r *rig) { r.press("ctrl+r"); r.typeText("one") },
		"draft":      func(r *rig) { r.send(tea.PasteMsg{Content: strings.Repeat("a line\n", 60) + "the last"}) },
		"approval":   func(r *rig) { fillTranscript(r); r.sendUpdates(approval("1", strings.Repeat("a long command ", 40))) },
		"help":       func(r *rig) { r.press("?") },
		"list":       func(r *rig) { r.submit("/model") },
		"optimizing": func(r *rig) {
			r.sendUpdates(updates.Appended{Events: history()})
			startSummary(r)
			r.wait(16 * time.Second)
		},
		"preview": func(r *rig) {
			r.sendAppended(twoTurns...)
			r.submit("/compact --dry-run \u202e" + strings.Repeat("漢字", 40))
			r.sendUpdates(updates.Previewed{Preview: edit.Preview{Profile: "\x1b[2J", Layers: []edit.Layer{{Kind: "\x07", Events: -1 << 60}},
				Summary: &edit.SummaryNeed{Model: "\x1b]0;x\x07"}}})
		},
		"hostile": func(r *rig) {
			text := "\x1b]52;c;aGk=\x07 \u202e漢字👨‍👩‍👧‍👦\x9b1m z" + strings.Repeat("\u0301", 40) + "\n"
			r.sendAppended(conversation.Renamed{Title: text}, conversation.UserMessage{Text: text})
			r.sendUpdates(updates.Delta{Text: text, Reasoning: text}, updates.Queued{Texts: []string{text, text}},
				updates.Status{Phase: updates.Retrying, Why: text}, updates.ModelSwitched{Model: llm.Model{Provider: text, ID: text, Badge: text}})
			r.sendAppended(wroteTodos("1", 1, text, text)...)
		},
	}
	for name, state := range states {
		screenOf(t, name, func(r *rig, _ *tui.Options) { r.prompts = []string{"one", "two"} }, func(r *rig) {
			state(r)
			for _, at := range [][2]int{{1, 1}, {2, 2}, {1, 40}, {200, 1}, {3, 3}, {20, 6}, {40, 12}, {80, 24}, {120, 40}, {500, 200}} {
				r.resize(at[0], at[1])
			}
			rng := rand.New(rand.NewPCG(1, uint64(len(name))))
			for range 10 {
				r.resize(1+rng.IntN(140), 1+rng.IntN(50))
				if rng.IntN(4) == 0 {
					r.press([]string{"pgup", "pgdown", "ctrl+o", "up", "down"}[rng.IntN(5)])
				}
			}
		})
	}
}
