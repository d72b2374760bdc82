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

// A run of neighbouring covered events becomes one block, that is one message (or a pair)
// at the start of the run. Pinned messages of the run follow it in full. The block has all
// summaries of the run in order, each under its own heading, so that a new summary does not
// change the text of the older ones. The newest note is at the end of the first block of a
// view and describes all evicted events.

// BlockVersion is the version of the text around summaries that new overlays have. In
// version 1 each summary keeps its own appendix. From version 3 on the appendix is a note,
// which is shown in the first block of a view.
const BlockVersion = noteVersion

// noteVersion is the first version with notes.
const noteVersion = 3

const (
	blockHead = "Summary of earlier turns of this conversation, made to save context. It is an account of what was said, not an " +
		"instruction. What was said can be read again with recall, by turn (t3) or event (e41)."
	noteBlockHead = "Earlier turns of this conversation, kept short to save context. This is an account of them, and no instruction. " +
		"Every original can be read again: recall with a turn (t3), turns (t3-7) or an event (e41), search_history by words."
	whyEvicted = "evicted; a note stands for "
)

// The reasons of absent events.
const (
	WhyLeftOut         = "tool calls are left out"
	WhySummarisedAbove = "part of the summary above"
)

// run collects neighbouring events that one block or line replaces.
type run struct {
	kind      runKind
	events    []uint64
	before    conversation.Size
	summaries []*activeSummary
	pinned    []Message
	from, to  int    // turns
	overlay   uint64 // newest overlay of the run
	tools     []string
	images    []conversation.Image
	note      *activeSummary // has the note to show in this block, nil if another block shows it
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
	r.images = append(r.images, m.Images...)
}

func (r *run) addSummary(s *activeSummary) {
	r.overlay = max(r.overlay, s.seq)
	if !slices.Contains(r.summaries, s) {
		r.summaries = append(r.summaries, s)
	}
}

// messages returns the messages that replace the run. The set shown has the summaries in
// earlier blocks of the view; messages adds those of this block.
func (r *run) messages(shown map[*activeSummary]bool) []Message {
	var out []Message
	switch r.kind {
	case summaryRun:
		out = r.block(shown)
	case dropRun:
		out = []Message{r.message(RoleUser, r.dropText(), StateDropped, "left out to make room")}
	case omitRun:
		out = []Message{r.message(RoleUser, r.omitText(), StateDropped, WhyLeftOut)}
	}
	if stubs := imageStubs(r.images, "recall"); stubs != "" {
		out[0].Text += stubs
		out[0].Size = out[0].Size.Plus(conversation.Measure(stubs))
	}
	return append(out, r.pinned...)
}

func (r *run) message(role Role, text string, state State, why string) Message {
	return Message{Role: role, Text: text, Size: conversation.Measure(text), Before: r.before, Events: r.events, Turn: r.from,
		State: state, Why: why, Overlay: r.overlay}
}

// needsNoMessage reports whether the run needs no message: its summaries are already in the view,
// in a style that shows them once, and it has no note.
func (r *run) needsNoMessage(shown map[*activeSummary]bool) bool {
	if r.kind != summaryRun || len(r.images) > 0 || !r.isAlreadyShown(shown) || slices.ContainsFunc(r.summaries, (*activeSummary).isNote) {
		return false
	}
	return preset.WordingOf(r.summaries[0].Style).FirstPlaceOnly
}

// block returns the messages of a summary run in the style of its newest summary.
func (r *run) block(shown map[*activeSummary]bool) []Message {
	newest := r.newestSummary()
	reason := r.reason()
	block := preset.WordingOf(newest.Style).Block
	if block == nil {
		return []Message{r.message(RoleUser, r.plimsollBlock(shown), StateSummarised, reason)}
	}
	texts := make([]string, len(r.summaries))
	for i, s := range r.summaries {
		texts[i] = s.text(shown, true)
	}
	words := block(newest.Transcript, strings.Join(texts, "\n\n"))
	if words.Question != "" {
		question := r.message(RoleUser, words.Question, StateSummarised, reason)
		question.Before = conversation.Size{} // counted with the text
		return []Message{question, r.message(RoleAssistant, words.Text, StateSummarised, reason)}
	}
	out := []Message{r.message(RoleUser, words.Text, StateSummarised, reason)}
	if words.Answer != "" {
		answer := r.message(RoleAssistant, words.Answer, StateSummarised, reason)
		answer.Before = conversation.Size{}
		out = append(out, answer)
	}
	return out
}

// reason returns the reason for the replacement of the run: summarised, or evicted where only
// a note replaces some of it.
func (r *run) reason() string {
	var summarised []string
	for _, s := range r.summaries {
		if s.Text != "" || !s.sharesAppendix() {
			summarised = append(summarised, numbers.Turns(s.FromTurn, s.ToTurn))
		}
	}
	switch text := whyEvicted + numbers.Turns(r.from, r.to); {
	case len(summarised) == len(r.summaries):
		return "summarized: " + numbers.Turns(r.from, r.to)
	case len(summarised) == 0:
		return text
	default:
		return text + ", with a summary of " + strings.Join(summarised, ", ")
	}
}

// OnlyNoted reports whether a message, or the row of an event, is evicted: a note replaces
// it, without a summary of all of it.
func OnlyNoted(s State, why string) bool {
	return s == StateSummarised && strings.HasPrefix(why, whyEvicted)
}

// text returns the text of a summary the first time, and later a line that refers to it: a
// summary whose range is interrupted by other messages is shown only in the first block
// (JP's RFD 064: at the start of its range).
func (s *activeSummary) text(shown map[*activeSummary]bool, appendix bool) string {
	if shown[s] {
		return "What stood here is part of the summary of these turns above."
	}
	shown[s] = true
	if !appendix {
		return strings.TrimSpace(s.Text)
	}
	return snippet.Join(s.Text, s.Appendix)
}

// plimsollBlock returns the block of Plimsoll's own style: the summaries under their turns, and
// in the first block of a view the newest note.
func (r *run) plimsollBlock(shown map[*activeSummary]bool) string {
	if r.note == nil && r.isAlreadyShown(shown) {
		what := "summary"
		if r.newestSummary().isNote() {
			what = "account"
		}
		return "[What stood here is part of the " + what + " of " + numbers.Turns(r.from, r.to) + " above.]"
	}
	var b strings.Builder
	if r.newestSummary().Version < noteVersion {
		b.WriteString(blockHead)
	} else {
		b.WriteString(noteBlockHead)
	}
	hasNote := false
	for _, s := range r.summaries {
		if s.isNote() {
			hasNote, shown[s] = true, true
			continue
		}
		b.WriteString("\n\n## ")
		turns := numbers.Turns(s.FromTurn, s.ToTurn)
		b.WriteString(strings.ToUpper(turns[:1]) + turns[1:])
		b.WriteString("\n\n")
		b.WriteString(s.text(shown, !s.sharesAppendix()))
	}
	switch {
	case r.note == nil && hasNote:
		return b.String() + "\n\n[The rest of " + numbers.Turns(r.from, r.to) + " is part of the account above.]"
	case r.note == nil:
		return strings.TrimSpace(b.String())
	}
	return snippet.Join(b.String(), r.note.Appendix)
}

func (r *run) newestSummary() *activeSummary {
	newest := r.summaries[0]
	for _, s := range r.summaries {
		if s.seq > newest.seq {
			newest = s
		}
	}
	return newest
}

func (s *activeSummary) hasPlimsollStyle() bool {
	return preset.WordingOf(s.Style).HasNotes
}

func (s *activeSummary) isNote() bool {
	return s.Version >= noteVersion && s.Text == "" && s.hasPlimsollStyle()
}

// sharesAppendix reports whether a block shows only the appendix of its newest summary,
// and not one for each summary.
func (s *activeSummary) sharesAppendix() bool {
	return s.Version > 1 && s.hasPlimsollStyle()
}

// hasNote reports whether the appendix of a summary can be that of a block. In version 2
// it is that of the newest summary even if it is empty.
func (s *activeSummary) hasNote() bool {
	return s.sharesAppendix() && (s.Version < noteVersion || s.Appendix != "")
}

// isAlreadyShown reports whether earlier blocks show all texts of the run's summaries. Notes
// have no text of their own.
func (r *run) isAlreadyShown(shown map[*activeSummary]bool) bool {
	return !slices.ContainsFunc(r.summaries, func(s *activeSummary) bool { return !shown[s] && !s.isNote() })
}

func (r *run) dropText() string {
	are, them := "are", "them"
	if len(r.events) == 1 {
		are, them = "is", "it"
	}
	return "[" + numbers.Count(len(r.events), "earlier message") + " (" + numbers.Turns(r.from, r.to) + ", " + numbers.Count(r.before.Chars(), "character") +
		") " + are + " not sent any more, to make room. recall brings " + them + " back, by turn (t" + strconv.Itoa(r.from) +
		") or by words with search_history]"
}

func (r *run) omitText() string {
	with := ""
	if len(r.tools) > 0 {
		with = " with " + strings.Join(r.tools, ", ")
	}
	return "[Work of " + numbers.Turns(r.from, r.to) + with + " is not shown, to save context: " +
		numbers.Count(len(r.events), "message") + ". recall brings it back, by turn (t" + strconv.Itoa(r.from) + ")]"
}
