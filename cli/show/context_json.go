package show

import (
	"time"

	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/projection"
)

// The context view for scripts. What is not known is null, and so is what does not
// apply.

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
	Next             contextNext        `json:"next"`
	Heaviest         []contextItem      `json:"heaviest"`
	Savings          []contextSaving    `json:"savings"`
	Calibration      contextCalibration `json:"calibration"`
	Costs            contextCosts       `json:"costs"`
}

// contextNext is what compaction will do next.
type contextNext struct {
	State       planner.TimingState `json:"state"`
	At          *int                `json:"at"`
	Left        *int                `json:"left"`
	Turns       *int                `json:"turns"`
	EvictFrom   *int                `json:"evict_from"`
	EvictTo     *int                `json:"evict_to"`
	SummaryFrom *int                `json:"summary_from"`
	SummaryTo   *int                `json:"summary_to"`
	After       *int                `json:"after"`
	AsksModel   bool                `json:"asks_model"`
	Failures    int                 `json:"failures"`
	Cold        contextCold         `json:"cold"`
	Words       string              `json:"words"`
}

// contextCold is what a step does before the next request once the provider's cache
// has gone cold.
type contextCold struct {
	Now       bool `json:"now"`   // it has
	Above     *int `json:"above"` // tokens of a request below which there is none
	EvictFrom *int `json:"evict_from"`
	EvictTo   *int `json:"evict_to"`
	After     *int `json:"after"`
}

// contextItem is one of the heaviest things that are sent. The system prompt and
// the tools are no events.
type contextItem struct {
	Event  *uint64          `json:"event"`
	Turn   *int             `json:"turn"`
	Kind   string           `json:"kind"`
	Label  string           `json:"label"`
	Tokens int              `json:"tokens"`
	Before int              `json:"before"`
	State  projection.State `json:"state"`
	Why    *string          `json:"why"`
}

// contextSaving is what one kind of overlay saves in the next request.
type contextSaving struct {
	Kind   string `json:"kind"`
	Items  int    `json:"items"`
	Tokens int    `json:"tokens"`
}

// contextCalibration is what was learned of how the model counts.
type contextCalibration struct {
	Factor  *float64 `json:"factor"`
	Samples int      `json:"samples"`
	Off     *float64 `json:"off"`
}

// contextCosts is what the conversation has cost.
type contextCosts struct {
	TotalUSD        *float64 `json:"total_usd"`
	SummariesUSD    *float64 `json:"summaries_usd"`
	CacheSavedUSD   *float64 `json:"cache_saved_usd"`
	Requests        int      `json:"requests"`
	SummaryRequests int      `json:"summary_requests"`
	PromptTokens    int      `json:"prompt_tokens"`
	CachedTokens    int      `json:"cached_tokens"`
	OutputTokens    int      `json:"output_tokens"`
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

// compactBoundary is the oldest event that no summary covers (ONE); null while
// there is no summary.
type compactBoundary struct {
	Seq  uint64    `json:"seq"`
	Time time.Time `json:"time"`
}

func NewContextReport(m llm.Model, a inspect.Breakdown) contextReport {
	r := a.Reading
	s, c := r.Segments, a.Costs
	out := contextReport{
		WindowSource: source(r.Window), Window: console.Or(r.Window.Tokens), Used: r.Used, Estimated: r.Estimated,
		LoadLine: console.Or(r.LoadLine), HardLine: console.Or(r.HardLine), Reserve: console.Or(r.Reserve), CostUSD: r.CostUSD, Revision: r.Revision,
		Segments: contextSegments{System: s[projection.System], Tools: s[projection.Tools], Summary: s[projection.Summary],
			User: s[projection.User], Assistant: s[projection.Assistant], Reasoning: s[projection.Reasoning],
			Calls: s[projection.Calls], Results: s[projection.Results], Stubs: s[projection.Stubs]},
		Next: newContextNext(a.Forecast), Heaviest: contextItems(a.Heaviest), Savings: make([]contextSaving, 0, len(a.Savings)),
		Calibration: contextCalibration{Factor: console.Or(a.Calibration.Factor), Samples: a.Calibration.Samples, Off: a.Off},
		Costs: contextCosts{TotalUSD: c.Total, SummariesUSD: c.Summaries, CacheSavedUSD: c.Saved, Requests: c.Requests,
			SummaryRequests: c.Written, PromptTokens: c.Prompt, CachedTokens: c.Cached, OutputTokens: c.Output},
	}
	for _, saving := range a.Savings {
		out.Savings = append(out.Savings, contextSaving(saving))
	}
	if m.ID != "" {
		out.Model = console.Or(m.Name())
	}
	if r.CachedShare >= 0 {
		out.CachedShare = &r.CachedShare
	}
	return out
}

func newContextNext(o planner.Forecast) contextNext {
	n := contextNext{State: o.State, At: console.Or(o.At), Turns: console.Or(o.Turns), After: console.Or(o.After),
		AsksModel: o.Asks, Failures: o.Failures, Cold: contextCold{Now: o.Cold, Above: console.Or(o.ColdLine)}, Words: o.Words("")}
	if o.At > 0 {
		n.Left = &o.Left
	}
	if o.EvictTo >= 0 {
		n.EvictFrom, n.EvictTo = &o.EvictFrom, &o.EvictTo
	}
	if o.ColdTo >= 0 {
		n.Cold.EvictFrom, n.Cold.EvictTo, n.Cold.After = &o.ColdFrom, &o.ColdTo, console.Or(o.ColdAfter)
	}
	if o.Until >= 0 {
		n.SummaryFrom, n.SummaryTo = &o.SummaryFrom, &o.Until
	}
	return n
}

func contextItems(items []inspect.Item) []contextItem {
	out := make([]contextItem, len(items))
	for i, item := range items {
		out[i] = contextItem{Event: console.Or(item.Event), Kind: item.Kind.String(), Label: item.Label, Tokens: item.Tokens, Before: item.Before,
			State: item.State, Why: console.Or(item.Why)}
		if item.Event > 0 {
			out[i].Turn = &items[i].Turn
		}
	}
	return out
}

// source is where a window's size came from, unknown if there is none.
func source(w meter.Window) meter.WindowSource {
	if !w.Known() || w.Source == "" {
		return meter.WindowUnknown
	}
	return w.Source
}
