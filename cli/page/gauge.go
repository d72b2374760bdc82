package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// The picture of the window over time has a bar for each request, in the order that they were sent; a long conversation has one
// for several, the fullest of them. Lengths are in pixels of the picture.
const (
	gaugeWidth  = 720
	gaugeHeight = 120
	gaugeTop    = 22
	maxBars     = 240
)

// fill is how full the window was at a request, in tokens.
type fill struct {
	seq                  uint64
	used, cached, window int
}

// fills lists the requests for replies of a log.
func fills(log []conversation.Event) []fill {
	var out []fill
	window, at := 0, 0
	for _, r := range inspect.SentRequests(log) {
		for ; at < len(log) && log[at].Seq <= r.Event; at++ {
			if m, ok := log[at].Body.(conversation.ModelChanged); ok {
				window = m.Window
			}
		}
		used := r.Usage.Prompt
		if used <= 0 {
			used = int(r.Usage.Estimate)
		}
		out = append(out, fill{r.Event, used, min(max(r.Usage.Cached, 0), used), window})
	}
	return out
}

// writeGauge draws how the window filled, with the compactions.
func (p *page) writeGauge() {
	list := fills(p.Events)
	if len(list) == 0 {
		return
	}
	fuller := func(a, b fill) int { return cmp.Compare(a.used, b.used) }
	most, window := max(1, slices.MaxFunc(list, fuller).used), list[len(list)-1].window
	label := fmt.Sprintf("%s, at most %s tokens", numbers.Count(len(list), "request"), numbers.Tokens(most))
	line := markup("")
	if most <= window && window < 4*most { // a window that is nearly empty would flatten the picture
		label, line, most = label+" of "+numbers.Tokens(window), markup(fmt.Sprintf(`<path class="line" d="M0 %dH%d"/>`, gaugeTop, gaugeWidth)), window
	}
	y := func(tokens int) int { return gaugeTop + gaugeHeight - gaugeHeight*min(max(tokens, 0), most)/most }
	per := (len(list) + maxBars - 1) / maxBars
	bars := (len(list) + per - 1) / per
	var cached, fresh strings.Builder
	for i := range bars {
		f := slices.MaxFunc(list[i*per:min((i+1)*per, len(list))], fuller)
		x, w := gaugeWidth*i/bars, max(1, gaugeWidth*(i+1)/bars-gaugeWidth*i/bars-1)
		fmt.Fprintf(&cached, "M%d %dh%dV%dh-%dz", x, gaugeTop+gaugeHeight, w, y(f.cached), w)
		fmt.Fprintf(&fresh, "M%d %dh%dV%dh-%dz", x, y(f.cached), w, y(f.used), w)
	}
	p.put("<figure><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n<path class=\"cached\" d=\"%s\"/><path class=\"fresh\" d=\"%s\"/>%s\n",
		gaugeWidth, gaugeTop+gaugeHeight+1, label, markup(cached.String()), markup(fresh.String()), line)
	for _, e := range inspect.CompactionLog(p.Events) {
		if e.Kind == inspect.EntryEpoch && e.Before > 0 {
			n, _ := slices.BinarySearchFunc(list, e.Event, func(f fill, seq uint64) int { return cmp.Compare(f.seq, seq) })
			p.put("<a href=\"#c%d\"><title>compacted %s → %s</title><path class=\"mark\" d=\"M%d %dV%dm-5 -9h10l-5 9z\"/></a>\n",
				e.Event, numbers.Tokens(e.Before), numbers.Tokens(e.After), gaugeWidth*min(n/per, bars)/bars, y(e.Before)-6, y(e.After))
		}
	}
	p.put("</svg>\n<figcaption class=\"faint\">%s. <span class=\"key cached\">■</span> from the cache "+
		"<span class=\"key fresh\">■</span> sent anew "+
		"<span class=\"key mark\">▼</span> a compaction</figcaption></figure>\n", label)
}
