package replay

import (
	"encoding/json"
	"math"
	"slices"

	"plimsoll/compact/preset"
)

// Figures of one file and of all are the same ones, made from the same sums:
// shares are pooled over all requests, costs added up before they are compared.

// Report is what replays came to. It is written as JSON as it is.
type Report struct {
	Window int      `json:"window"`     // tokens
	Plan   string   `json:"plan_sheet"` // under which what is no cost was measured
	Sheets []string `json:"sheets"`
	Corpus Corpus   `json:"corpus"`

	Files  []File                  `json:"files"`
	Totals map[preset.Name]Figures `json:"totals"`
}

// Corpus is what was replayed.
type Corpus struct {
	Files          int `json:"files"` // those with a request
	Requests       int `json:"requests"`
	References     int `json:"references"`      // identifiers that replies name and that stood earlier
	ToolReferences int `json:"tool_references"` // those that stood in results only
	EditAnchors    int `json:"edit_anchors"`
	WrittenLines   int `json:"written_lines"`
}

// File is one conversation.
type File struct {
	Name string `json:"name"`
	Corpus
	Fits     bool                    `json:"fits"` // all of it, as it was said, stays within the window
	Policies map[preset.Name]Figures `json:"policies"`
}

// Ratio is a number that may be missing: NaN, null in JSON.
type Ratio float64

// NoRatio is the ratio of nothing to nothing.
func NoRatio() Ratio { return Ratio(math.NaN()) }

// IsKnown reports whether there is a number.
func (r Ratio) IsKnown() bool { return !math.IsNaN(float64(r)) }

// MarshalJSON writes the number, or null.
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

func (s share) ratio() Ratio { return ratio(float64(s.has), float64(s.of)) }

// Figures is what a policy came to. Costs are tokens at the base price, by sheet.
type Figures struct {
	TokensSent   float64 `json:"tokens_sent"`
	TokensPeak   float64 `json:"tokens_peak"`
	TokensP95    float64 `json:"tokens_p95"`
	PrefixBreaks int     `json:"prefix_breaks"`
	Overflow     int     `json:"overflow"` // requests above the window

	Cost           map[string]float64 `json:"cost"`
	CostRatio      map[string]Ratio   `json:"cost_ratio"`       // to sending everything
	CostVsTruncate map[string]Ratio   `json:"cost_vs_truncate"` // to leaving out the oldest
	SessionsWorse  map[string]int     `json:"sessions_worse"`   // conversations that fit and cost more than sending everything
	WorstFit       map[string]Ratio   `json:"worst_fit"`        // of conversations that fit, to sending everything
	WorstOver      map[string]Ratio   `json:"worst_over"`       // of the others, to truncate

	RetainedNeeds
	RecallIndex  Ratio         `json:"recall_index"` // of references to results alone: those shown by an index of names and nothing else
	WithoutIndex RetainedNeeds `json:"without_index"`
	Instructions Ratio         `json:"instructions"`

	Violations   int     `json:"violations"`
	Summaries    int     `json:"summaries"`
	NsPerRequest int64   `json:"ns_per_request"`   // 0 without a clock
	Rewritten    float64 `json:"rewritten_tokens"` // of requests before, behind the prefix that a break left
	SummaryInput float64 `json:"summary_input"`    // tokens
}

// sums is what a run leaves behind.
type sums struct {
	requestTokens []float64 // tokens of each request
	breaks        int
	overflows     int
	faults        int
	summaries     int
	summaryInput  float64 // by summaries, tokens
	rewritten     float64
	decisionNanos int64 // ns
	cost          map[string]float64
	instructions  share
	full          tally
	withoutIndex  tally // without indexes of names
}

func (r *run) sums() sums {
	s := sums{breaks: r.breaks, overflows: r.overflows, faults: r.faults, summaries: len(r.calls), rewritten: r.rewritten, decisionNanos: r.decisionTime.Nanoseconds(),
		cost: map[string]float64{}}
	if r.score != nil {
		s.instructions, s.full, s.withoutIndex = r.score.instructions, r.score.full, r.score.withoutIndex
	}
	for _, q := range r.requests {
		s.requestTokens = append(s.requestTokens, q.tokens)
	}
	for _, c := range r.calls {
		s.summaryInput += c.Input
	}
	return s
}

// file is one conversation with the sums of all policies.
type file struct {
	name    string
	needs   Corpus
	results []*result
	fits    bool
	sums    map[preset.Name]sums
}

// pool is figures of several files in the making.
type pool struct {
	sheets []PriceSheet
	policy preset.Name
	files  []*file
}

// figures pools the files.
func (p pool) figures() Figures {
	f := Figures{Cost: map[string]float64{}, CostRatio: map[string]Ratio{}, CostVsTruncate: map[string]Ratio{},
		SessionsWorse: map[string]int{}, WorstFit: map[string]Ratio{}, WorstOver: map[string]Ratio{}}
	var asked []float64
	var spent int64
	var binding share
	for _, one := range p.files {
		s := one.sums[p.policy]
		asked = append(asked, s.requestTokens...)
		spent += s.decisionNanos
		f.PrefixBreaks += s.breaks
		f.Overflow += s.overflows
		f.Violations += s.faults
		f.Summaries += s.summaries
		f.Rewritten += s.rewritten
		f.SummaryInput += s.summaryInput
		binding.plus(s.instructions)
	}
	f.Instructions = binding.ratio()
	f.sizes(asked, spent)
	for _, sheet := range p.sheets {
		p.costs(&f, sheet.Name)
	}
	f.RetainedNeeds = p.kept(len(asked), func(s sums) tally { return s.full })
	f.WithoutIndex = p.kept(len(asked), func(s sums) tally { return s.withoutIndex })
	f.RecallIndex = f.RecallTool - f.WithoutIndex.RecallTool
	return f
}

// sizes fills in what is known from the sizes of all requests. The 95th
// percentile is the smallest size that so many are not above.
func (f *Figures) sizes(asked []float64, spent int64) {
	n := len(asked)
	if n == 0 {
		return
	}
	for _, size := range asked {
		f.TokensSent += size
	}
	slices.Sort(asked)
	f.TokensPeak = asked[n-1]
	f.TokensP95 = asked[(95*n+99)/100-1]
	f.NsPerRequest = spent / int64(n)
}

// costTolerance is how far a cost must be above another to be more: sums of floats in
// another order differ in the last bits.
const costTolerance = 1 + 1e-9

// costs fills in what a sheet says.
func (p pool) costs(f *Figures, sheet string) {
	raw, truncate := 0.0, 0.0
	f.WorstFit[sheet], f.WorstOver[sheet], f.SessionsWorse[sheet] = NoRatio(), NoRatio(), 0
	for _, one := range p.files {
		cost := one.sums[p.policy].cost[sheet]
		whole, cut := one.sums[baselineRaw].cost[sheet], one.sums[baselineTruncate].cost[sheet]
		f.Cost[sheet] += cost
		raw += whole
		truncate += cut
		if !one.fits {
			f.WorstOver[sheet] = maxRatio(f.WorstOver[sheet], ratio(cost, cut))
			continue
		}
		f.WorstFit[sheet] = maxRatio(f.WorstFit[sheet], ratio(cost, whole))
		if cost > whole*costTolerance {
			f.SessionsWorse[sheet]++
		}
	}
	f.CostRatio[sheet], f.CostVsTruncate[sheet] = ratio(f.Cost[sheet], raw), ratio(f.Cost[sheet], truncate)
}

// maxRatio is the higher of two ratios, of which either may be missing.
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
