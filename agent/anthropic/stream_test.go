package anthropic_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/anthropic"
	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// words are failures in few words.
type words struct{}

func (words) Reported(data []byte) *llm.Error {
	return &llm.Error{Class: llm.ServerFault, Message: string(data)}
}

func (words) Empty(bool) *llm.Error { return &llm.Error{Class: llm.Empty} }
func (words) NoRoom() *llm.Error    { return &llm.Error{Class: llm.Overflow} }
func (words) Malformed(what string, _ []byte, _ error) *llm.Error {
	return &llm.Error{Class: llm.Malformed, Message: what}
}

const begin = `{"type":"message_start","message":{"type":"message","content":[],"usage":{"input_tokens":3,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"cache_creation":{"ephemeral_5m_input_tokens":5,"ephemeral_1h_input_tokens":15},"output_tokens":1}}}`

func text(index, words string) string {
	return `{"type":"content_block_start","index":` + index + `,"content_block":{"type":"text","text":""}}` + "\n" +
		`{"type":"content_block_delta","index":` + index + `,"delta":{"type":"text_delta","text":"` + words + `"}}` + "\n" +
		`{"type":"content_block_stop","index":` + index + `}`
}

func end(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `","stop_sequence":null},"usage":{"output_tokens":12}}` + "\n" + `{"type":"message_stop"}`
}

func tool(index, id, input string) string {
	return `{"type":"content_block_start","index":` + index + `,"content_block":{"type":"tool_use","id":"` + id + `","name":"go","input":{}}}` + "\n" +
		`{"type":"content_block_delta","index":` + index + `,"delta":{"type":"input_json_delta","partial_json":"` + input + `"}}` + "\n" +
		`{"type":"content_block_stop","index":` + index + `}`
}

// Each stream is named after the page and the section of the API's documentation that has it.
func TestStreamsAsDocumented(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stream []string
		text   string
		calls  []string
		stop   conversation.StopReason
		fails  llm.Class
	}{
		"streaming, basic request":                 {[]string{begin, text("0", "Hello"), end("end_turn")}, "Hello", nil, conversation.StopEnd, ""},
		"streaming, text in two blocks":            {[]string{begin, text("0", "Hel"), text("1", "lo"), end("end_turn")}, "Hello", nil, conversation.StopEnd, ""},
		"streaming, ping events":                   {[]string{begin, `{"type":"ping"}`, text("0", "Hello"), `{"type":"ping"}`, end("end_turn")}, "Hello", nil, conversation.StopEnd, ""},
		"streaming, other events":                  {[]string{begin, `{"type":"something_new","x":1}`, text("0", "Hello"), end("end_turn")}, "Hello", nil, conversation.StopEnd, ""},
		"streaming, with tool use":                 {[]string{begin, text("0", "So"), tool("1", "t1", `{\"a\":1}`), end("tool_use")}, "So", []string{"t1 go {\"a\":1}"}, conversation.StopCalls, ""},
		"tool use, parallel":                       {[]string{begin, tool("0", "t1", `{}`), tool("1", "t2", `{\"b\":2}`), end("tool_use")}, "", []string{"t1 go {}", `t2 go {"b":2}`}, conversation.StopCalls, ""},
		"tool use, input at the beginning":         {[]string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"go","input":{"a":1}}}`, `{"type":"content_block_stop","index":0}`, end("tool_use")}, "", []string{`t1 go {"a":1}`}, conversation.StopCalls, ""},
		"tool use, no input":                       {[]string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"go","input":{}}}`, `{"type":"content_block_stop","index":0}`, end("tool_use")}, "", []string{`t1 go {}`}, conversation.StopCalls, ""},
		"stop reasons, max_tokens":                 {[]string{begin, text("0", "Hel"), end("max_tokens")}, "Hel", nil, conversation.StopLength, ""},
		"stop reasons, max_tokens within a call":   {[]string{begin, tool("0", "t1", `{\"a`), end("max_tokens")}, "", []string{`t1 go {"a`}, conversation.StopLength, ""},
		"stop reasons, stop_sequence":              {[]string{begin, text("0", "Hel"), end("stop_sequence")}, "Hel", nil, conversation.StopEnd, ""},
		"stop reasons, refusal":                    {[]string{begin, text("0", "I"), end("refusal")}, "I", nil, conversation.StopFiltered, ""},
		"stop reasons, refusal before anything":    {[]string{begin, end("refusal")}, "", nil, conversation.StopFiltered, ""},
		"stop reasons, pause_turn":                 {[]string{begin, text("0", "I search"), end("pause_turn")}, "I search", nil, conversation.StopEnd, ""},
		"stop reasons, window exceeded":            {[]string{begin, text("0", "Hel"), end("model_context_window_exceeded")}, "Hel", nil, conversation.StopLength, ""},
		"stop reasons, window full from the start": {[]string{begin, end("model_context_window_exceeded")}, "", nil, conversation.StopLength, llm.Overflow},
		"stop reasons, an empty end_turn":          {[]string{begin, end("end_turn")}, "", nil, conversation.StopEnd, llm.Empty},
		"stop reasons, an empty text":              {[]string{begin, text("0", ""), end("end_turn")}, "", nil, conversation.StopEnd, llm.Empty},
		"extended thinking, and nothing behind it": {[]string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":"x"}}`, `{"type":"content_block_stop","index":0}`, end("end_turn")}, "", nil, conversation.StopEnd, llm.Empty},
		"stop reasons, one of a later version":     {[]string{begin, text("0", "Hel"), end("something_new")}, "Hel", nil, conversation.StopEnd, ""},
		"server tools, a block of another type":    {[]string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`, `{"type":"content_block_stop","index":0}`, text("1", "Found"), end("end_turn")}, "Found", nil, conversation.StopEnd, ""},
		"citations, a delta of another type":       {[]string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"A"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{}}}`, `{"type":"content_block_stop","index":0}`, end("end_turn")}, "A", nil, conversation.StopEnd, ""},
		"extended thinking, omitted":               {[]string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"x"}}`, `{"type":"content_block_stop","index":0}`, text("1", "A"), end("end_turn")}, "A", nil, conversation.StopEnd, ""},
		"errors, overloaded within the stream":     {[]string{begin, text("0", "Hel"), `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}, "Hel", nil, "", llm.ServerFault},
		"recovery, the connection ends":            {[]string{begin, text("0", "Hel")}, "Hel", nil, "", llm.Truncated},
		"recovery, in the middle of a block":       {[]string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hel"}}`}, "Hel", nil, "", llm.Truncated},
		"another protocol":                         {[]string{`{"choices":[{"delta":{"content":"x"}}]}`}, "", nil, "", llm.Malformed},
		"a block begins twice":                     {[]string{begin, text("0", "Hel"), text("0", "lo"), end("end_turn")}, "Hel", nil, "", llm.Malformed},
		"a piece of no block":                      {[]string{begin, `{"type":"content_block_delta","index":7,"delta":{"type":"text_delta","text":"x"}}`, text("0", "A"), end("end_turn")}, "A", nil, conversation.StopEnd, ""},
		"fields of other types":                    {[]string{begin, `{"type":"content_block_start","index":0,"content_block":"?"}`, text("1", "A"), end("end_turn")}, "A", nil, conversation.StopEnd, ""},
		"no JSON":                                  {[]string{begin, `{"type":"content`}, "", nil, "", llm.Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rep, failure := llm.NewReply(), llm.Class("")
			d := anthropic.NewDecoder(words{}, llm.Request{}, route)
			over := false
			for line := range strings.SplitSeq(strings.Join(c.stream, "\n"), "\n") {
				chunk, done, err := d.Frame([]byte(line))
				rep.Add(chunk)
				if err != nil {
					failure = llm.AsError(err).Class
					break
				}
				over = over || done
			}
			if failure == "" {
				last, err := d.End()
				rep.Add(last)
				if err != nil {
					failure = llm.AsError(err).Class
				}
			}
			var calls []string
			for _, k := range rep.Calls {
				calls = append(calls, k.ID+" "+k.Name+" "+k.Arguments.String())
			}
			if rep.Text.String() != c.text || rep.Stop != c.stop || failure != c.fails || over != (c.stop != "") {
				t.Errorf("text %q, stop %q, failure %q, over %v", rep.Text.String(), rep.Stop, failure, over)
			}
			if d := cmp.Diff(c.calls, calls); d != "" {
				t.Error(d)
			}
			if c.stop != "" {
				want := &llm.Tokens{Prompt: 123, Cached: 100, CacheWrite: 20, CacheWriteLong: 15, Completion: 12, Reasoning: -1}
				if d := cmp.Diff(want, rep.Usage); d != "" {
					t.Errorf("usage %s", d)
				}
			}
		})
	}
}

func TestAReplyThatIsNotStreamed(t *testing.T) {
	t.Parallel()
	d := anthropic.NewDecoder(words{}, llm.Request{}, route)
	c, err := d.Whole([]byte(`{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"So"},` +
		`{"type":"tool_use","id":"t1","name":"go","input":{"a":1}}],"stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":6}}`))
	if err != nil || c.Text != "So" || c.Reasoning != "hm" || len(c.Calls) != 2 {
		t.Fatalf("%+v %v", c, err)
	}
	last, err := d.End()
	if err != nil || last.Stop != conversation.StopCalls || last.Usage.Prompt != 5 || len(last.Extras) == 0 {
		t.Errorf("%+v %v", last, err)
	}
	if _, err := anthropic.NewDecoder(words{}, llm.Request{}, route).Whole([]byte(`{"type":"error","error":{"type":"api_error","message":"x"}}`)); llm.AsError(err).Class != llm.ServerFault {
		t.Errorf("an error in place of a message: %v", err)
	}
	if _, err := anthropic.NewDecoder(words{}, llm.Request{}, route).Whole([]byte(`{"object":"chat.completion"}`)); llm.AsError(err).Class != llm.Malformed {
		t.Errorf("something else: %v", err)
	}
}

func TestAnIDThatIsTakenGetsAnother(t *testing.T) {
	t.Parallel()
	r := llm.Request{Messages: []projection.Message{user("go"), assistant("", call("t1")), result("t1", "x")}}
	d := anthropic.NewDecoder(words{}, r, route)
	for _, id := range []string{"t1", "", strings.Repeat("x", 65)} {
		c, _, err := d.Frame([]byte(`{"type":"content_block_start","index":` + string(rune('0'+len(id)%10)) + `,"content_block":{"type":"tool_use","id":"` + id + `","name":"go"}}`))
		if err != nil || len(c.Calls) != 1 || c.Calls[0].ID == id || c.Calls[0].ID == "" {
			t.Errorf("%q: %+v %v", id, c, err)
		}
	}
}

func FuzzStream(f *testing.F) {
	f.Add(strings.Join([]string{begin, text("0", "Hello"), tool("1", "t", "{}"), end("tool_use")}, "\n"))
	f.Add(`{"type":"error"}`)
	f.Fuzz(func(t *testing.T, stream string) {
		d := anthropic.NewDecoder(words{}, llm.Request{}, route)
		rep := llm.NewReply()
		for line := range strings.SplitSeq(stream, "\n") {
			c, done, err := d.Frame([]byte(line))
			rep.Add(c)
			if err != nil || done {
				break
			}
		}
		last, err := d.End()
		if (err == nil) != (last.Stop != "") {
			t.Errorf("stop %q, error %v", last.Stop, err)
		}
	})
}
