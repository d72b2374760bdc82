package conversation_test

import (
	"fmt"
	"time"

	"plimsoll/conversation"
)

// morning is the time of the example events.
var morning = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// The stored form of an event is one JSON object. A kind that this version does not know is kept as it is.
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
