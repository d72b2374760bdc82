package openai

import (
	"encoding/json"
	"errors"
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

// responseBody is the response as a whole.
type responseBody struct {
	Object     string            `json:"object"`
	Status     string            `json:"status"`
	Error      json.RawMessage   `json:"error"`
	Output     []json.RawMessage `json:"output"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage *responseUsage `json:"usage"`
}

type responseUsage struct {
	In      *int `json:"input_tokens"`
	Out     *int `json:"output_tokens"`
	Details struct {
		Cached     *int `json:"cached_tokens"`
		CacheWrite *int `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	OutDetails struct {
		Reasoning *int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Cost *float64 `json:"cost"`
}

func (u *responseUsage) tokens() *llm.Tokens {
	if u == nil {
		return nil
	}
	return &llm.Tokens{
		Prompt: first(u.In), Cached: first(u.Details.Cached), CacheWrite: first(u.Details.CacheWrite),
		Completion: first(u.Out), Reasoning: first(u.OutDetails.Reasoning), CostUSD: cost(u.Cost),
	}
}

// responseItem is one item of the output.
type responseItem struct {
	Type      string   `json:"type"`
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

// responseDecoder reads the Responses wire.
type responseDecoder struct {
	who   endpoint
	route string
	calls *assembler

	text, reasoned bool
	streamed       map[int]bool // output items of which deltas came
	other          bool         // an item that is not reasoning has come
	reasoning      []json.RawMessage
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

func (d *responseDecoder) frame(data []byte) (llm.Chunk, bool, error) {
	if isDone(data) {
		return llm.Chunk{}, true, nil
	}
	var ev responseEvent
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(data, &ev); err != nil && !errors.As(err, &odd) {
		return llm.Chunk{}, false, d.who.malformed("the stream is not valid JSON", data, err)
	}
	ours := strings.HasPrefix(string(ev.Type), "response.")
	if ev.Type == goopenai.ResponseStreamEventError || !ours && looksLikeError(data) {
		return llm.Chunk{}, false, d.who.reported(data)
	}
	if !ours {
		d.foreign++
		return llm.Chunk{}, false, nil
	}
	d.known = true
	if ev.Response != nil && ev.Type == goopenai.ResponseStreamEventFailed {
		d.usage = ev.Response.Usage.tokens()
		return llm.Chunk{}, false, d.who.reported(data)
	}
	c, done := d.take(&ev)
	if d.calls.tooMany {
		return c, false, endless()
	}
	d.text = d.text || c.Text != ""
	d.reasoned = d.reasoned || c.Reasoning != ""
	if isZero(c) && !done {
		c.Waiting = true
	}
	return c, done, nil
}

// take turns an event into a chunk.
func (d *responseDecoder) take(ev *responseEvent) (c llm.Chunk, done bool) {
	switch ev.Type {
	case goopenai.ResponseStreamEventOutputTextDelta, goopenai.ResponseStreamEventRefusalDelta:
		d.streamed[ev.OutputIndex] = true
		c.Text = string(ev.Delta)
	case goopenai.ResponseStreamEventReasoningSummaryTextDelta, goopenai.ResponseStreamEventReasoningTextDelta:
		d.streamed[ev.OutputIndex] = true
		c.Reasoning = string(ev.Delta)
	case goopenai.ResponseStreamEventReasoningSummaryPartAdded:
		if ev.SummaryIndex > 0 {
			c.Reasoning = "\n\n"
		}
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
	it := parseItem(raw)
	d.other = d.other || it.Type != "reasoning"
	if it.Type == "function_call" {
		c.Calls = d.calls.add([]callDelta{callPiece(index, it.CallID, it.Name, "")})
	}
	return c
}

// itemDone takes from a finished item what was not streamed, and keeps the
// reasoning that the answer rests on.
func (d *responseDecoder) itemDone(index int, raw json.RawMessage) (c llm.Chunk) {
	it := parseItem(raw)
	switch it.Type {
	case "reasoning":
		d.keepReasoning(raw)
		if !d.streamed[index] {
			for _, s := range it.Summary {
				c.Reasoning += string(s.Text)
			}
		}
	case "message":
		if !d.streamed[index] {
			for _, p := range it.Content {
				c.Text += string(p.Text) + string(p.Refusal)
			}
		}
	case "function_call":
		args := it.Arguments
		if d.streamed[index] {
			args = ""
		}
		c.Calls = d.calls.add([]callDelta{callPiece(index, it.CallID, it.Name, args)})
	}
	d.other = d.other || it.Type != "reasoning"
	d.streamed[index] = true
	return c
}

// keepReasoning keeps an encrypted item that stands before all others: only
// such items can be sent back in front of the message.
func (d *responseDecoder) keepReasoning(raw json.RawMessage) {
	var item map[string]json.RawMessage
	if d.other || json.Unmarshal(raw, &item) != nil {
		return
	}
	var secret word
	if _ = secret.UnmarshalJSON(item["encrypted_content"]); secret == "" { // never fails
		return
	}
	delete(item, "status") // refused as input
	if kept, err := conversation.EncodeJSON(item); err == nil {
		d.reasoning = append(d.reasoning, kept)
	}
}

// ended notes how the response ended.
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

func (d *responseDecoder) whole(body []byte) (llm.Chunk, error) {
	var r responseBody
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(body, &r); err != nil && !errors.As(err, &odd) {
		return llm.Chunk{}, d.who.malformed("the answer is not JSON", body, err)
	}
	if len(r.Error) > 0 && string(r.Error) != "null" || r.Object != "response" && looksLikeError(body) {
		return llm.Chunk{}, d.who.reported(body)
	}
	if r.Object != "response" {
		return llm.Chunk{}, d.who.malformed("the answer is not a response", body, nil)
	}
	d.known = true
	var c llm.Chunk
	for i, raw := range r.Output {
		part := d.itemDone(i, raw)
		c.Text += part.Text
		c.Reasoning += part.Reasoning
		c.Calls = append(c.Calls, part.Calls...)
	}
	d.text, d.reasoned = c.Text != "", c.Reasoning != ""
	d.ended(&r)
	return c, nil
}

func (d *responseDecoder) stopped() bool { return d.status != "" }

func (d *responseDecoder) end(bool) (llm.Chunk, error) {
	c := llm.Chunk{Calls: d.calls.rest(), Usage: d.usage}
	stop, err := d.stop()
	if err != nil {
		return c, err
	}
	c.Stop = stop
	if len(d.reasoning) > 0 {
		if list, err := conversation.EncodeJSON(d.reasoning); err == nil {
			c.Extras = withRoute(map[string]conversation.RawJSON{reasoningItems: conversation.RawJSON(list)}, d.route)
		}
	}
	return c, nil
}

func (d *responseDecoder) stop() (conversation.StopReason, error) {
	switch {
	case d.status == "" && !d.known && d.foreign > 0:
		return "", d.who.malformed("the stream is not of the Responses API", nil, nil)
	case d.status == "":
		return "", truncated(d.who, d.known)
	case d.reason == "content_filter":
		return conversation.StopFiltered, nil
	case d.reason != "" || d.status == string(goopenai.ResponseStatusIncomplete):
		return conversation.StopLength, nil
	case len(d.calls.calls) > 0:
		return conversation.StopCalls, nil
	case !d.text:
		return "", emptyReply(d.who, d.reasoned)
	}
	return conversation.StopEnd, nil
}

var (
	_ decoder = (*chatDecoder)(nil)
	_ decoder = (*responseDecoder)(nil)
)
