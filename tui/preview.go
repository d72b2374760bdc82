package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent"
	"plimsoll/compact"
	"plimsoll/tui/meter"
	"plimsoll/tui/overlay"
)

// A compaction can be looked at before it is made: what it would do in numbers,
// and a question whether to do it. Numbers are estimates.

// plans is the compactions that are looked at.
type plans struct {
	asked  []compact.Wish // whose preview has not come yet, oldest first
	shown  overlay.Dialog // nil: none
	wanted compact.Wish   // that shown is about
}

// preview asks what a compaction would do.
func (m *Model) preview(w compact.Wish) tea.Cmd {
	if why := m.uncompactable(); why != "" {
		return m.say(why, true)
	}
	m.talk.plans.asked = append(m.talk.plans.asked, w)
	m.talk.Compactor.Preview(w)
	return nil
}

// showPreview shows what a compaction would do, or why it can do nothing.
func (m *Model) showPreview(u agent.Previewed) tea.Cmd {
	p := &m.talk.plans
	if len(p.asked) == 0 {
		return nil
	}
	wish := p.asked[0]
	p.asked = p.asked[1:]
	if u.Err != nil {
		return m.notCompacted(u.Err)
	}
	m.closePreview()
	p.wanted = wish
	p.shown = overlay.NewConfirm(overlay.ConfirmOptions{ID: dialogCompact, Title: "Compact", Question: m.previewText(u.Preview, wish.Focus),
		Yes: "compact now", No: "leave it as it is"})
	m.push(p.shown)
	return nil
}

// decided makes the compaction that was looked at, if the user wants it.
func (m *Model) decided(yes bool) tea.Cmd {
	p := &m.talk.plans
	if p.shown == nil {
		return nil
	}
	p.shown = nil
	if !yes {
		return nil
	}
	m.talk.Compactor.Compact(p.wanted)
	return m.later("compacts")
}

// closePreview closes the preview that is open, if one is.
func (m *Model) closePreview() {
	if shown := m.talk.plans.shown; shown != nil {
		m.overlays.Remove(shown, m.options.Now())
		m.talk.plans.shown = nil
	}
}

// layerWords says what a layer of a pass does; others have their kind.
var layerWords = map[string]string{
	"results": "results masked", "arguments": "arguments stripped", "reasoning": "reasoning stripped", "calls": "calls left out",
	"summary": "events summarised", "dropped": "messages dropped",
}

// previewText says what a compaction would do.
func (m *Model) previewText(p compact.Preview, focus string) string {
	var b strings.Builder
	words := p.Range.String()
	fmt.Fprintf(&b, "%s%s by the profile %s", strings.ToUpper(words[:1]), words[1:], p.Profile)
	if focus != "" {
		b.WriteString(", with a focus on: " + focus)
	}
	fmt.Fprintf(&b, "\n\nnow   ~%s tokens a request\nthen  ~%s", meter.Tokens(p.Before), meter.Tokens(p.After))
	if p.Before > 0 && p.After < p.Before {
		fmt.Fprintf(&b, ", %d%% less", int(float64(p.Before-p.After)/float64(p.Before)*100+0.5))
	}
	b.WriteString("\n")
	for _, l := range p.Layers {
		what, known := layerWords[l.Kind]
		if !known {
			what = l.Kind
		}
		amount, saved := l.Saved, "saved"
		if l.Saved < 0 {
			amount, saved = -l.Saved, "more"
		}
		fmt.Fprintf(&b, "\n%-18s %3d  ~%s %s", what, l.Events, meter.Tokens(amount), saved)
	}
	if p.BreakAt != 0 {
		fmt.Fprintf(&b, "\n\nThe cached prefix breaks at turn %d, event %d: ~%s tokens from there on are sent as new, once.",
			m.transcript.TurnOf(p.BreakAt), p.BreakAt, meter.Tokens(p.Behind))
	}
	if p.Summary != nil {
		b.WriteString("\n\n" + m.summaryWords(*p.Summary))
	}
	return b.String()
}

// summaryWords says which summary has to be written.
func (m *Model) summaryWords(s compact.SummaryNeed) string {
	model, reads := s.Model, "what was said"
	if model == "" {
		model = m.talk.Model.Name()
	}
	switch s.Input {
	case compact.InputView:
		reads = "the conversation as it is sent, from the provider's cache"
	case compact.InputMerged:
		reads = "the summary before and what came after it"
	}
	return fmt.Sprintf("%s writes a summary of ~%s tokens, at most ~%s long. It reads %s.",
		model, meter.Tokens(s.Covers), meter.Tokens(s.Estimate), reads)
}
