package tui_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/tui"
)

// twoTurns are two turns to compact: the events 1 to 4.
var twoTurns = []conversation.Body{
	conversation.UserMessage{Text: "why does it fail?"}, conversation.AssistantMessage{Text: "The port is shared.", Stop: conversation.StopEnd},
	conversation.UserMessage{Text: "fix it"}, conversation.AssistantMessage{Text: "Done.", Stop: conversation.StopEnd},
}

// history returns events, a compaction after them, and further bodies.
func history(more ...conversation.Body) []conversation.Event {
	made := conversation.Origin{Epoch: 5, Source: conversation.SourceManual, Before: 91_000, After: 34_000, Why: "turns 0–1, 12 results masked, 1 summary"}
	bodies := append([]conversation.Body{}, twoTurns...)
	bodies = append(bodies, conversation.Summary{Origin: made, Text: "x", ToTurn: 1}, conversation.Mask{Origin: made})
	return log(append(bodies, more...)...)
}

// startSummary begins a summary without a turn.
func startSummary(r *rig) {
	r.sendUpdates(updates.Compacting{Since: time.Now(), Summary: true, Source: conversation.SourceManual})
}

// plan is the result of a preview.
var plan = edit.Preview{Profile: "default", Range: edit.Range{From: 0, To: 4}, Before: 12_100, After: 5_300, BreakAt: 3, Rewritten: 4_200,
	Layers: []edit.Layer{{Kind: "arguments", Events: 3, Saved: 700}, {Kind: "results", Events: 12, Saved: 6_100}, {Kind: "odd", Saved: -9}}}

func TestCompactionScreens(t *testing.T) {
	for _, at := range [][2]int{{80, 24}, {40, 12}} {
		screenOf(t, fmt.Sprintf("%dx%d", at[0], at[1]), func(r *rig, _ *tui.Options) {
			r.width, r.height = at[0], at[1]
			r.first.Events = history()
		}, func(r *rig) {
			var b strings.Builder
			shot := func(name string) { fmt.Fprintf(&b, "== %s\n%s\n", name, r.text()) }
			r.sendUpdates(metered())
			shot("stored")
			r.sendUpdates(updates.Compacted{Epoch: 5, Preview: plan})
			shot("made")
			startSummary(r)
			r.wait(4*time.Second + time.Millisecond)
			r.typeText("next question")
			shot("optimizing")
			r.wait(13 * time.Second)
			shot("optimizing for long")
			r.press("enter")
			r.sendUpdates(updates.Appended{Events: history(conversation.Attempt{Outcome: conversation.AttemptFailed, Why: "the summary is empty"})[6:]},
				updates.CompactionFailed{Err: &llm.Error{Class: llm.Empty, Message: "the summary is empty", Hint: "try again"}}, updates.Status{Phase: updates.Idle})
			shot("failed")
			r.submit("/compact --dry-run keep the ports")
			need := plan
			need.Summary = &edit.SummaryNeed{Input: preset.InputView, Covers: 9_100, Estimate: 3_600}
			r.sendUpdates(previewAnswer(need))
			shot("preview")
			r.wait(5 * time.Second)
			r.press("esc")
			r.sendAppended(history(conversation.Revert{Origin: conversation.Origin{Epoch: 7}, Epoch: 5})[6].Body)
			r.sendUpdates(updates.Compacted{Epoch: 5, Undone: true, Preview: edit.Preview{Before: 34_000, After: 91_000}})
			shot("undone")
			golden.RequireEqual(r.t, b.String())
		})
	}
}

func previewAnswer(p edit.Preview) updates.Previewed {
	read := func(used int) meter.Reading {
		r := meter.Reading{Window: fakeModel().Window, Used: used, AfterSend: used, LoadLine: 108_800, HardLine: 121_600, Reserve: 16_000, CachedShare: -1, Estimated: true}
		r.Segments[projection.Results] = used
		return r
	}
	cost, pays := 0.03, 4
	return updates.Previewed{Preview: p, Now: read(p.Before), Then: read(p.After), CostNow: &cost, PaysAfter: &pays}
}

// The commands of compaction, rewind and fork, and the calls of the agent that they make.
func TestCommandsOfCompaction(t *testing.T) {
	for typed, want := range map[string]string{
		"/compact":                                  "first compact",
		"/compress the ports":                       "first compact focus=the ports",
		"/summarize":                                "first compact profile=heavy",
		"/summarize --profile light -- --x":         "first compact profile=light focus=--x",
		"/compact --from=1 --to -2 --profile heavy": "first compact profile=heavy from=1 to=-2",
		"/compact --keep 5":                         "first compact keep=5",
		"/compact --undo":                           "first undo 0",
		"/compact --redo":                           "first redo",
		"/compact --dry-run":                        "first preview",
		"/summarize --dry-run":                      "first preview profile=heavy",
		"/undo-compact":                             "first undo 0",
		"/undo-compact 57":                          "first undo 57",
		"/redo-compact":                             "first redo",
		"/profile heavy":                            "first profile heavy",
		"/fork":                                     "fork",
		"/export talk.md":                           "page export talk.md",
		"/tools":                                    "page tools",
		"/cost":                                     "page cost",
		"/undo":                                     "first rewind -1",
		"/redo":                                     "first restore turns",
		"/rewind 1":                                 "first rewind 0",
	} {
		screenOf(t, typed, nil, func(r *rig) {
			r.sendAppended(twoTurns...)
			r.submit(typed)
			r.wantCalls(want)
		})
	}
}

func TestCommandsOfCompactionRefuse(t *testing.T) {
	for typed, want := range map[string]string{
		"/compact --form=1":        "there is no flag --form",
		"/compact --to=1 --keep=2": "both say where the range ends",
		"/undo-compact last":       "usage: /undo-compact [NUMBER]",
		"/undo-compact 0":          "usage: /undo-compact [NUMBER]",
		"/profile steep":           `there is no profile "steep"; there are default, heavy`,
	} {
		screenOf(t, typed, nil, func(r *rig) {
			r.sendAppended(twoTurns...)
			r.submit(typed)
			r.wantCalls()
			r.wantText(want)
		})
	}
}

func TestCompactingIsRefusedWhenImpossible(t *testing.T) {
	commands := []string{"/compact", "/summarize", "/compact --dry-run", "/undo-compact", "/redo-compact"}
	for name, c := range map[string]struct {
		change func(*rig, *tui.Options)
		want   string
	}{
		"nothing was said": {nil, "this conversation is empty"},
		"read only": {func(r *rig, _ *tui.Options) {
			r.first.Events, r.first.ReadOnly = history(), "read only: open elsewhere"
		}, "read only: open elsewhere"},
		"not open": {func(r *rig, _ *tui.Options) { r.failing["open"] = errors.New("the disk is gone") }, "no conversation is open"},
		"opening":  {func(r *rig, _ *tui.Options) { r.portGate = make(chan struct{}) }, "a conversation is still being opened"},
	} {
		screenOf(t, name, c.change, func(r *rig) {
			for _, typed := range commands {
				r.submit(typed)
				r.wantCalls()
				if !strings.Contains(r.text(), c.want) {
					r.t.Errorf("%s does not say %q:\n%s", typed, c.want, r.text())
				}
				r.wait(5 * time.Second)
				r.press("ctrl+u") // it left its line
			}
			r.press("ctrl+x", "ctrl+k")
			r.wantCalls()
		})
	}
}

func TestAClickOnTheLineUndoesTheCompaction(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.first.Events = history() }, func(r *rig) {
		y := r.row("ctrl+x undo")
		before, _, _ := strings.Cut(r.lines()[y], "ctrl+x")
		x := len([]rune(before))
		r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}, tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
		r.wantCalls("first undo 5")
	})
}

// Everything works while a summary is written, and its indicator disappears when it ends.
func TestTheSummaryIndicatorBlocksNothing(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.first.Events = history() }, func(r *rig) {
		startSummary(r)
		r.wantText("Optimizing conversation context…")
		if below, line := r.row("· cache rebuilt once"), r.row("Optimizing"); line != below+2 {
			t.Errorf("the indicator is in line %d, the newest item in line %d", line, below)
		}
		r.submit("and then?") // it is sent at once, and its turn may end before the summary
		r.wantCalls("first send and then?")
		r.sendUpdates(updates.Status{Phase: updates.Streaming, Since: time.Now()}, updates.Delta{Text: "Then"})
		r.wantText("Optimizing conversation context…", "answering")
		r.sendUpdates(updates.Discarded{}, updates.Status{Phase: updates.Idle})
		r.wantNoText("queued")
		r.wait(4*time.Second + time.Millisecond)
		r.wantText("Optimizing conversation context… 4 s")
		r.wantNoText("stops it")
		r.wait(11 * time.Second)
		r.wantText("Optimizing conversation context… 15 s so far (esc stops it)")

		r.press("esc")
		r.wantCalls("first cancel")
		r.wantText("(stopping)")
		stopped := &llm.Error{Class: llm.Cancelled, Message: "the compaction was stopped"}
		r.sendAppended(conversation.Attempt{Outcome: conversation.AttemptCancelled, Why: stopped.Message})
		r.sendUpdates(updates.CompactionFailed{Err: stopped}, updates.Status{Phase: updates.Idle})
		r.wantText("▎ the compaction was stopped")
		r.wantNoText("Optimizing")
		if n := strings.Count(r.text(), stopped.Message); n != 1 {
			t.Errorf("the reason is shown %d times:\n%s", n, r.text())
		}
	})
}

// The message names the key or command that redoes the compaction in the visible view, also on a narrow screen.
func TestAnUndoNamesTheRedoKey(t *testing.T) {
	undone := updates.Compacted{Epoch: 1, Preview: edit.Preview{Before: 34_000, After: 91_000}, Undone: true}
	off := map[string][]string{"history_redo": {}}
	for name, c := range map[string]struct {
		view string
		keys map[string][]string
		want string
	}{
		"in the conversation":           {"", nil, "/redo-compact redoes it"},
		"in the history":                {"history", nil, "r redoes it"},
		"in the history, bound anew":    {"history", map[string][]string{"history_redo": {"f9"}}, "f9 redoes it"},
		"in the history, without a key": {"history", off, "/redo-compact redoes it"},
	} {
		screenOf(t, name, func(r *rig, o *tui.Options) {
			withSampleLog(r, o)
			var err error
			if o.Keys, err = tui.DefaultKeyMap().Rebind(c.keys); err != nil {
				r.t.Fatal(err)
			}
		}, func(r *rig) {
			if c.view != "" {
				openView[c.view](r)
			}
			r.wantView(c.view)
			r.sendUpdates(undone)
			r.wantText("Compaction undone (" + c.want + "): 91k again")
			shown := undone
			if shown.Epoch = 13; c.view == "" { // its card says it
				r.wait(4*time.Second + time.Millisecond)
				r.sendUpdates(shown)
				r.wantNoText("Compaction undone")
				r.sendUpdates(undone)
			}
			r.resize(40, 12)
			r.wantText(c.want[:6])
			if c.view == "history" || c.view == "ledger" {
				r.press("q")
				r.wantView("")
				r.wantNoText(c.want) // here the key types a letter
			}
		})
	}
}

func TestTheReasonOfAFailedCompactionStaysInTheTranscript(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.first.Events = history() }, func(r *rig) {
		r.sendUpdates(updates.CompactionFailed{Err: &llm.Error{Class: llm.ServerFault, Status: 502, Message: "no summary was written", Hint: "try again"}})
		r.wantText(" ▍ no summary was written", "try again")
		attempt := conversation.Attempt{Outcome: conversation.AttemptFailed, Why: "the summary came back empty"}
		failed := updates.CompactionFailed{Err: &llm.Error{Class: llm.Empty, Message: attempt.Why, Hint: "use another profile"}}
		r.sendAppended(attempt)
		r.sendUpdates(failed)
		r.wantText("▎ Compaction failed: the summary came back empty", "use another profile")
		if n := strings.Count(r.text(), attempt.Why); n != 1 {
			t.Errorf("the reason stands there %d times:\n%s", n, r.text())
		}
		r.sendUpdates(failed) // later, without an attempt in the log
		if n := strings.Count(r.text(), attempt.Why); n != 2 {
			t.Errorf("a second request shows no reason:\n%s", r.text())
		}
		r.press("home")
		r.sendUpdates(updates.CompactionFailed{Err: &llm.Error{Class: llm.BadRequest, Message: "nothing to compact"}})
		r.wait(time.Second)
		r.press("end")
		r.wantText(" · nothing to compact")
	})
}

func TestProfilesArePickedFromAList(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.submit("/profile")
		r.wantText("default", "shortens results", "heavy", "the model writes a summary")
		r.press("down", "enter")
		r.wantCalls("first profile heavy")
		r.wantText("default compaction profile: heavy · the model writes a summary")
		r.sendAppended(conversation.ConfigChanged{Set: map[string]string{"compaction.default_profile": `"default"`}})
		r.submit("/profile")
		r.press("enter") // begins at the one in force
		r.wantCalls("first profile default")
	})
}

func TestARefusedCompactionReturnsItsLine(t *testing.T) {
	refused := updates.CompactionFailed{Err: &llm.Error{Class: llm.BadRequest, Message: "nothing is there to compact"}}
	for name, began := range map[string]bool{"refused": false, "failed while it was written": true} {
		screenOf(t, name, func(r *rig, _ *tui.Options) { r.first.Events = history() }, func(r *rig) {
			r.submit("/summarize --keep-last 1")
			if began {
				r.sendUpdates(updates.Compacting{Summary: true, Since: time.Now()})
			}
			r.sendUpdates(refused)
			if left := strings.Contains(r.text(), "│ /summarize --keep-last 1"); left == began {
				r.t.Errorf("the line is there: %v\n%s", left, r.text())
			}
		})
	}
}
