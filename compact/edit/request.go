package edit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// A request is what somebody asks of a compaction, in the words of the command
// line: bounds become turns, and the profile policies, only when it is worked
// out on a log.

// ErrNoProfile says that no profile has the name asked for.
var ErrNoProfile = errors.New("there is no such profile")

// ErrBadRequest says that a request contradicts itself or cannot be read.
var ErrBadRequest = errors.New("these compaction options are not valid")

// ErrNoSummaries says that the rules allow no summary that a request needs.
var ErrNoSummaries = errors.New("summaries are turned off")

// Request is a compaction that somebody asks for.
type Request struct {
	Profile  string // "": the default one, or with Focus or Review the one that summarises
	From, To *Bound // nil: from the start; to KeepLast turns before the end
	KeepLast int    // newest turns left alone; negative: as the rules say
	Focus    string // what a summary should preserve
	Source   conversation.Source
	Trigger  string // what set it off, in a word or two
	Review   bool   // the user reads a summary, and may change it, before it takes effect
	// Evicts says that the user asked for nothing in particular and wants room: where the
	// range holds nothing to compact, the step at the load line is made, if the rules have one.
	Evicts bool
}

// plain reports whether nothing in particular is asked for.
func (w Request) plain() bool {
	return w.Profile == "" && w.Focus == "" && !w.Review && w.From == nil && w.To == nil && w.KeepLast < 0
}

// NewRequest is the request of a user who says nothing further.
func NewRequest() Request {
	return Request{KeepLast: -1, Source: conversation.SourceManual, Trigger: "command"}
}

// RequestOf is what a plan asks for that applies a profile: all that came after the last
// compaction.
func RequestOf(p planner.Plan) Request {
	last := Bound{form: boundLast}
	w := NewRequest()
	w.Profile, w.From, w.Source, w.Trigger = p.Profile, &last, conversation.SourceAuto, p.Trigger
	return w
}

// Op is what is to be done with a request that was typed.
type Op string

// The operations of the command.
const (
	OpCompact Op = "compact"
	OpPreview Op = "preview" // --dry-run
	OpUndo    Op = "undo"
	OpRedo    Op = "redo"
)

// ParseRequest reads what stands behind /compact in the chat: the flags of the
// command line, and the focus as free text. Errors wrap ErrBadRequest.
func ParseRequest(text string) (Request, Op, error) {
	p := requestParser{wish: NewRequest(), deed: OpCompact, words: strings.Fields(text)}
	for len(p.words) > 0 && p.err == nil {
		p.next()
	}
	if p.err == nil && p.wish.To != nil && p.kept {
		p.err = errors.New("--to and --keep-last both say where the range ends; use one of them")
	}
	if p.err != nil {
		return Request{}, "", fmt.Errorf("%w: %w", ErrBadRequest, p.err)
	}
	p.wish.Focus = strings.Join(p.focus, " ")
	p.wish.Evicts = p.wish.plain()
	return p.wish, p.deed, nil
}

type requestParser struct {
	wish  Request
	deed  Op
	words []string
	focus []string
	kept  bool
	err   error
}

func (p *requestParser) next() {
	word := p.words[0]
	p.words = p.words[1:]
	if !strings.HasPrefix(word, "--") {
		p.focus = append(p.focus, word)
		return
	}
	name, value, attached := strings.Cut(word, "=")
	switch name {
	case "--dry-run":
		p.deed = OpPreview
	case "--undo":
		p.deed = OpUndo
	case "--redo":
		p.deed = OpRedo
	case "--review":
		p.wish.Review = true
	case "--":
		p.focus = append(p.focus, p.words...)
		p.words = nil
	case "--from":
		p.from(value, attached)
	case "--to":
		p.wish.To = p.bound(name, p.value(name, value, attached))
	case "--profile":
		p.wish.Profile = p.value(name, value, attached)
	case "--focus":
		p.focus = append(p.focus, p.value(name, value, attached))
	case "--keep", "--keep-last":
		p.keep(name, p.value(name, value, attached))
	default:
		p.err = fmt.Errorf("there is no flag %s; the flags are --profile, --from, --to, --keep-last, --focus, --review, --dry-run, --undo, --redo", name)
	}
}

// from reads --from, which may stand without a value: then it is last.
func (p *requestParser) from(value string, attached bool) {
	if !attached {
		value = "last"
		if len(p.words) > 0 {
			if b, err := ParseBound(p.words[0]); err == nil {
				p.wish.From = &b
				p.words = p.words[1:]
				return
			}
		}
	}
	p.wish.From = p.bound("--from", value)
}

func (p *requestParser) value(name, value string, attached bool) string {
	if attached {
		return value
	}
	if len(p.words) == 0 {
		p.err = fmt.Errorf("%s needs a value", name)
		return ""
	}
	value = p.words[0]
	p.words = p.words[1:]
	return value
}

func (p *requestParser) bound(name, value string) *Bound {
	if p.err != nil {
		return nil
	}
	b, err := ParseBound(value)
	if err != nil {
		p.err = fmt.Errorf("%s: %w", name, err)
		return nil
	}
	return &b
}

func (p *requestParser) keep(name, value string) {
	if p.err != nil {
		return
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		p.err = fmt.Errorf("%s needs a number of turns, such as 3, not %q", name, value)
		return
	}
	p.wish.KeepLast, p.kept = n, true
}

// ProfileOf is the name of the profile a request means. There may be no such profile.
func ProfileOf(r preset.Rules, w Request) string {
	switch {
	case w.Profile != "":
		return w.Profile
	case (w.Focus != "" || w.Review) && !r.Profiles[r.DefaultProfile].Summarize:
		return preset.ProfileHeavy
	}
	return r.DefaultProfile
}

// profileOf is the profile a request means, by name.
func profileOf(r preset.Rules, w Request) (string, preset.Profile, error) {
	name := ProfileOf(r, w)
	p, ok := r.Profiles[name]
	if !ok {
		names := make([]string, 0, len(r.Profiles))
		for n := range r.Profiles {
			names = append(names, n)
		}
		slices.Sort(names)
		return name, p, fmt.Errorf("%w: %q; there are %s", ErrNoProfile, name, strings.Join(names, ", "))
	}
	if w.Focus != "" && !p.Summarize {
		return name, p, fmt.Errorf("%w: the profile %s writes no summary to focus; use --profile %s",
			ErrBadRequest, name, preset.ProfileHeavy)
	}
	if w.Review && !p.Summarize {
		return name, p, fmt.Errorf("%w: the profile %s writes no summary to review; use --profile %s",
			ErrBadRequest, name, preset.ProfileHeavy)
	}
	if when := p.Summary.When; p.Summarize && (when == preset.SummaryNever || when == preset.SummaryByHand && w.Source == conversation.SourceAuto) {
		return name, p, fmt.Errorf("%w: compaction.summary.when is %s", ErrNoSummaries, when)
	}
	return name, p, nil
}
