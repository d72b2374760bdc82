package openai

import (
	"cmp"
	"encoding/json"
	"maps"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// Decoding the Responses wire. Text and arguments come as deltas. A finished item repeats its content, which is used if
// no delta came, so that a server that does not stream it loses nothing.

// responseEvent is an event of the stream. The library's own type refuses events with unexpected parts, so this one has
// only the fields that are used.
type responseEvent struct {
	Type         goopenai.ResponseStreamEventType `json:"type"`
	Delta        looseString                      `json:"delta"`
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
	Type      looseString `json:"type"`
	ID        looseString `json:"id"`
	Status    looseString `json:"status"`
	Phase     looseString `json:"phase"`
	CallID    looseString `json:"call_id"`
	Name      looseString `json:"name"`
	Arguments argument    `json:"arguments"`
	Content   []struct {
		Text    looseString `json:"text"`
		Refusal looseString `json:"refusal"`
	} `json:"content"`
	Summary []struct {
		Text looseString `json:"text"`
	} `json:"summary"`
}

// joinedText joins the parts of a text with blank lines between them.
type joinedText struct {
	begun bool
	part  [2]int // the number of the part that came last
}

func (f *joinedText) add(text string, part ...int) string {
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
	endpoint  endpoint
	modelName string
	calls     *assembler

	text, reasoned joinedText
	streamed       map[int]bool // output items with deltas
	items          []outputItem // the finished items in order
	lostReasoning  bool         // some reasoning cannot go back
	usage          *llm.Tokens
	status         string // of the response, "" until it ends
	reason         string // why the response is incomplete
	foreignEvents  int    // events of other protocols
	isResponse     bool   // an event of this protocol came
}

func newResponseDecoder(e endpoint, r llm.Request) *responseDecoder {
	return &responseDecoder{
		endpoint: e, modelName: nameOf(e, r.Model), calls: newAssembler(r.CallIDs()), streamed: map[int]bool{},
	}
}

func (d *responseDecoder) DecodeEvent(data []byte) (llm.Chunk, bool, error) {
	if isDone(data) {
		return llm.Chunk{}, true, nil
	}
	var ev responseEvent
	if err := decodeLoosely(data, &ev); err != nil {
		return llm.Chunk{}, false, d.endpoint.MalformedError("the stream is not valid JSON", data, err)
	}
	ours := strings.HasPrefix(string(ev.Type), "response.")
	if ev.Type == goopenai.ResponseStreamEventError || !ours && looksLikeError(data) {
		return llm.Chunk{}, false, d.endpoint.ReportedError(data)
	}
	if !ours {
		d.foreignEvents++
		return llm.Chunk{}, false, nil
	}
	d.isResponse = true
	if ev.Response != nil && ev.Type == goopenai.ResponseStreamEventFailed {
		d.usage = ev.Response.Usage.tokens()
		return llm.Chunk{}, false, d.endpoint.ReportedError(data)
	}
	c, done := d.addEvent(&ev)
	if d.calls.tooMany {
		return c, false, llm.EndlessReply()
	}
	if isZero(c) && !done {
		c.Waiting = true
	}
	return c, done, nil
}

// addEvent adds an event to the reply, and returns what is new in it.
func (d *responseDecoder) addEvent(ev *responseEvent) (c llm.Chunk, done bool) {
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
		if it := parseItem(ev.Item); it.Type == "function_call" {
			c.Calls = d.calls.add([]callDelta{callPiece(ev.OutputIndex, it.CallID, it.Name, "")})
		}
	case goopenai.ResponseStreamEventOutputItemDone:
		c = d.itemDone(ev.OutputIndex, ev.Item)
	case goopenai.ResponseStreamEventCompleted, goopenai.ResponseStreamEventIncomplete:
		d.ended(ev.Response)
		return c, true
	}
	return c, false
}

func callPiece(index int, id, name looseString, args argument) callDelta {
	p := callDelta{Index: &index, ID: id}
	p.Function.Name, p.Function.Arguments = name, args
	return p
}

func parseItem(raw json.RawMessage) responseItem {
	var it responseItem
	// Fields of another type count as absent.
	_ = json.Unmarshal(raw, &it)
	return it
}

// itemDone returns the content of a finished item that was not streamed, and keeps what later requests send back of it.
func (d *responseDecoder) itemDone(index int, raw json.RawMessage) (c llm.Chunk) {
	it := parseItem(raw)
	p := outputItem{ID: string(it.ID), Status: string(it.Status), Phase: string(it.Phase)}
	switch it.Type {
	case "message":
		var content string
		for _, part := range it.Content {
			p.Text, p.Refusal = p.Text+len(part.Text), p.Refusal+len(part.Refusal)
			content += string(part.Text) + string(part.Refusal)
		}
		if !d.streamed[index] {
			c.Text = d.text.add(content, index)
		}
		if strings.TrimSpace(content) == "" {
			p.blank = content
		}
	case "function_call":
		args := it.Arguments
		if d.streamed[index] {
			args = ""
		}
		c.Calls = d.calls.add([]callDelta{callPiece(index, it.CallID, it.Name, args)})
		p = outputItem{ID: p.ID, Call: d.calls.calls[d.calls.findOrBegin(callPiece(index, it.CallID, it.Name, ""))].id}
		repaired, _ := conversation.RepairArguments(string(it.Arguments))
		p.Args = len(repaired)
	default:
		if !d.streamed[index] {
			for i, part := range it.Summary {
				c.Reasoning += d.reasoned.add(string(part.Text), index, i)
			}
		}
		p = outputItem{Item: inputItem(raw, it.Type), reasoning: it.Type == reasoningItem}
		if len(p.Item) == 0 {
			d.lostReasoning = true
			return c
		}
	}
	d.items = append(d.items, p)
	d.streamed[index] = true
	return c
}

// inputItem returns an output item as an input item: without null fields and without the status, which the API refuses. It
// is empty for reasoning that is not encrypted: the server stores nothing, so it could not look up the item's id.
func inputItem(raw json.RawMessage, kind looseString) conversation.RawJSON {
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

// extras returns the items to send back. The API refuses reasoning that nothing follows, and an id whose reasoning is missing.
func (d *responseDecoder) extras() map[string]conversation.RawJSON {
	for n := len(d.items); n > 0 && d.items[n-1].reasoning; n-- {
		d.items = d.items[:n-1]
	}
	needed := false
	for i := range d.items {
		p := &d.items[i]
		if d.lostReasoning {
			p.ID = ""
		}
		if p.blank != "" {
			p.Item, _ = conversation.EncodeJSON(p.message(p.blank)) // strings always have a JSON form
		}
		needed = needed || len(p.Item) > 0 || p.Phase != ""
	}
	list, err := conversation.EncodeJSON(d.items)
	if !needed || err != nil {
		return nil
	}
	return withModel(map[string]conversation.RawJSON{outputItems: list}, d.modelName)
}

func (d *responseDecoder) ended(r *responseBody) {
	if d.status = string(goopenai.ResponseStatusCompleted); r != nil {
		d.status, d.reason, d.usage = cmp.Or(r.Status, d.status), r.Incomplete.Reason, r.Usage.tokens()
	}
}

func (d *responseDecoder) DecodeBody(body []byte) (llm.Chunk, error) {
	var r responseBody
	if err := decodeLoosely(body, &r); err != nil {
		return llm.Chunk{}, d.endpoint.MalformedError("the answer is not JSON", body, err)
	}
	if isSet(r.Error) || r.Object != "response" && looksLikeError(body) {
		return llm.Chunk{}, d.endpoint.ReportedError(body)
	}
	if r.Object != "response" {
		return llm.Chunk{}, d.endpoint.MalformedError("the answer is not a response", body, nil)
	}
	d.isResponse = true
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

func (d *responseDecoder) HasStopReason() bool { return d.status != "" }

func (d *responseDecoder) Finish(bool) (llm.Chunk, error) {
	c := llm.Chunk{Calls: d.calls.flush(), Usage: d.usage}
	var err error
	if c.Stop, err = d.stop(); err == nil {
		c.Extras = d.extras()
	}
	return c, err
}

// stop returns why the reply ended, or an error if it is not complete.
func (d *responseDecoder) stop() (conversation.StopReason, error) {
	switch {
	case d.status == "" && !d.isResponse && d.foreignEvents > 0:
		return "", d.endpoint.MalformedError("the stream is not of the Responses API", nil, nil)
	case d.status == "":
		return "", d.endpoint.truncatedError(d.isResponse)
	case d.reason == "content_filter":
		return conversation.StopFiltered, nil
	case d.reason != "" || d.status == string(goopenai.ResponseStatusIncomplete):
		return conversation.StopLength, nil
	case len(d.calls.calls) > 0:
		return conversation.StopCalls, nil
	case !d.text.begun:
		return "", d.endpoint.EmptyReplyError(d.reasoned.begun)
	}
	return conversation.StopEnd, nil
}
