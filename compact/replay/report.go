package replay

import (
	"encoding/json"
	"math"
	"slices"

	"plimsoll/compact/preset"
)

// The figures of a file and of all files are computed in the same way: shares over all requests, and ratios from the sums of
// the costs.

// Report is the result of a replay, as it is written as JSON.
type Report struct {
	Window int      `json:"window"`     // tokens
	Plan   string   `json:"plan_sheet"` // the sheet under which everything but costs was measured
	Sheets []string `json:"sheets"`
	Corpus Corpus   `json:"corpus"`

	Files  []File                  `json:"files"`
	Totals map[preset.Name]Figures `json:"totals"`
	// Unstitched are the totals without recordings that were joined from several sessions; nil if there are none.
	Unstitched map[preset.Name]Figures `json:"unstitched,omitempty"`
}

// Corpus counts what was replayed.
type Corpus struct {
	Files          int `json:"files"` // conversations with a request
	Requests       int `json:"requests"`
	References     int `json:"references"`      // identifiers in replies that an earlier message contains
	ToolReferences int `json:"tool_references"` // the references that only tool results contain
	EditAnchors    int `json:"edit_anchors"`
	WrittenLines   int `json:"written_lines"`
}

// File is the report of one conversation.
type File struct {
	Name string `json:"name"`
	Corpus
	Fits     bool                    `json:"fits"` // its largest request without compaction fits into the window
	Policies map[preset.Name]Figures `json:"policies"`
}

// Ratio is a number that may be missing: NaN, null in JSON.
type Ratio float64

// NoRatio returns the missing ratio, for example of a division by zero.
func NoRatio() Ratio { return Ratio(math.NaN()) }

// IsKnown reports whether the ratio is not missing.
func (r Ratio) IsKnown() bool { return !math.IsNaN(float64(r)) }

// MarshalJSON writes the number, or null if it is missing.
func (r Ratio) MarshalJSON() ([]byte, error) {
	if f := float64(r); !math.IsNaN(f) && !math.IsInf(f, 0) {
		return json.Marshal(f)
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Ratio) UnmarshalJSON(data []byte) error {
	*r = NoRatio()
	if string(data) == "null" {
		return nil
	}
	return json.Unmarshal(data, (*float64)(r))
}

func ratio(a, b float64) Ratio {
	if b == 0 {
		return NoRatio()
	}
	return Ratio(a / b)
}

func (s share) ratio() Ratio { return ratio(float64(s.matching), float64(s.total)) }

// Figures are the results of a policy. Costs are by sheet, in tokens at the base price.
type Figures struct {
	TokensSent   float64 `json:"tokens_sent"`
	TokensPeak   float64 `json:"tokens_peak"`
	TokensP95    float64 `json:"tokens_p95"`
	PrefixBreaks int     `json:"prefix_breaks"`
	Overflow     int     `json:"overflow"` // requests above the window

	Cost           map[string]float64 `json:"cost"`
	CostRatio      map[string]Ratio   `json:"cost_ratio"`       // to the cost of sending everything
	CostVsTruncate map[string]Ratio   `json:"cost_vs_truncate"` // to the cost of preset truncate
	SessionsWorse  map[string]int     `json:"sessions_worse"`   // conversations that fit and cost more than sending everything
	WorstFit       map[string]Ratio   `json:"worst_fit"`        // highest cost ratio of a conversation that fits, to sending everything
	WorstOver      map[string]Ratio   `json:"worst_over"`       // highest cost ratio of a conversation that does not fit, to truncate

	RetainedNeeds

	Violations   int     `json:"violations"`
	Summaries    int     `json:"summaries"`
	NsPerRequest int64   `json:"ns_per_request"`   // 0 without a clock
	Rewritten    float64 `json:"rewritten_tokens"` // tokens of the previous requests after the common prefix, over all breaks
	SummaryInput float64 `json:"summary_input"`    // tokens
}

// sums are the results of one run: of its figures those that are sums.
type sums struct {
	Figures
	requestTokens []float64 // tokens of each request
	decisionNanos int64     // ns
	needs         tally
}

func (r *run) sums() sums {
	s := sums{decisionNanos: r.decisionTime.Nanoseconds(), Figures: Figures{PrefixBreaks: r.breaks, Overflow: r.overflows,
		Violations: r.violations, Summaries: len(r.calls), Rewritten: r.rewritten, Cost: map[string]float64{}}}
	if r.score != nil {
		s.needs = r.score.needs
	}
	for _, q := range r.requests {
		s.requestTokens = append(s.requestTokens, q.tokens)
	}
	for _, c := range r.calls {
		s.SummaryInput += c.Input
	}
	return s
}

// file is one conversation with the sums of every policy.
type file struct {
	name    string
	corpus  Corpus
	results []*result
	fits    bool
	joined  bool // of several sessions
	sums    map[preset.Name]sums
}

// pool is the runs of one policy on several files, from which figures are computed.
type pool struct {
	sheets []PriceSheet
	policy preset.Name
	files  []*file
}

// figures computes the figures over all files of the pool.
func (p pool) figures() Figures {
	f := Figures{Cost: map[string]float64{}, CostRatio: map[string]Ratio{}, CostVsTruncate: map[string]Ratio{},
		SessionsWorse: map[string]int{}, WorstFit: map[string]Ratio{}, WorstOver: map[string]Ratio{}}
	var requestTokens []float64
	var nanos int64
	for _, file := range p.files {
		s := file.sums[p.policy]
		requestTokens = append(requestTokens, s.requestTokens...)
		nanos += s.decisionNanos
		f.PrefixBreaks += s.PrefixBreaks
		f.Overflow += s.Overflow
		f.Violations += s.Violations
		f.Summaries += s.Summaries
		f.Rewritten += s.Rewritten
		f.SummaryInput += s.SummaryInput
	}
	f.fillSizes(requestTokens, nanos)
	for _, sheet := range p.sheets {
		p.fillCosts(&f, sheet.Name)
	}
	f.RetainedNeeds = p.kept()
	return f
}

// fillSizes sets the figures about the sizes of requests, and the time per request. At least 95 % of the requests are not
// larger than the 95th percentile.
func (f *Figures) fillSizes(requestTokens []float64, nanos int64) {
	n := len(requestTokens)
	if n == 0 {
		return
	}
	for _, size := range requestTokens {
		f.TokensSent += size
	}
	slices.Sort(requestTokens)
	f.TokensPeak = requestTokens[n-1]
	f.TokensP95 = requestTokens[(95*n+99)/100-1]
	f.NsPerRequest = nanos / int64(n)
}

// costTolerance is the factor above which a cost counts as higher. Sums of floats in another order differ in the last
// bits.
const costTolerance = 1 + 1e-9

// fillCosts sets the figures about the costs under a sheet.
func (p pool) fillCosts(f *Figures, sheet string) {
	rawSum, truncateSum := 0.0, 0.0
	f.WorstFit[sheet], f.WorstOver[sheet], f.SessionsWorse[sheet] = NoRatio(), NoRatio(), 0
	for _, file := range p.files {
		cost := file.sums[p.policy].Cost[sheet]
		raw, truncate := file.sums[baselineRaw].Cost[sheet], file.sums[baselineTruncate].Cost[sheet]
		f.Cost[sheet] += cost
		rawSum += raw
		truncateSum += truncate
		if !file.fits {
			f.WorstOver[sheet] = maxRatio(f.WorstOver[sheet], ratio(cost, truncate))
			continue
		}
		f.WorstFit[sheet] = maxRatio(f.WorstFit[sheet], ratio(cost, raw))
		if cost > raw*costTolerance {
			f.SessionsWorse[sheet]++
		}
	}
	f.CostRatio[sheet], f.CostVsTruncate[sheet] = ratio(f.Cost[sheet], rawSum), ratio(f.Cost[sheet], truncateSum)
}

// maxRatio returns the higher ratio. A missing ratio counts as the lowest.
func maxRatio(a, b Ratio) Ratio {
	if !a.IsKnown() || b > a {
		return b
	}
	return a
}

func (c *Corpus) plus(d Corpus) {
	c.Files += d.Files
	c.Requests += d.Requests
	c.References += d.References
	c.ToolReferences += d.ToolReferences
	c.EditAnchors += d.EditAnchors
	c.WrittenLines += d.WrittenLines
}
