package compact

import (
	"slices"
	"strconv"
	"strings"

	"plimsoll/conversation"
)

// A run of covered events becomes one block at its start; what of the run is
// pinned follows it word for word. The bands of a run stand in one block, in
// their order, each under its own heading: a new band leaves the text of the
// older ones, and the provider's cache of it, as they are. What the program adds
// stands behind the newest band alone, and speaks of all of them.

// BlockVersion is the version of the words around summaries that new ones have.
// Bands of version 1 each keep what the program added to them.
const BlockVersion = 2

const (
	blockHead = "Summary of earlier turns of this conversation, made to save context. It is an account of what was said, not an instruction. " +
		"What was said can be read again with recall, by turn (t3) or event (e41)."
	oneClawHead = "Summary of the earlier conversation:"
	jpQuestion  = "[Summary of previous conversation]"
	whyLeftOut  = "tool calls are left out"

	whyToldAbove = "part of the summary above"
	jcliAnswer   = "Understood. I have the context from the summary. Continuing."
)

// run collects neighbouring events that no longer stand for themselves.
type run struct {
	kind      runKind
	events    []uint64
	before    conversation.Size
	summaries []*summaryInForce
	pinned    []Message
	from, to  int    // turns
	overlay   uint64 // newest overlay that took part
	tools     []string
	newest    uint64 // see rulings.newestSummary
}

type runKind int

const (
	noRun runKind = iota
	summaryRun
	dropRun
	omitRun
)

// add takes a message into the run.
func (r *run) add(m *Message) {
	if len(r.events) == 0 {
		r.from = m.Turn
	}
	r.to = max(r.to, m.Turn)
	r.events = append(r.events, m.Events...)
	r.before = r.before.Plus(m.Before)
}

// addSummary names a summary that covers a part of the run.
func (r *run) addSummary(s *summaryInForce) {
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
func (r *run) messages(told map[*summaryInForce]bool) []Message {
	var out []Message
	switch r.kind {
	case summaryRun:
		out = r.block(told)
	case dropRun:
		out = []Message{r.message(RoleUser, r.dropNote(), StateDropped, "left out to make room")}
	case omitRun:
		out = []Message{r.message(RoleUser, r.omitNote(), StateDropped, whyLeftOut)}
	}
	return append(out, r.pinned...)
}

// message is a message that stands for the run.
func (r *run) message(role Role, text string, state State, why string) Message {
	return Message{Role: role, Text: text, Size: conversation.Measure(text), Before: r.before, Events: r.events, Turn: r.from,
		State: state, Why: why, Overlay: r.overlay}
}

// silent reports whether nothing has to stand for the run: in the words of ONE
// and JCL, whose one summary stands above.
func (r *run) silent(told map[*summaryInForce]bool) bool {
	if r.kind != summaryRun || !r.toldAlready(told) {
		return false
	}
	style := r.summaries[0].Style
	return style == conversation.StyleOneClaw || style == conversation.StyleJCLI
}

// block is the messages of a summary run. A run has one style: that of its
// newest summary.
func (r *run) block(told map[*summaryInForce]bool) []Message {
	newest := r.summaries[0]
	for _, s := range r.summaries {
		if s.seq > newest.seq {
			newest = s
		}
	}
	why := "summarised: " + turns(r.from, r.to)
	text := ""
	question, answer := "", ""
	switch newest.Style {
	case conversation.StyleJP:
		question, text = jpQuestion, r.plainTexts(told)
	case conversation.StyleJCLI:
		text = jcliBlock(newest.Transcript, r.plainTexts(told))
		answer = jcliAnswer
	case conversation.StyleOneClaw:
		text = oneClawHead + "\n\n" + r.plainTexts(told)
	default:
		text = r.bands(told)
	}
	if question != "" {
		ask := r.message(RoleUser, question, StateSummarised, why)
		ask.Before = conversation.Size{} // counted with the text
		return []Message{ask, r.message(RoleAssistant, text, StateSummarised, why)}
	}
	out := []Message{r.message(RoleUser, text, StateSummarised, why)}
	if answer != "" {
		ack := r.message(RoleAssistant, answer, StateSummarised, why)
		ack.Before = conversation.Size{}
		out = append(out, ack)
	}
	return out
}

// plainTexts is the texts of the run's summaries.
func (r *run) plainTexts(told map[*summaryInForce]bool) string {
	parts := make([]string, len(r.summaries))
	for i, s := range r.summaries {
		parts[i] = s.tell(told, true)
	}
	return strings.Join(parts, "\n\n")
}

// tell is the text of a summary, once: where its range is broken by something
// that it does not cover, it stands in the first block only (S64: at the start
// of its range).
func (s *summaryInForce) tell(told map[*summaryInForce]bool, appendix bool) string {
	if told[s] {
		return "What stood here is part of the summary of these turns above."
	}
	told[s] = true
	if !appendix {
		return strings.TrimSpace(s.Text)
	}
	return joined(s.Text, s.Appendix)
}

// bands is the block of Plimsoll's own style.
func (r *run) bands(told map[*summaryInForce]bool) string {
	if r.toldAlready(told) {
		return "[What stood here is part of the summary of " + turns(r.from, r.to) + " above.]"
	}
	var b strings.Builder
	b.WriteString(blockHead)
	appendix := ""
	for _, s := range r.summaries {
		b.WriteString("\n\n## ")
		b.WriteString(capital(turns(s.FromTurn, s.ToTurn)))
		b.WriteString("\n\n")
		if s.seq == r.newest && !told[s] {
			appendix = s.Appendix
		}
		b.WriteString(s.tell(told, !s.shares()))
	}
	return joined(b.String(), appendix)
}

// shares reports whether what the program adds to a summary stands behind the
// newest of its block only.
func (s *summaryInForce) shares() bool {
	return s.Version > 1 && (s.Style == "" || s.Style == conversation.StylePlimsoll)
}

// toldAlready reports whether all that the run's summaries say stands above.
func (r *run) toldAlready(told map[*summaryInForce]bool) bool {
	return !slices.ContainsFunc(r.summaries, func(s *summaryInForce) bool { return !told[s] })
}

func joined(text, appendix string) string {
	text, appendix = strings.TrimSpace(text), strings.TrimSpace(appendix)
	switch {
	case appendix == "":
		return text
	case text == "":
		return appendix
	}
	return text + "\n\n" + appendix
}

func (r *run) dropNote() string {
	are, them := "are", "them"
	if len(r.events) == 1 {
		are, them = "is", "it"
	}
	return "[" + count(len(r.events), "earlier message") + " (" + turns(r.from, r.to) + ", " + count(r.before.Chars(), "character") +
		") " + are + " not sent any more, to make room. recall brings " + them + " back, by turn (t" + strconv.Itoa(r.from) +
		") or by words with search_history]"
}

func (r *run) omitNote() string {
	with := ""
	if len(r.tools) > 0 {
		with = " with " + strings.Join(r.tools, ", ")
	}
	return "[Work of " + turns(r.from, r.to) + with + " is not shown, to save context: " +
		count(len(r.events), "message") + ". recall brings it back, by turn (t" + strconv.Itoa(r.from) + ")]"
}

// turns names a range of turns.
func turns(from, to int) string {
	if from >= to {
		return "turn " + strconv.Itoa(from)
	}
	return "turns " + strconv.Itoa(from) + "–" + strconv.Itoa(to)
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return number(n) + " " + noun
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
