package edit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/compact/planner"
	"plimsoll/conversation"
)

// ErrNoProfile says that no profile has the name asked for.
var ErrNoProfile = errors.New("there is no such profile")

// ErrBadRequest says that a request contradicts itself or cannot be parsed.
var ErrBadRequest = errors.New("these compaction options are not valid")

// ErrNoSummaries says that a request needs a summary and the rules forbid it.
var ErrNoSummaries = errors.New("summaries are turned off")

// Request is a compaction that the user, the model or the planner asks for.
type Request struct {
	Profile  string // "": the default profile, or with Focus or Review the one that summarises
	From, To *Bound // nil: from the start; to KeepLast turns before the end
	KeepLast int    // number of newest turns that stay as they are; negative: the number of the rules
	Focus    string // what a summary should preserve
	Source   conversation.Source
	Trigger  string // what caused it, in a word or two
	Review   bool   // the user reads the summary, and may edit it, before it takes effect
	// Evicts says that the user typed no options and wants free space: where the range has
	// nothing to compact, evict as at the load line, if the rules evict at all.
	Evicts bool
}

// hasNoOptions reports whether the request names no profile, range, focus or review.
func (req Request) hasNoOptions() bool {
	return req.Profile == "" && req.Focus == "" && !req.Review && req.From == nil && req.To == nil && req.KeepLast < 0
}

// NewRequest returns a manual request without options.
func NewRequest() Request {
	return Request{KeepLast: -1, Source: conversation.SourceManual, Trigger: "command"}
}

// RequestOf returns the request of a plan that applies a profile: it covers the turns
// after the last compaction.
func RequestOf(plan planner.Plan) Request {
	last := Bound{kind: boundAfterCompacted}
	req := NewRequest()
	req.Profile, req.From, req.Source, req.Trigger = plan.Profile, &last, conversation.SourceAuto, plan.Trigger
	return req
}

// Op is the operation that /compact was called for.
type Op string

// The operations of the command.
const (
	OpCompact Op = "compact"
	OpPreview Op = "preview" // --dry-run
	OpUndo    Op = "undo"
	OpRedo    Op = "redo"
)

// looksLikeBound reports whether a word starts like a bound and not like a flag or text.
func looksLikeBound(word string) bool {
	return word[0] >= '0' && word[0] <= '9' || word[0] == '-' && !strings.HasPrefix(word, "--")
}

// ParseRequest parses the arguments of /compact in the chat: the flags of the
// command line, and the focus as free text. Errors wrap ErrBadRequest.
func ParseRequest(text string) (Request, Op, error) {
	req, op, words := NewRequest(), OpCompact, strings.Fields(text)
	invalid := func(format string, args ...any) (Request, Op, error) {
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
				value = lastWord // --from needs no value
			} else if len(words) > 0 {
				words = words[1:]
			} else if name != "--from" {
				return invalid("%s needs a value", name)
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
			req.Review = true
		case "--":
			focus, words = append(focus, words...), nil
		case "--from":
			req.From, err = parseBoundPointer(value)
		case "--to":
			req.To, err = parseBoundPointer(value)
		case "--profile":
			req.Profile = value
		case "--focus":
			focus = append(focus, value)
		case "--keep", "--keep-last":
			if req.KeepLast, err = strconv.Atoi(value); err != nil || req.KeepLast < 0 {
				return invalid("%s needs a number of turns, such as 3, not %q", name, value)
			}
		default:
			if strings.HasPrefix(word, "--") {
				return invalid("there is no flag %s; the flags are --profile, --from, --to, --keep-last, --focus, --review, --dry-run, --undo, --redo", name)
			}
			focus = append(focus, word)
		}
		if err != nil {
			return invalid("%s: %w", name, err)
		}
	}
	if req.To != nil && req.KeepLast >= 0 {
		return invalid("--to and --keep-last both say where the range ends; use one of them")
	}
	req.Focus = strings.Join(focus, " ")
	req.Evicts = req.hasNoOptions()
	return req, op, nil
}

var valueFlags = []string{"--from", "--to", "--profile", "--focus", "--keep", "--keep-last"}

func parseBoundPointer(text string) (*Bound, error) {
	b, err := ParseBound(text)
	return &b, err
}
