package edit_test

import (
	"strings"
	"testing"
	"time"

	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// read is a log of turns in each of which a reply with reasoning reads a file.
func read(turns int) []conversation.Event {
	var log conversation.Log
	for range turns {
		for _, b := range []conversation.Body{
			conversation.UserMessage{Text: "look at it"},
			conversation.AssistantMessage{Reasoning: "I should look.", Stop: conversation.StopCalls,
				Calls: []conversation.ToolCall{{ID: "c", Name: "modify_file", Arguments: `{"path":"a.go","text":"` + strings.Repeat("words ", 200) + `"}`}}},
			conversation.ToolResult{CallID: "c", Tool: "modify_file", Status: conversation.ResultOK, Text: strings.Repeat("line of the file\n", 200)},
			conversation.AssistantMessage{Text: "done", Stop: conversation.StopEnd},
		} {
			if err := log.Commit(log.Prepare(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), b)); err != nil {
				panic(err)
			}
		}
	}
	return log.Events()
}

// readQuietly is the same with arguments of a reading tool, which stay.
func readQuietly(turns int) []conversation.Event {
	log := read(turns)
	for i, e := range log {
		switch b := e.Body.(type) {
		case conversation.AssistantMessage:
			if len(b.Calls) > 0 {
				b.Calls = []conversation.ToolCall{{ID: "c", Name: "read_file", Arguments: `{"path":"a.go"}`}}
				log[i].Body = b
			}
		case conversation.ToolResult:
			b.Tool = "read_file"
			log[i].Body = b
		}
	}
	return log
}

func previewOf(t *testing.T, log []conversation.Event, profile string, echo bool, name preset.Name) edit.Preview {
	t.Helper()
	s := edit.Inputs{Meter: meter.New(meter.Options{EchoReasoning: echo}).WithView(projection.Project(log))}
	w := edit.NewRequest()
	w.Profile, w.KeepLast = profile, 1
	pass, err := edit.NewProposal(log, preset.RulesOf(name), s, w)
	if err != nil {
		t.Fatal(err)
	}
	return pass.Preview()
}

// Reasoning that the endpoint is not sent is no part of the prefix: without it
// the request is the same.
func TestPreviewBreaksWhereTheRequestDiffers(t *testing.T) {
	t.Parallel()
	log := read(2)
	log[1].Body = conversation.AssistantMessage{Text: "first a word", Reasoning: "I should look.", Stop: conversation.StopEnd}
	log[2].Body = conversation.UserMessage{Text: "then look"}
	log = append(log, read(3)[8:]...)
	for i := range log {
		log[i].Seq = uint64(i + 1)
	}
	if p := previewOf(t, log, preset.ProfileDefault, false, preset.Plimsoll); p.BreakAt != 6 {
		t.Errorf("without reasoning the prefix breaks at %d, not at the call of event 6", p.BreakAt)
	}
	if p := previewOf(t, log, preset.ProfileDefault, true, preset.Plimsoll); p.BreakAt != 2 {
		t.Errorf("with reasoning the prefix breaks at %d, not at the reasoning of event 2", p.BreakAt)
	}
	// Reasoning beside calls goes back to endpoints that demand it, stripped or not.
	if p := previewOf(t, read(3), preset.ProfileDefault, true, preset.Plimsoll); p.BreakAt != 2 || len(p.Layers) != 2 ||
		p.Layers[0].Kind != "arguments" || p.Layers[1].Kind != "results" {
		t.Errorf("it breaks at %d, with %v", p.BreakAt, p.Layers)
	}
	if p := previewOf(t, readQuietly(3), preset.ProfileDefault, true, preset.Plimsoll); p.BreakAt != 3 || p.Behind > p.After {
		t.Errorf("it breaks at %d, not at the result of event 3, with %d of %d tokens behind it", p.BreakAt, p.Behind, p.After)
	}
}
