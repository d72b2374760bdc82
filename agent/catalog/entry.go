package catalog

import (
	"cmp"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
)

// Entry is what is known about one model at one provider.
type Entry struct {
	Provider  string   `json:"provider"` // Plimsoll's name for it, such as gemini for google
	ID        string   `json:"id"`
	Aliases   []string `json:"aliases"`
	Window    int      `json:"context_window"` // in tokens
	MaxInput  int      `json:"max_input"`      // largest prompt in tokens, 0 if only the window limits it
	MaxOutput int      `json:"max_output"`     // largest reply in tokens, 0 if unknown
	// Trained means that Window is the maximum that the model was trained for. A local server loads the model with
	// another window (Ollama: 4096 on small machines), so this one must not be shown.
	Trained    bool        `json:"-"`
	Prices     *llm.Prices `json:"-"` // nil if unknown; a cache price of 0 with an input price means: not published
	Tokenizer  string      `json:"tokenizer"`
	Deprecated bool        `json:"-"`
	Traits
	Date string `json:"date"` // of the newest source, YYYY-MM-DD
	// Guessed means that the look-up found only the family: the longest id that the id looked up begins with.
	Guessed bool `json:"-"`
}

// Traits are a model's abilities and restrictions.
type Traits struct {
	Tools         bool      `json:"tools"`
	Reasoning     bool      `json:"reasoning"`
	NoTemperature bool      `json:"no_temperature"` // refuses the temperature parameter
	ChatTools     ChatTools `json:"chat_tools"`
	// Images is false for a model that is known to take text only; nil is unknown, which counts as yes.
	Images *bool `json:"images"`
	// ImageTokens is how the model bills images; the zero value is the rule of its family.
	ImageTokens meter.ImageRule `json:"image_tokens"`
}

// ChatTools is what a model needs to use tools over chat completions (OpenAI).
type ChatTools string

// The values of ChatTools.
const (
	// ChatToolsPlain means that tools need nothing special.
	ChatToolsPlain ChatTools = ""
	// ChatToolsNoEffort: reasoning_effort must not be sent.
	ChatToolsNoEffort ChatTools = "no_explicit_effort"
	// ChatToolsEffortNone: reasoning_effort must be "none".
	ChatToolsEffortNone ChatTools = "effort_none"
	// ChatToolsResponses: only the Responses API takes tools.
	ChatToolsResponses ChatTools = "responses_only"
)

// Limit returns the largest prompt with its reply in tokens: the window, or the input limit if that is smaller.
func (e Entry) Limit() int {
	if e.MaxInput > 0 && e.MaxInput < e.Window {
		return e.MaxInput
	}
	return e.Window
}

// Model returns the entry as a model for requests, with the id that the user wrote. If the window is only the trained
// maximum, the model's window is unknown.
func (e Entry) Model(id string) llm.Model {
	m := llm.Model{
		Provider: e.Provider,
		ID:       id,
		MaxOut:   e.MaxOutput,
		Prices:   e.Prices,
		Window:   meter.Window{Source: meter.WindowUnknown},
		Caps:     projection.Capabilities{NoTools: !e.Tools, NoImages: e.Images != nil && !*e.Images},
		Images:   e.imageRule(),
	}
	if !e.Trained && e.Limit() > 0 {
		m.Window = meter.Window{Tokens: e.Limit(), Source: meter.WindowCatalogue}
	}
	return m
}

func (e Entry) imageRule() meter.ImageRule {
	if strings.Contains(e.ID, "claude-") {
		return meter.PixelRule
	}
	return cmp.Or(e.ImageTokens, meter.TileRule)
}
