package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// Fault is what a server said is wrong, read from whatever shape it came in,
// without keys. It is the cause of an *llm.Error that a server answered.
//
// Shapes: {"error":{…}}, {"error":"…"} (xAI), a list of those (Gemini),
// {"object":"error",…} (SGLang, Mistral, older vLLM), {"detail":…} (FastAPI),
// {"errors":[…]}, any of them as text inside a message (Ollama, OpenRouter's
// metadata.raw), HTML, plain text, nothing.
type Fault struct {
	Message string
	Code    string
	Type    string
	Param   string

	status  int    // an HTTP status given in the body, 0 without one
	window  int    // llama.cpp's n_ctx
	prompt  int    // llama.cpp's n_prompt_tokens
	retryIn string // Gemini's retryDelay
}

// Error is the message with its code.
func (f *Fault) Error() string {
	if f.Code != "" {
		return f.Message + " [" + f.Code + "]"
	}
	return f.Message
}

// maxNesting is how deep errors within errors are read: each text that holds another
// one takes a few levels.
const maxNesting = 12

// parseFault reads an error body. It is total: any bytes give a Fault.
func parseFault(body []byte) *Fault {
	f := &Fault{}
	f.read(body, maxNesting)
	return f
}

type rawFault struct {
	Error    json.RawMessage `json:"error"`
	Errors   json.RawMessage `json:"errors"`
	Message  json.RawMessage `json:"message"`
	Msg      word            `json:"msg"`
	Detail   json.RawMessage `json:"detail"`
	Code     json.RawMessage `json:"code"`
	Type     word            `json:"type"`
	Param    word            `json:"param"`
	Status   word            `json:"status"`
	Details  []retryDetail   `json:"details"`
	Window   int             `json:"n_ctx"`
	Prompt   int             `json:"n_prompt_tokens"`
	Metadata struct {
		Raw json.RawMessage `json:"raw"`
	} `json:"metadata"`
	XGroq struct {
		Error json.RawMessage `json:"error"`
	} `json:"x_groq"`
	Response struct {
		Error json.RawMessage `json:"error"`
	} `json:"response"`
}

type retryDetail struct {
	RetryDelay word `json:"retryDelay"`
}

func (f *Fault) read(raw []byte, depth int) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || depth == 0 {
		return
	}
	switch raw[0] {
	case '{':
		f.readObject(raw, depth)
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
			f.read(list[0], depth-1)
		}
	case '"':
		var s string
		if json.Unmarshal(raw, &s) == nil {
			f.readText(s, depth-1)
		}
	default:
		if !json.Valid(raw) { // a bare null, number or boolean says nothing
			f.readText(string(raw), depth-1)
		}
	}
}

func (f *Fault) readText(s string, depth int) {
	t := strings.TrimSpace(s)
	if strings.HasPrefix(t, "{") && json.Valid([]byte(t)) && depth > 0 {
		outer := f.Message
		f.read([]byte(t), depth)
		if f.Message != outer {
			return
		}
	}
	if strings.HasPrefix(t, "<") {
		t = pageText(t)
	}
	if t != "" {
		f.Message = t
	}
}

func (f *Fault) readObject(raw []byte, depth int) {
	var r rawFault
	// A field of another type is as good as absent; text that only looks like
	// an object is shown as it is.
	if err := json.Unmarshal(raw, &r); err != nil && !json.Valid(raw) {
		f.Message = string(raw)
		return
	}
	if r.Type == "error" { // Anthropic's envelope; what kind it is stands within
		r.Type = ""
	}
	f.Type = cmp.Or(f.Type, string(r.Type), string(r.Status))
	f.Param = cmp.Or(f.Param, string(r.Param))
	f.readCode(r.Code)
	if r.Window > 0 {
		f.window, f.prompt = r.Window, r.Prompt
	}
	for _, d := range r.Details {
		f.retryIn = cmp.Or(f.retryIn, string(d.RetryDelay))
	}
	f.Message = cmp.Or(string(r.Msg), f.Message)
	for _, inner := range []json.RawMessage{r.Response.Error, r.XGroq.Error, r.Errors, r.Detail, r.Message, r.Error} {
		f.read(inner, depth-1)
	}
	if len(r.Metadata.Raw) > 0 {
		f.readUpstream(r.Metadata.Raw, depth-1)
	}
}

// readUpstream takes what a router got from the provider behind it, which is
// more to the point than the router's own "Provider returned error".
func (f *Fault) readUpstream(raw []byte, depth int) {
	up := &Fault{}
	up.read(raw, depth)
	if up.Message == "" {
		return
	}
	up.Code, up.Type, up.status = cmp.Or(up.Code, f.Code), cmp.Or(up.Type, f.Type), f.status
	*f = *up
}

func (f *Fault) readCode(raw json.RawMessage) {
	var w word
	_ = w.UnmarshalJSON(raw) // never fails
	if w != "" {
		f.Code = string(w)
		return
	}
	if n, err := strconv.Atoi(string(raw)); err == nil && n != 0 {
		if n >= 400 && n < 600 {
			f.status = n
			return
		}
		f.Code = strconv.Itoa(n)
	}
}

// looksLikeError reports whether an object without choices, or a list of one,
// says what is wrong rather than belonging to another protocol.
func looksLikeError(data []byte) bool {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil && len(list) > 0 {
		return bytes.HasPrefix(list[0], []byte("{")) && looksLikeError(list[0])
	}
	var r struct {
		Error   json.RawMessage `json:"error"`
		Object  word            `json:"object"`
		Message word            `json:"message"`
		Detail  word            `json:"detail"`
		Type    word            `json:"type"`
	}
	// What could be decoded counts.
	_ = json.Unmarshal(data, &r)
	named := len(r.Error) > 0 && string(r.Error) != "null"
	return named || r.Object == "error" || r.Type == "error" || r.Message != "" || r.Detail != ""
}
