package catalog

import (
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
)

// Entry is what is known about one model at one provider.
type Entry struct {
	Provider  string   `json:"provider"` // as Plimsoll names it: gemini, where the table says google
	ID        string   `json:"id"`
	Aliases   []string `json:"aliases"`
	Window    int      `json:"context_window"` // in tokens
	MaxInput  int      `json:"max_input"`      // largest prompt in tokens, 0 if only the window limits it
	MaxOutput int      `json:"max_output"`     // largest reply in tokens, 0 if unknown
	// Trained says that Window is what the model was trained for. A local
	// server loads it with a window of its own (Ollama: 4096 on small
	// machines), so Window must not be shown as the window.
	Trained    bool        `json:"-"`
	Prices     *llm.Prices `json:"-"` // nil if unknown; a cached or cache-write price of 0 beside an input price means: not published
	Tokenizer  string      `json:"tokenizer"`
	Deprecated bool        `json:"-"`
	Traits
	Date  string `json:"date"` // of the newest source, YYYY-MM-DD
	Match Match  `json:"-"`    // how a look-up found it
}

// Traits is what a model can do and what it refuses.
type Traits struct {
	Tools         bool      `json:"tools"`
	Reasoning     bool      `json:"reasoning"`
	NoTemperature bool      `json:"no_temperature"` // refuses the temperature parameter
	ChatTools     ChatTools `json:"chat_tools"`
}

// ChatTools says what chat completions with tools need (OpenAI).
type ChatTools string

// The needs of chat completions with tools.
const (
	// ChatToolsPlain: nothing special.
	ChatToolsPlain ChatTools = ""
	// ChatToolsNoEffort: reasoning_effort must not be sent.
	ChatToolsNoEffort ChatTools = "no_explicit_effort"
	// ChatToolsEffortNone: reasoning_effort must be "none".
	ChatToolsEffortNone ChatTools = "effort_none"
	// ChatToolsResponses: only the Responses API takes tools.
	ChatToolsResponses ChatTools = "responses_only"
)

// Match says how an entry was found.
type Match int

// The ways to find an entry, surest first.
const (
	MatchExact  Match = iota // by its id
	MatchAlias               // by an alias or another spelling of the id
	MatchFamily              // by the longest id that the wanted one extends: a guess
)

// Limit is the largest prompt with its reply the model takes in tokens: the
// window, or the input limit where that is smaller.
func (e Entry) Limit() int {
	if e.MaxInput > 0 && e.MaxInput < e.Window {
		return e.MaxInput
	}
	return e.Window
}

// Model is the entry as a model to talk to under the id the user wrote. A
// trained maximum is not a window: such a model's window stays unknown.
func (e Entry) Model(id string) llm.Model {
	m := llm.Model{
		Provider: e.Provider,
		ID:       id,
		MaxOut:   e.MaxOutput,
		Prices:   e.Prices,
		Window:   meter.Window{Source: meter.WindowUnknown},
		Caps:     projection.Capabilities{NoTools: !e.Tools},
	}
	if !e.Trained && e.Limit() > 0 {
		m.Window = meter.Window{Tokens: e.Limit(), Source: meter.WindowCatalogue}
	}
	return m
}
