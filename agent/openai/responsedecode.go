package openai

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// Reading the Responses wire: events by type. Text and arguments come as
// deltas; what came only in a finished item is taken from there, so that a
// server that does not stream a part loses nothing.

// responseEvent is an event of the stream. The library's own type refuses an
// event whose parts it does not expect, so only what is used is decoded.
type responseEvent struct {
	Type         goopenai.ResponseStreamEventType `json:"type"`
	Delta        word                             `json:"delta"`
	OutputIndex  int                              `json:"output_index"`
	SummaryIndex int                              `json:"summary_index"`
	Item         json.RawMessage                  `json:"item"`
	Response     *responseBody                    `json:"response"`
}

type responseBody struct {
	Object     string            `json:"object"`
	Status     string            `json:"status"`
	Error      json.RawMessage   `json:"error"`
	Output     []json.RawMessage `json:"output"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage *usage `json:"usage"`
}

type responseItem struct {
	Type      word     `json:"type"`
	ID        word     `json:"id"`
	Status    word     `json:"status"`
	Phase     word     `json:"phase"`
	CallID    word     `json:"call_id"`
	Name      word     `json:"name"`
	Arguments argument `json:"arguments"`
	Content   []struct {
		Text    word `json:"text"`
		Refusal word `json:"refusal"`
	} `json:"content"`
	Summary []struct {
		Text word `json:"text"`
	} `json:"summary"`
}

// flow is text that comes in parts, between which stands a blank line.
type flow struct {
	begun bool
	part  [2]int // which one came last
}

func (f *flow) add(text string, part ...int) string {
	at := [2]int(append(part, 0, 0))
	if text == "" {
		return ""
	}
	if f.begun && at != f.part {
		text = betweenMessages + text
	}
	f.begun, f.part = true, at
	return text
}

type responseDecoder struct {
	who   endpoint
	route string
	calls *assembler

	text, reasoned flow
	streamed       map[int]bool // output items of which deltas came
	output         []piece      // the items in their order
	unkept         bool         // reasoning came that cannot go back
	usage          *llm.Tokens
	status         string // of the response, once it has ended
	reason         string // why it is incomplete
	foreign        int
	known          bool
}

func newResponseDecoder(who endpoint, r llm.Request) *responseDecoder {
	return &responseDecoder{
		who: who, route: routeOf(who, r.Model), calls: newAssembler(callIDs(r.Messages)), streamed: map[int]bool{},
	}
}

func (d *responseDecoder) Frame(data []byte) (llm.Chunk, bool, error) {
	if isDone(data) {
		return llm.Chunk{}, true, nil
	}
	var ev responseEvent
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(data, &ev); err != nil && !errors.As(err, &odd) {
		return llm.Chunk{}, false, d.who.Malformed("the stream is not valid JSON", data, err)
	}
	ours := strings.HasPrefix(string(ev.Type), "response.")
	if ev.Type == goopenai.ResponseStreamEventError || !ours && looksLikeError(data) {
		return llm.Chunk{}, false, d.who.Reported(data)
	}
	if !ours {
		d.foreign++
		return llm.Chunk{}, false, nil
	}
	d.known = true
	if ev.Response != nil && ev.Type == goopenai.ResponseStreamEventFailed {
		d.usage = ev.Response.Usage.tokens()
		return llm.Chunk{}, false, d.who.Reported(data)
	}
	c, done := d.take(&ev)
	if d.calls.tooMany {
		return c, false, llm.EndlessReply()
	}
	if isZero(c) && !done {
		c.Waiting = true
	}
	return c, done, nil
}

func (d *responseDecoder) take(ev *responseEvent) (c llm.Chunk, done bool) {
	switch ev.Type {
	case goopenai.ResponseStreamEventOutputTextDelta, goopenai.ResponseStreamEventRefusalDelta:
		d.streamed[ev.OutputIndex] = true
		c.Text = d.text.add(string(ev.Delta), ev.OutputIndex)
	case goopenai.ResponseStreamEventReasoningSummaryTextDelta, goopenai.ResponseStreamEventReasoningTextDelta:
		d.streamed[ev.OutputIndex] = true
		c.Reasoning = d.reasoned.add(string(ev.Delta), ev.OutputIndex, ev.SummaryIndex)
	case goopenai.ResponseStreamEventFunctionArgumentsDelta:
		d.streamed[ev.OutputIndex] = true
		c.Calls = d.calls.add([]callDelta{callPiece(ev.OutputIndex, "", "", argument(ev.Delta))})
	case goopenai.ResponseStreamEventOutputItemAdded:
		c = d.itemBegun(ev.OutputIndex, ev.Item)
	case goopenai.ResponseStreamEventOutputItemDone:
		c = d.itemDone(ev.OutputIndex, ev.Item)
	case goopenai.ResponseStreamEventCompleted, goopenai.ResponseStreamEventIncomplete:
		d.ended(ev.Response)
		return c, true
	}
	return c, false
}

func callPiece(index int, id, name word, args argument) callDelta {
	p := callDelta{Index: &index, ID: id}
	p.Function.Name, p.Function.Arguments = name, args
	return p
}

func parseItem(raw json.RawMessage) responseItem {
	var it responseItem
	// What could be decoded counts.
	_ = json.Unmarshal(raw, &it)
	return it
}

func (d *responseDecoder) itemBegun(index int, raw json.RawMessage) (c llm.Chunk) {
	if it := parseItem(raw); it.Type == "function_call" {
		c.Calls = d.calls.add([]callDelta{callPiece(index, it.CallID, it.Name, "")})
	}
	return c
}

// itemDone takes from a finished item what was not streamed, and keeps what has to go back of it.
func (d *responseDecoder) itemDone(index int, raw json.RawMessage) (c llm.Chunk) {
	it := parseItem(raw)
	p := piece{ID: string(it.ID), Status: string(it.Status), Phase: string(it.Phase)}
	switch it.Type {
	case "message":
		var said string
		for _, part := range it.Content {
			p.Text, p.Refusal = p.Text+len(part.Text), p.Refusal+len(part.Refusal)
			said += string(part.Text) + string(part.Refusal)
		}
		if !d.streamed[index] {
			c.Text = d.text.add(said, index)
		}
		if strings.TrimSpace(said) == "" {
			p.blank = said
		}
	case "function_call":
		args := it.Arguments
		if d.streamed[index] {
			args = ""
		}
		c.Calls = d.calls.add([]callDelta{callPiece(index, it.CallID, it.Name, args)})
		p = piece{ID: p.ID, Call: d.calls.calls[d.calls.find(callPiece(index, it.CallID, it.Name, ""))].id}
		repaired, _ := conversation.RepairArguments(string(it.Arguments))
		p.Args = len(repaired)
	default:
		if !d.streamed[index] {
			for i, part := range it.Summary {
				c.Reasoning += d.reasoned.add(string(part.Text), index, i)
			}
		}
		p = piece{Item: asInput(raw, it.Type), reasoning: it.Type == reasoningItem}
		if len(p.Item) == 0 {
			d.unkept = true
			return c
		}
	}
	d.output = append(d.output, p)
	d.streamed[index] = true
	return c
}

// asInput is an item that goes back as it came, but for what is null and the status, which is refused there. It is empty
// for reasoning that is not encrypted: nothing is stored, so its id alone says nothing.
func asInput(raw json.RawMessage, kind word) conversation.RawJSON {
	var item map[string]json.RawMessage
	if json.Unmarshal(raw, &item) != nil {
		return nil
	}
	maps.DeleteFunc(item, func(name string, value json.RawMessage) bool { return name == "status" || string(value) == "null" })
	if secret := string(item["encrypted_content"]); kind == reasoningItem && (secret == "" || secret == `""`) {
		return nil
	}
	kept, _ := conversation.EncodeJSON(item) // it was decoded from JSON
	return kept
}

// extras are the items that go back. Reasoning that nothing follows is refused, and so is an id whose reasoning is missing.
func (d *responseDecoder) extras() map[string]conversation.RawJSON {
	for n := len(d.output); n > 0 && d.output[n-1].reasoning; n-- {
		d.output = d.output[:n-1]
	}
	needed := false
	for i := range d.output {
		p := &d.output[i]
		if d.unkept {
			p.ID = ""
		}
		if p.blank != "" {
			p.Item, _ = conversation.EncodeJSON(p.message(p.blank)) // strings always have a JSON form
		}
		needed = needed || len(p.Item) > 0 || p.Phase != ""
	}
	list, err := conversation.EncodeJSON(d.output)
	if !needed || err != nil {
		return nil
	}
	return withRoute(map[string]conversation.RawJSON{outputItems: list}, d.route)
}

func (d *responseDecoder) ended(r *responseBody) {
	d.status = string(goopenai.ResponseStatusCompleted)
	if r == nil {
		return
	}
	if r.Status != "" {
		d.status = r.Status
	}
	d.reason = r.Incomplete.Reason
	d.usage = r.Usage.tokens()
}

func (d *responseDecoder) Whole(body []byte) (llm.Chunk, error) {
	var r responseBody
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(body, &r); err != nil && !errors.As(err, &odd) {
		return llm.Chunk{}, d.who.Malformed("the answer is not JSON", body, err)
	}
	if len(r.Error) > 0 && string(r.Error) != "null" || r.Object != "response" && looksLikeError(body) {
		return llm.Chunk{}, d.who.Reported(body)
	}
	if r.Object != "response" {
		return llm.Chunk{}, d.who.Malformed("the answer is not a response", body, nil)
	}
	d.known = true
	var c llm.Chunk
	for i, raw := range r.Output {
		part := d.itemDone(i, raw)
		c.Text += part.Text
		c.Reasoning += part.Reasoning
		c.Calls = append(c.Calls, part.Calls...)
	}
	d.ended(&r)
	return c, nil
}

func (d *responseDecoder) Stopped() bool { return d.status != "" }

func (d *responseDecoder) End(bool) (llm.Chunk, error) {
	c := llm.Chunk{Calls: d.calls.rest(), Usage: d.usage}
	stop, err := d.stop()
	if err != nil {
		return c, err
	}
	c.Stop = stop
	c.Extras = d.extras()
	return c, nil
}

func (d *responseDecoder) stop() (conversation.StopReason, error) {
	switch {
	case d.status == "" && !d.known && d.foreign > 0:
		return "", d.who.Malformed("the stream is not of the Responses API", nil, nil)
	case d.status == "":
		return "", d.who.truncated(d.known)
	case d.reason == "content_filter":
		return conversation.StopFiltered, nil
	case d.reason != "" || d.status == string(goopenai.ResponseStatusIncomplete):
		return conversation.StopLength, nil
	case len(d.calls.calls) > 0:
		return conversation.StopCalls, nil
	case !d.text.begun:
		return "", d.who.Empty(d.reasoned.begun)
	}
	return conversation.StopEnd, nil
}
