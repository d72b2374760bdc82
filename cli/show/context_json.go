package show

import (
	"cmp"
	"math"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
)

// The context view as JSON. Unknown values, and those that do not apply, are null.

// contextReport is `context --json`.
type contextReport struct {
	Model            *string            `json:"model"`
	Window           *int               `json:"window"`
	WindowSource     meter.WindowSource `json:"window_source"`
	Used             int                `json:"used"`
	Estimated        bool               `json:"estimated"`
	LoadLine         *int               `json:"load_line"`
	HardLine         *int               `json:"hard_line"`
	Reserve          *int               `json:"reserve"`
	Segments         contextSegments    `json:"segments"`
	CachedShare      *float64           `json:"cached_share"`
	CostUSD          *float64           `json:"cost_usd"`
	CompactedSummary *string            `json:"compacted_summary"`
	CompactBoundary  *compactBoundary   `json:"compact_boundary"`
	Revision         uint64             `json:"revision"`
	Tools            []contextTool      `json:"tools"`
	Skills           []SkillTokens      `json:"skills"`
	Images           []ImageTokens      `json:"images"`
	KeptOut          keptOut            `json:"kept_out"`
}

// contextTool is a tool with the tokens of its declaration.
type contextTool struct {
	Name     string `json:"name"`
	Source   string `json:"source"` // plimsoll, or the server
	Tokens   int    `json:"tokens"`
	Deferred bool   `json:"deferred"`
	Uses     int    `json:"uses"`
}

// ImageTokens is an image that requests send, with its tokens by the model's rule.
type ImageTokens struct {
	Name   string `json:"name"`
	Turn   int    `json:"turn"`
	Tokens int    `json:"tokens"`
}

// Images lists the images of a view.
func Images(v projection.View, m llm.Model) []ImageTokens {
	out := []ImageTokens{}
	for _, msg := range v.Messages {
		for _, image := range msg.Images {
			out = append(out, ImageTokens{image.Name, msg.Turn, int(math.Ceil(m.ImageRule().Tokens(image.Size())))})
		}
	}
	return out
}

// keptOut is what the requests leave out, in tokens.
type keptOut struct {
	DeferredTools int `json:"deferred_tools"`
	Tasks         int `json:"tasks"`
}

// contextSegments is tokens by category; they add up to what is used.
type contextSegments struct {
	System    int `json:"system"`
	Tools     int `json:"tools"`
	Summary   int `json:"summary"`
	User      int `json:"user"`
	Assistant int `json:"assistant"`
	Reasoning int `json:"reasoning"`
	Calls     int `json:"calls"`
	Results   int `json:"results"`
	Stubs     int `json:"stubs"`
}

// compactBoundary is the oldest event that no summary covers (OneClaw); null while
// there is no summary.
type compactBoundary struct {
	Seq  uint64    `json:"seq"`
	Time time.Time `json:"time"`
}

// NewContextReport reports a model, a breakdown, the uses of tools and what tasks kept out, without the summary fields.
func NewContextReport(m llm.Model, a inspect.Breakdown, uses []inspect.ToolUse, byTasks int) contextReport {
	r := a.Reading
	s := r.Segments
	out := contextReport{
		WindowSource: source(r.Window), Window: console.OrNull(r.Window.Tokens), Used: r.Used, Estimated: r.Estimated,
		LoadLine: console.OrNull(r.LoadLine), HardLine: console.OrNull(r.HardLine), Reserve: console.OrNull(r.Reserve), CostUSD: r.CostUSD, Revision: r.Revision,
		Segments: contextSegments{System: s[projection.System], Tools: s[projection.Tools], Summary: s[projection.Summary],
			User: s[projection.User], Assistant: s[projection.Assistant], Reasoning: s[projection.Reasoning],
			Calls: s[projection.Calls], Results: s[projection.Results], Stubs: s[projection.Stubs]},
	}
	out.Tools, out.KeptOut = []contextTool{}, keptOut{DeferredTools: r.KeptOut - byTasks, Tasks: byTasks}
	for _, u := range uses {
		out.Tools = append(out.Tools, contextTool{Name: u.Name, Source: cmp.Or(u.Source, "plimsoll"), Tokens: u.Tokens, Deferred: u.Deferred, Uses: u.Uses})
	}
	if m.ID != "" {
		out.Model = console.OrNull(m.Name())
	}
	if r.CachedShare >= 0 {
		out.CachedShare = &r.CachedShare
	}
	return out
}

// source is the source of a window's size, unknown for an unknown window.
func source(w meter.Window) meter.WindowSource {
	if !w.IsKnown() || w.Source == "" {
		return meter.WindowUnknown
	}
	return w.Source
}
