package openai

import (
	"encoding/json"
	"strings"

	"plimsoll/conversation"
)

// The JSON of replies, in all the forms that servers use: content as text, null or parts, arguments as text or as an
// object, reasoning under three names. A field of an unexpected type counts as absent.

// chatFrame is one event of a chat completions stream, or the whole body of a completion that was not streamed.
type chatFrame struct {
	Object      string          `json:"object"`
	Model       *looseString    `json:"model"`
	Fingerprint looseString     `json:"system_fingerprint"`
	Choices     []choice        `json:"choices"`
	Usage       *usage          `json:"usage"`
	Timings     *timings        `json:"timings"`
	XGroq       *xGroq          `json:"x_groq"`
	Progress    *promptProgress `json:"prompt_progress"`
	Error       json.RawMessage `json:"error"`
}

func (f *chatFrame) isChat() bool {
	return f.Choices != nil || f.Usage.hasCounts() || f.Progress != nil || f.XGroq != nil ||
		strings.HasPrefix(f.Object, "chat.completion")
}

// runnerDied reports whether the frame is the one that Ollama sends when the process that runs the model ends. It has an
// empty model name, and neither an error nor a stop reason.
func (f *chatFrame) runnerDied() bool {
	return f.Model != nil && *f.Model == "" && f.Fingerprint == "fp_ollama"
}

type choice struct {
	Index   int         `json:"index"`
	Delta   delta       `json:"delta"`
	Message *delta      `json:"message"`
	Finish  looseString `json:"finish_reason"`
}

// delta is a piece of a message, or a whole one.
type delta struct {
	Content          parts                `json:"content"`
	Refusal          looseString          `json:"refusal"`
	ReasoningContent looseString          `json:"reasoning_content"`
	Reasoning        looseString          `json:"reasoning"`
	Details          []detail             `json:"reasoning_details"`
	Calls            []callDelta          `json:"tool_calls"`
	Extra            conversation.RawJSON `json:"extra_content"`
}

// reasoning returns the reasoning of a piece, from the first field that has any.
func (d *delta) reasoning() string {
	switch {
	case d.ReasoningContent != "":
		return string(d.ReasoningContent)
	case d.Reasoning != "":
		return string(d.Reasoning)
	case d.Content.thinking != "":
		return d.Content.thinking
	}
	var b strings.Builder
	for _, x := range d.Details {
		b.WriteString(x.text("text") + x.text("summary"))
	}
	return b.String()
}

type callDelta struct {
	Index    *int        `json:"index"`
	ID       looseString `json:"id"`
	Function struct {
		Name      looseString `json:"name"`
		Arguments argument    `json:"arguments"`
	} `json:"function"`
	Extra conversation.RawJSON `json:"extra_content"`
}

// argument is the arguments of a call as JSON text; some servers send the object itself.
type argument string

// UnmarshalJSON never fails.
func (a *argument) UnmarshalJSON(b []byte) error {
	var s string
	switch {
	case len(b) == 0:
	case b[0] == '"' && json.Unmarshal(b, &s) == nil:
		*a = argument(s)
	case b[0] == '{':
		*a = argument(b)
	}
	return nil
}

// parts is content: a text, or Mistral's list of thinking and text parts.
type parts struct{ text, thinking string }

// UnmarshalJSON never fails.
func (p *parts) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '[' {
		var w looseString
		err := w.UnmarshalJSON(b)
		p.text = string(w)
		return err
	}
	var list []struct {
		Text     looseString `json:"text"`
		Thinking parts       `json:"thinking"` // text, or a list of parts
	}
	// A part of another type leaves its fields empty; the others still count.
	_ = json.Unmarshal(b, &list)
	var text, thinking strings.Builder
	for _, x := range list {
		text.WriteString(string(x.Text))
		thinking.WriteString(x.Thinking.text)
	}
	p.text, p.thinking = text.String(), thinking.String()
	return nil
}

// If a server does not separate a model's reasoning, the content begins with it, between two tags. A tag in other places
// is text. A template may put the opening tag into the prompt, so that only the closing one comes: by then the reasoning
// was shown as text, and it stays text.

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
	blanks     = " \t\r\n"
)

// thinkSplitter splits the content of a reply into text and reasoning, wherever the pieces are cut.
type thinkSplitter struct {
	pending        string // bytes that are a tag or its beginning, or follow one
	inside         bool
	afterReasoning bool // reasoning came before
	textBegan      bool // the text began: all that follows is text
}

// add takes a piece of content, and returns the text and the reasoning that are certain by now.
func (t *thinkSplitter) add(piece string) (text, reasoning string) {
	t.pending += piece
	for !t.textBegan && t.pending != "" {
		if t.inside {
			before, rest, closed := strings.Cut(t.pending, thinkClose)
			if !closed {
				n := len(before) - tagStart(before, thinkClose)
				reasoning, t.pending = reasoning+before[:n], before[n:]
				break
			}
			reasoning, t.pending = reasoning+before, rest
			t.inside, t.afterReasoning = false, true
			continue
		}
		bare := strings.TrimLeft(t.pending, blanks)
		rest, opened := strings.CutPrefix(bare, thinkOpen)
		if !opened && strings.HasPrefix(thinkOpen, bare) {
			break
		}
		t.inside, t.textBegan = opened, !opened
		if opened {
			t.pending = rest
		} else if t.afterReasoning {
			t.pending = bare
		}
	}
	if t.textBegan {
		text, t.pending = t.pending, ""
	}
	return text, reasoning
}

// end returns the bytes that were held back.
func (t *thinkSplitter) end() (text, reasoning string) {
	rest := t.pending
	t.pending = ""
	if t.inside {
		return "", rest
	}
	if t.afterReasoning {
		rest = strings.TrimLeft(rest, blanks)
	}
	return rest, ""
}

// tagStart returns how many bytes at the end of a text are the beginning of a tag.
func tagStart(text, tag string) int {
	n := min(len(text), len(tag)-1)
	for n > 0 && !strings.HasSuffix(text, tag[:n]) {
		n--
	}
	return n
}
