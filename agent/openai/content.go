package openai

import (
	"encoding/json"
	"strings"

	"plimsoll/conversation"
)

// The JSON of replies, as widely as servers write it: content as text, null or
// parts, arguments as text or as an object, reasoning under three names. A
// field of an unexpected type is as good as absent.

// chatFrame is one event of a chat completions stream, or the whole body of a
// completion that was not streamed.
type chatFrame struct {
	Object      string          `json:"object"`
	Model       *word           `json:"model"`
	Fingerprint word            `json:"system_fingerprint"`
	Choices     []choice        `json:"choices"`
	Usage       *usage          `json:"usage"`
	Timings     *timings        `json:"timings"`
	XGroq       *xGroq          `json:"x_groq"`
	Progress    *promptProgress `json:"prompt_progress"`
	Error       json.RawMessage `json:"error"`
}

func (f *chatFrame) known() bool {
	return f.Choices != nil || f.Usage.counts() || f.Progress != nil || f.XGroq != nil ||
		strings.HasPrefix(f.Object, "chat.completion")
}

// runnerDied reports whether the frame is what Ollama sends when the process that runs
// the model ends: one without a model, which is neither an error nor an end.
func (f *chatFrame) runnerDied() bool {
	return f.Model != nil && *f.Model == "" && f.Fingerprint == "fp_ollama"
}

type choice struct {
	Index   int    `json:"index"`
	Delta   delta  `json:"delta"`
	Message *delta `json:"message"`
	Finish  word   `json:"finish_reason"`
}

// delta is a piece of a message, or a whole one.
type delta struct {
	Content          parts                `json:"content"`
	Refusal          word                 `json:"refusal"`
	ReasoningContent word                 `json:"reasoning_content"`
	Reasoning        word                 `json:"reasoning"`
	Details          []detail             `json:"reasoning_details"`
	Calls            []callDelta          `json:"tool_calls"`
	Extra            conversation.RawJSON `json:"extra_content"`
}

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
		b.WriteString(x.words())
	}
	return b.String()
}

type callDelta struct {
	Index    *int `json:"index"`
	ID       word `json:"id"`
	Function struct {
		Name      word     `json:"name"`
		Arguments argument `json:"arguments"`
	} `json:"function"`
	Extra conversation.RawJSON `json:"extra_content"`
}

// argument is the text of arguments; some servers send the object itself.
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

// parts is content: text, or Mistral's list of thinking and text.
type parts struct{ text, thinking string }

// UnmarshalJSON never fails.
func (p *parts) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '[' {
		var w word
		err := w.UnmarshalJSON(b)
		p.text = string(w)
		return err
	}
	var list []struct {
		Text     word  `json:"text"`
		Thinking parts `json:"thinking"` // text, or a list of parts
	}
	// What could be decoded counts, in spite of an element of another type.
	_ = json.Unmarshal(b, &list)
	var text, thinking strings.Builder
	for _, x := range list {
		text.WriteString(string(x.Text))
		thinking.WriteString(x.Thinking.text)
	}
	p.text, p.thinking = text.String(), thinking.String()
	return nil
}

// Models whose server does not know their reasoning begin the content with it, between two tags. A tag elsewhere is text.
// That the opening one is missing, as the template has it in the prompt already, cannot be told before the closing one
// comes: by then the reasoning was shown as text, and so it stays.

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
	blanks     = " \t\r\n"
)

// thinking splits the content of a reply into text and reasoning, however the pieces are cut.
type thinking struct {
	held   string // may be, or become, a tag
	inside bool
	after  bool // reasoning has come
	over   bool // text has come
}

func (t *thinking) take(piece string) (text, reasoning string) {
	t.held += piece
	for !t.over && t.held != "" {
		if t.inside {
			before, rest, closed := strings.Cut(t.held, thinkClose)
			if !closed {
				n := len(before) - begun(before, thinkClose)
				reasoning, t.held = reasoning+before[:n], before[n:]
				break
			}
			reasoning, t.held = reasoning+before, rest
			t.inside, t.after = false, true
			continue
		}
		bare := strings.TrimLeft(t.held, blanks)
		rest, opened := strings.CutPrefix(bare, thinkOpen)
		if !opened && strings.HasPrefix(thinkOpen, bare) {
			break
		}
		t.inside, t.over = opened, !opened
		if opened {
			t.held = rest
		} else if t.after {
			t.held = bare
		}
	}
	if t.over {
		text, t.held = t.held, ""
	}
	return text, reasoning
}

func (t *thinking) end() (text, reasoning string) {
	rest := t.held
	t.held = ""
	if t.inside {
		return "", rest
	}
	if t.after {
		rest = strings.TrimLeft(rest, blanks)
	}
	return rest, ""
}

// begun is how many bytes at the end of a text are the beginning of a tag.
func begun(text, tag string) int {
	n := min(len(text), len(tag)-1)
	for n > 0 && !strings.HasSuffix(text, tag[:n]) {
		n--
	}
	return n
}
