package conversation_test

import (
	"fmt"
	"time"

	"plimsoll/conversation"
)

// morning is when the examples happen.
var morning = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// A log grows by appending. Prepare numbers events and puts them into turns, the
// caller stores them, and Commit makes them part of the log.
func ExampleLog() {
	var log conversation.Log
	for _, body := range []conversation.Body{
		conversation.UserMessage{Text: "Which port does the server use?"},
		conversation.AssistantMessage{Text: "8080.", Stop: conversation.StopEnd},
		conversation.UserMessage{Text: "Use a free one."},
	} {
		events := log.Prepare(morning, body)
		if err := log.Commit(events); err != nil {
			fmt.Println(err)
		}
	}
	for _, e := range log.Events() {
		fmt.Printf("event %d, turn %d: %s\n", e.Seq, e.Turn, e.Body.Kind())
	}
	// Output:
	// event 1, turn 0: user
	// event 2, turn 0: assistant
	// event 3, turn 1: user
}

// A unit is a user message, or a reply with its calls and their results. Whatever
// cuts a conversation cuts between units, so that no call loses its result.
func ExampleUnits() {
	var log conversation.Log
	_ = log.Commit(log.Prepare(morning,
		conversation.UserMessage{Text: "Do the tests pass?"},
		conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "1", Name: "run_command", Arguments: `{"command":"go test ./..."}`}}, Stop: conversation.StopCalls},
		conversation.ToolResult{CallID: "1", Tool: "run_command", Status: conversation.ResultOK, Text: "ok"},
		conversation.AssistantMessage{Text: "They do.", Stop: conversation.StopEnd},
	))
	for _, u := range conversation.Units(log.Events()) {
		fmt.Println(u)
	}
	// Output:
	// {0 [0] false}
	// {0 [1 2] false}
	// {0 [3] false}
}

// The stored form of an event is one JSON object. A kind that this version does not
// know is kept as it is.
func ExampleMarshal() {
	event := conversation.Event{Seq: 1, Time: morning, Body: conversation.UserMessage{Text: "Good morning"}}
	stored, err := conversation.Marshal(event)
	fmt.Println(string(stored), err)

	later, err := conversation.Unmarshal([]byte(`{"seq":2,"turn":0,"time":"2026-11-20T09:30:00.000Z","mood":{"good":true}}`))
	fmt.Printf("%T %v\n", later.Body, err)
	again, err := conversation.Marshal(later)
	fmt.Println(string(again), err)
	// Output:
	// {"seq":1,"turn":0,"time":"2026-11-20T09:30:00Z","user":{"text":"Good morning"}} <nil>
	// conversation.Unknown <nil>
	// {"seq":2,"turn":0,"time":"2026-11-20T09:30:00Z","mood":{"good":true}} <nil>
}

// A long result is cut when it arrives, with a marker that says how much there is.
// The full text goes into the store.
func ExampleCut() {
	shown, total := conversation.Cut("one line\nand a second one that is too long", 8)
	fmt.Println(shown)
	fmt.Println(total, "characters in all")
	// Output:
	// one line
	//
	// [... content truncated, showing first 8 characters of 42 total ...]
	// 42 characters in all
}

// InForce says which overlays count: a revert ends one, and a revert of the revert
// brings it into force again.
func ExampleInForce() {
	var log conversation.Log
	_ = log.Commit(log.Prepare(morning,
		conversation.UserMessage{Text: "Keep this in mind."},
		conversation.Pin{Made: conversation.Made{Epoch: 2, Source: conversation.SourceManual}, Events: []uint64{1}},
	))
	fmt.Println("pinned:", conversation.InForce(log.Events()))
	_ = log.Commit(log.Prepare(morning, conversation.Revert{Made: conversation.Made{Epoch: 3, Source: conversation.SourceManual}, Epoch: 2}))
	fmt.Println("undone:", conversation.InForce(log.Events()))
	// Output:
	// pinned: [1]
	// undone: []
}
