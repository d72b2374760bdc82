package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// Fault is the error that a server reports, without keys. It is the cause of an *llm.Error that came from a server.
//
// Formats: {"error":{…}}, {"error":"…"} (xAI), a list of those (Gemini), {"object":"error",…} (SGLang, Mistral, older
// vLLM), {"detail":…} (FastAPI), {"errors":[…]}, any of them as text inside a message (Ollama, OpenRouter's
// metadata.raw), HTML, plain text, an empty body.
type Fault struct {
	Message string
	Code    string
	Type    string
	Param   string

	status  int    // an HTTP status in the body, 0 if it has none
	window  int    // llama.cpp's n_ctx
	prompt  int    // llama.cpp's n_prompt_tokens
	retryIn string // Gemini's retryDelay
}

// Error returns the message with its code.
func (f *Fault) Error() string {
	if f.Code != "" {
		return f.Message + " [" + f.Code + "]"
	}
	return f.Message
}

// maxNesting limits how deep errors inside errors are read. Each text with an error in it takes a few levels.
const maxNesting = 12

// parseFault reads an error body. Any bytes give a Fault.
func parseFault(body []byte) *Fault {
	f := &Fault{}
	f.read(body, maxNesting)
	return f
}

// rawFault is an error object with the fields of all servers.
type rawFault struct {
	Error   json.RawMessage `json:"error"`
	Errors  json.RawMessage `json:"errors"`
	Message json.RawMessage `json:"message"`
	Msg     looseString     `json:"msg"`
	Detail  json.RawMessage `json:"detail"`
	Code    json.RawMessage `json:"code"`
	Type    looseString     `json:"type"`
	Param   looseString     `json:"param"`
	Status  looseString     `json:"status"`
	Details []struct {
		RetryDelay looseString `json:"retryDelay"`
	} `json:"details"`
	Window   int `json:"n_ctx"`
	Prompt   int `json:"n_prompt_tokens"`
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

// read reads an error of any JSON type, or a text.
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
		if !json.Valid(raw) { // a bare null, number or boolean is no message
			f.readText(string(raw), depth-1)
		}
	}
}

// readText takes a text as the message, or the error that the text contains as JSON or HTML.
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
	// A field of another type counts as absent. A text that only begins like an object is the message itself.
	if err := json.Unmarshal(raw, &r); err != nil && !json.Valid(raw) {
		f.Message = string(raw)
		return
	}
	if r.Type == "error" { // Anthropic's outer object; the inner one has the kind
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

// readUpstream reads the error that a router received from its upstream provider. It is more precise than the router's
// own "Provider returned error".
func (f *Fault) readUpstream(raw []byte, depth int) {
	up := &Fault{}
	up.read(raw, depth)
	if up.Message == "" {
		return
	}
	up.Code, up.Type, up.status = cmp.Or(up.Code, f.Code), cmp.Or(up.Type, f.Type), f.status
	*f = *up
}

// readCode reads a code. A number from 400 to 599 is an HTTP status.
func (f *Fault) readCode(raw json.RawMessage) {
	var w looseString
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

// looksLikeError reports whether an object without choices, or a list with such an object, is an error rather than an
// event of another protocol.
func looksLikeError(data []byte) bool {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil && len(list) > 0 {
		return bytes.HasPrefix(list[0], []byte("{")) && looksLikeError(list[0])
	}
	var r struct {
		Error   json.RawMessage `json:"error"`
		Object  looseString     `json:"object"`
		Message looseString     `json:"message"`
		Detail  looseString     `json:"detail"`
		Type    looseString     `json:"type"`
	}
	// Fields of another type count as absent.
	_ = json.Unmarshal(data, &r)
	return isSet(r.Error) || r.Object == "error" || r.Type == "error" || r.Message != "" || r.Detail != ""
}
