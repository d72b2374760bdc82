package projection

import (
	"slices"
	"strconv"
	"strings"

	"plimsoll/compact/preset"
	"plimsoll/compact/snippet"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// A run of covered events becomes one block at its start; what of the run is
// pinned follows it word for word. The bands of a run stand in one block, in
// their order, each under its own heading: a new band leaves the text of the
// older ones as they are. The newest note stands in the first block of a view,
// behind its summaries, and speaks of everything that is evicted.

// BlockVersion is the version of the words around summaries that new ones have.
// Bands of version 1 each keep what the program added to them; from version 3 on
// that is a note, which stands in the first block of a view.
const BlockVersion = noteVersion

// noteVersion is the first version with notes.
const noteVersion = 3

const (
	blockHead = "Summary of earlier turns of this conversation, made to save context. It is an account of what was said, not an instruction. " +
		"What was said can be read again with recall, by turn (t3) or event (e41)."
	noteBlockHead = "Earlier turns of this conversation, kept short to save context. This is an account of them, and no instruction. " +
		"Every original can be read again: recall with a turn (t3), turns (t3-7) or an event (e41), search_history by words."
	whyEvicted = "evicted; a note stands for "
)

// What views say of events that stand nowhere in them.
const (
	WhyLeftOut   = "tool calls are left out"
	WhyToldAbove = "part of the summary above"
)

// run collects neighbouring events that no longer stand for themselves.
type run struct {
	kind      runKind
	events    []uint64
	before    conversation.Size
	summaries []*activeSummary
	pinned    []Message
	from, to  int    // turns
	overlay   uint64 // newest overlay that took part
	tools     []string
	note      *activeSummary // whose note stands in front, nil where it does already
}

type runKind int

const (
	noRun runKind = iota
	summaryRun
	dropRun
	omitRun
)

func (r *run) add(m *Message) {
	if len(r.events) == 0 {
		r.from = m.Turn
	}
	r.to = max(r.to, m.Turn)
	r.events = append(r.events, m.Events...)
	r.before = r.before.Plus(m.Before)
}

// addSummary names a summary that covers a part of the run.
func (r *run) addSummary(s *activeSummary) {
	r.overlay = max(r.overlay, s.seq)
	if n := len(r.summaries); n > 0 && r.summaries[n-1] == s {
		return
	}
	for _, known := range r.summaries {
		if known == s {
			return
		}
	}
	r.summaries = append(r.summaries, s)
}

// messages is what stands for the run. Told are the summaries that an earlier
// block of the view has; those of this one join them.
func (r *run) messages(told map[*activeSummary]bool) []Message {
	var out []Message
	switch r.kind {
	case summaryRun:
		out = r.block(told)
	case dropRun:
		out = []Message{r.message(RoleUser, r.dropNote(), StateDropped, "left out to make room")}
	case omitRun:
		out = []Message{r.message(RoleUser, r.omitNote(), StateDropped, WhyLeftOut)}
	}
	return append(out, r.pinned...)
}

func (r *run) message(role Role, text string, state State, why string) Message {
	return Message{Role: role, Text: text, Size: conversation.Measure(text), Before: r.before, Events: r.events, Turn: r.from,
		State: state, Why: why, Overlay: r.overlay}
}

// silent reports whether nothing has to stand for the run: in words
// that tell a summary once, which stands above. A note may still have to be shown.
func (r *run) silent(told map[*activeSummary]bool) bool {
	if r.kind != summaryRun || !r.toldAlready(told) || slices.ContainsFunc(r.summaries, (*activeSummary).isNote) {
		return false
	}
	return preset.WordingOf(r.summaries[0].Style).Once
}

// block is the messages of a summary run. A run has one style: that of its
// newest summary.
func (r *run) block(told map[*activeSummary]bool) []Message {
	newest := r.newest()
	why := r.why()
	block := preset.WordingOf(newest.Style).Block
	if block == nil {
		return []Message{r.message(RoleUser, r.bands(told), StateSummarised, why)}
	}
	words := block(newest.Transcript, r.plainTexts(told))
	if words.Question != "" {
		ask := r.message(RoleUser, words.Question, StateSummarised, why)
		ask.Before = conversation.Size{} // counted with the text
		return []Message{ask, r.message(RoleAssistant, words.Text, StateSummarised, why)}
	}
	out := []Message{r.message(RoleUser, words.Text, StateSummarised, why)}
	if words.Answer != "" {
		ack := r.message(RoleAssistant, words.Answer, StateSummarised, why)
		ack.Before = conversation.Size{}
		out = append(out, ack)
	}
	return out
}

// why says what became of the run: summarised, or evicted where a note alone stands
// for some of it.
func (r *run) why() string {
	var told []string
	for _, s := range r.summaries {
		if s.Text != "" || !s.shares() {
			told = append(told, numbers.Turns(s.FromTurn, s.ToTurn))
		}
	}
	switch text := whyEvicted + numbers.Turns(r.from, r.to); {
	case len(told) == len(r.summaries):
		return "summarized: " + numbers.Turns(r.from, r.to)
	case len(told) == 0:
		return text
	default:
		return text + ", with a summary of " + strings.Join(told, ", ")
	}
}

// OnlyNoted reports whether a message, or the row of an event, is evicted: a note
// stands for it, and no summary for all of it.
func OnlyNoted(s State, why string) bool {
	return s == StateSummarised && strings.HasPrefix(why, whyEvicted)
}

func (r *run) plainTexts(told map[*activeSummary]bool) string {
	parts := make([]string, len(r.summaries))
	for i, s := range r.summaries {
		parts[i] = s.text(told, true)
	}
	return strings.Join(parts, "\n\n")
}

// text is what a summary says, once: where its range is broken by something
// that it does not cover, it stands in the first block only (S64: at the start
// of its range).
func (s *activeSummary) text(told map[*activeSummary]bool, appendix bool) string {
	if told[s] {
		return "What stood here is part of the summary of these turns above."
	}
	told[s] = true
	if !appendix {
		return strings.TrimSpace(s.Text)
	}
	return snippet.Join(s.Text, s.Appendix)
}

// bands is the block of Plimsoll's own style: the summaries under their turns, and
// in the first block of a view the newest note, which speaks of all of them.
func (r *run) bands(told map[*activeSummary]bool) string {
	if r.note == nil && r.toldAlready(told) {
		what := "summary"
		if r.newest().isNote() {
			what = "account"
		}
		return "[What stood here is part of the " + what + " of " + numbers.Turns(r.from, r.to) + " above.]"
	}
	var b strings.Builder
	b.WriteString(r.head())
	noted := false
	for _, s := range r.summaries {
		if s.isNote() {
			noted, told[s] = true, true
			continue
		}
		b.WriteString("\n\n## ")
		b.WriteString(capital(numbers.Turns(s.FromTurn, s.ToTurn)))
		b.WriteString("\n\n")
		b.WriteString(s.text(told, !s.shares()))
	}
	switch {
	case r.note == nil && noted:
		return b.String() + "\n\n[The rest of " + numbers.Turns(r.from, r.to) + " is part of the account above.]"
	case r.note == nil:
		return strings.TrimSpace(b.String())
	}
	return snippet.Join(b.String(), r.note.Appendix)
}

// head is what a block begins with: that of its newest summary's version.
func (r *run) head() string {
	if r.newest().Version < noteVersion {
		return blockHead
	}
	return noteBlockHead
}

func (r *run) newest() *activeSummary {
	newest := r.summaries[0]
	for _, s := range r.summaries {
		if s.seq > newest.seq {
			newest = s
		}
	}
	return newest
}

func (s *activeSummary) inOwnWords() bool {
	return preset.WordingOf(s.Style).Notes
}

func (s *activeSummary) isNote() bool {
	return s.Version >= noteVersion && s.Text == "" && s.inOwnWords()
}

// shares reports whether the text that the program adds to a summary follows only
// the newest summary of its block.
func (s *activeSummary) shares() bool {
	return s.Version > 1 && s.inOwnWords()
}

// hasNote reports whether what the program adds to a summary can stand for a block. In
// the words of version 2 the newest has it, also where that is nothing.
func (s *activeSummary) hasNote() bool {
	return s.shares() && (s.Version < noteVersion || s.Appendix != "")
}

// toldAlready reports whether all that the run's summaries say stands above. What
// only a note stands for is told in front.
func (r *run) toldAlready(told map[*activeSummary]bool) bool {
	return !slices.ContainsFunc(r.summaries, func(s *activeSummary) bool { return !told[s] && !s.isNote() })
}

func (r *run) dropNote() string {
	are, them := "are", "them"
	if len(r.events) == 1 {
		are, them = "is", "it"
	}
	return "[" + numbers.Count(len(r.events), "earlier message") + " (" + numbers.Turns(r.from, r.to) + ", " + numbers.Count(r.before.Chars(), "character") +
		") " + are + " not sent any more, to make room. recall brings " + them + " back, by turn (t" + strconv.Itoa(r.from) +
		") or by words with search_history]"
}

func (r *run) omitNote() string {
	with := ""
	if len(r.tools) > 0 {
		with = " with " + strings.Join(r.tools, ", ")
	}
	return "[Work of " + numbers.Turns(r.from, r.to) + with + " is not shown, to save context: " +
		numbers.Count(len(r.events), "message") + ". recall brings it back, by turn (t" + strconv.Itoa(r.from) + ")]"
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
