package edit

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

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

// looksLikeBound reports whether a word can only be meant as a bound.
func looksLikeBound(word string) bool {
	return word[0] >= '0' && word[0] <= '9' || word[0] == '-' && !strings.HasPrefix(word, "--")
}

// ParseRequest reads the arguments of /compact in the chat: the flags of the
// command line, and the focus as free text. Errors wrap ErrBadRequest.
func ParseRequest(text string) (Request, Op, error) {
	w, op, words := NewRequest(), OpCompact, strings.Fields(text)
	bad := func(format string, args ...any) (Request, Op, error) {
		return Request{}, "", fmt.Errorf("%w: %w", ErrBadRequest, fmt.Errorf(format, args...))
	}
	var focus []string
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		name, value, attached := strings.Cut(word, "=")
		if slices.Contains(valueFlags, name) && !attached {
			if value = lastWord; len(words) > 0 {
				value = words[0]
			}
			if _, err := ParseBound(value); name == "--from" && err != nil && !looksLikeBound(value) {
				value = lastWord // it may stand without a value
			} else if len(words) > 0 {
				words = words[1:]
			} else if name != "--from" {
				return bad("%s needs a value", name)
			}
		}
		var err error
		switch name {
		case "--dry-run":
			op = OpPreview
		case "--undo":
			op = OpUndo
		case "--redo":
			op = OpRedo
		case "--review":
			w.Review = true
		case "--":
			focus, words = append(focus, words...), nil
		case "--from":
			w.From, err = boundOf(value)
		case "--to":
			w.To, err = boundOf(value)
		case "--profile":
			w.Profile = value
		case "--focus":
			focus = append(focus, value)
		case "--keep", "--keep-last":
			if w.KeepLast, err = strconv.Atoi(value); err != nil || w.KeepLast < 0 {
				return bad("%s needs a number of turns, such as 3, not %q", name, value)
			}
		default:
			if strings.HasPrefix(word, "--") {
				return bad("there is no flag %s; the flags are --profile, --from, --to, --keep-last, --focus, --review, --dry-run, --undo, --redo", name)
			}
			focus = append(focus, word)
		}
		if err != nil {
			return bad("%s: %w", name, err)
		}
	}
	if w.To != nil && w.KeepLast >= 0 {
		return bad("--to and --keep-last both say where the range ends; use one of them")
	}
	w.Focus = strings.Join(focus, " ")
	w.Evicts = w.plain()
	return w, op, nil
}

var valueFlags = []string{"--from", "--to", "--profile", "--focus", "--keep", "--keep-last"}

func boundOf(text string) (*Bound, error) {
	b, err := ParseBound(text)
	return &b, err
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

func profileOf(r preset.Rules, w Request) (string, preset.Profile, error) {
	name := ProfileOf(r, w)
	p, ok := r.Profiles[name]
	if !ok {
		names := strings.Join(slices.Sorted(maps.Keys(r.Profiles)), ", ")
		return name, p, fmt.Errorf("%w: %q; there are %s", ErrNoProfile, name, names)
	}
	if (w.Focus != "" || w.Review) && !p.Summarize {
		return name, p, fmt.Errorf("%w: the profile %s writes no summary; use --profile %s", ErrBadRequest, name, preset.ProfileHeavy)
	}
	if when := p.Summary.When; p.Summarize && (when == preset.SummaryNever || when == preset.SummaryByHand && w.Source == conversation.SourceAuto) {
		return name, p, fmt.Errorf("%w: compaction.summary.when is %s", ErrNoSummaries, when)
	}
	return name, p, nil
}
