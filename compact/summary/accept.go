package summary

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// An answer is accepted as a summary only if the model finished it and called no tool, if
// it has text, is clearly shorter than the covered messages but not absurdly short, and
// is neither a refusal nor an error message. An extract quotes the log, so mistakes of
// models are not checked in it.

// AcceptedShare is the largest accepted length of a summary, as a share of the estimated
// tokens of the covered messages. Nor may it be so long that the view grows.
const AcceptedShare = 0.40

const (
	// collapseTokens and collapseChars: an answer of less than collapseChars code points to
	// more than collapseTokens input tokens has lost the content.
	collapseTokens = 5000
	collapseChars  = 200
	// refusalChars: only answers with fewer code points are checked for refusals and error
	// messages, because a longer summary may well mention them.
	refusalChars = 400
)

// ErrRefused is wrapped by every error of [Accept], together with one of the reasons
// below. The text of the error is for the user.
var ErrRefused = errors.New("the summary was not taken")

// The reasons not to take an answer as a summary.
var (
	ErrCut      = errors.New("the summary was cut off at the length limit")
	ErrUnended  = errors.New("the summary did not come to its end")
	ErrCalls    = errors.New("the model called a tool instead of writing a summary")
	ErrEmpty    = errors.New("the summary came back empty")
	ErrDeclined = errors.New("the model declined to write a summary")
	ErrFailure  = errors.New("an error message came back in place of a summary")
	ErrShort    = errors.New("the summary is far too short for what it covers")
	ErrLong     = errors.New("the summary would not be short enough")
)

type refusal struct {
	reason error
	detail string
}

func (r refusal) Error() string { return r.reason.Error() + r.detail + "; nothing was changed" }

func (r refusal) Unwrap() []error { return []error{ErrRefused, r.reason} }

// Accept returns the text of an accepted answer, trimmed and cleaned for storage.
// Otherwise the error wraps [ErrRefused] and one of the reasons.
func Accept(job Job, a Answer) (text string, err error) {
	text = withoutThoughts(conversation.Clean(a.Text))
	startsWithCall := slices.ContainsFunc(callMarks, func(mark string) bool { return strings.HasPrefix(text, mark) })
	refuse := func(reason error, detail string) (string, error) { return "", refusal{reason, detail} }
	switch {
	case a.Calls > 0 || a.Stop == conversation.StopCalls || startsWithCall:
		return refuse(ErrCalls, "")
	case a.Stop == conversation.StopLength:
		return refuse(ErrCut, " of "+numbers.Count(job.MaxTokens, "token"))
	case a.Stop != conversation.StopEnd:
		detail := ""
		if a.Stop != "" {
			detail = " (" + conversation.OneLine(string(a.Stop), projection.MaxCallID) + ")"
		}
		return refuse(ErrUnended, detail)
	}
	if err := job.checkNotEmpty(text); err != nil {
		return "", err
	}
	if a.Input != preset.InputExtract {
		chars := utf8.RuneCountInString(text)
		switch short := job.checkMinLength(text); {
		case chars < refusalChars && errorMessagePattern().MatchString(text):
			return refuse(ErrFailure, ": "+quoteStart(text))
		case chars < refusalChars && refusalPattern().MatchString(strings.ReplaceAll(strings.TrimLeft(text, "*_#>\"' \t\n"), "’", "'")):
			return refuse(ErrDeclined, ": "+quoteStart(text))
		case short != nil:
			return "", short
		}
	}
	if err := job.checkMaxLength(text); err != nil {
		return "", err
	}
	return text, nil
}

// Check returns why a summary that the user edited is refused, nil if it has text and is
// neither too short nor too long. Other mistakes of models are not checked in it.
func (j *Job) Check(text string) error {
	return cmp.Or(j.checkNotEmpty(text), j.checkMinLength(text), j.checkMaxLength(text))
}

// Refused returns the error for one of the reasons.
func Refused(reason error) error { return refusal{reason, ""} }

func (j *Job) checkNotEmpty(text string) error {
	if text == "" || !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return refusal{ErrEmpty, ""}
	}
	return nil
}

func (j *Job) checkMinLength(text string) error {
	read := j.CoveredTokens
	if j.Input == preset.InputMerged { // earlier summaries are shorter than the messages they cover
		read = min(read, j.Tokens())
	}
	if chars := utf8.RuneCountInString(text); chars < collapseChars && read > collapseTokens {
		return refusal{ErrShort, " (" + numbers.Count(chars, "character") + " for " + numbers.Count(j.CoveredTokens, "token") + ")"}
	}
	return nil
}

// Longest returns the length of the longest accepted text in estimated tokens.
func (j *Job) Longest() float64 {
	most := AcceptedShare * float64(j.CoveredTokens)
	if j.options.MaxText > 0 {
		most = min(most, float64(j.options.MaxText))
	}
	return most
}

// checkMaxLength returns an error if a text is not clearly shorter than the covered messages, or
// longer than the room in the view.
func (j *Job) checkMaxLength(text string) error {
	tokens := textTokens(text)
	if tokens <= j.Longest() {
		return nil
	}
	detail := ": " + numbers.Count(int(tokens+0.5), "token") + " in place of " + numbers.Grouped(j.CoveredTokens)
	if j.Longest() < AcceptedShare*float64(j.CoveredTokens) {
		return refusal{ErrLong, detail + ", and with more than " + numbers.Grouped(j.options.MaxText) + " the request would grow"}
	}
	return refusal{ErrLong, detail + ", and at most 40% are taken"}
}

// withoutThoughts returns text without the reasoning that some servers leave at its start
// between tags. If the tag is not closed, no text is left.
func withoutThoughts(text string) string {
	text = strings.TrimSpace(text)
	for _, tag := range [...]string{"think", "thinking"} {
		rest, ok := strings.CutPrefix(text, "<"+tag+">")
		if !ok {
			continue
		}
		_, after, _ := strings.Cut(rest, "</"+tag+">")
		return strings.TrimSpace(after)
	}
	return text
}

// callMarks begin a tool call in a model's own format, which the server did not recognise.
var callMarks = []string{"<tool_call>", "<|tool_call", "<tool_calls>", "[TOOL_CALLS]", "<function_calls>", "<function=", "<invoke "}

// refusalPattern matches short answers that refuse or that ask for the conversation again.
var refusalPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:` +
		`(?:i'm|i am|we're|we are) (?:\w+ )?sorry\b|sorry[,.!:]|sorry but\b|(?:my |i )?apologi[sz]e?s?\b` +
		`|(?:unfortunately,? |regrettably,? |but )?i (?:can't|can ?not|won't|will not|am unable to|am not able to|don't have|do not have)\b` +
		`[^.!?\n]{0,40}\b(?:help|assist|summar\w+|compl(?:y|ete)|continue|fulfil+|access|do that|do this|provide|process|share|any (?:conversation|history|context))\b` +
		`|i'm (?:unable|not able) to\b|as an? (?:ai|large language model|language model)\b` +
		`|(?:could|can|would) you (?:please )?(?:provide|share|paste)\b|please (?:provide|share|paste)\b` +
		`|there (?:is|was) no (?:conversation|history|text|content)\b` +
		`|抱歉|很抱歉|对不起|對不起|申し訳|すみません|lo siento\b|je suis désolée?\b|es tut mir leid\b|tut mir leid\b|mi dispiace\b|desculpe\b)`)
})

// errorMessagePattern matches short answers that start like the error messages of servers, or
// that are placeholders for a missing text.
var errorMessagePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:\{\s*"(?:error|detail|message)"\s*:|\[?(?:(?:api|http|server|internal|internal server|network|upstream|provider|unexpected) )?error\]?:|<!doctype|<html` +
		`|(?:http |status |error |code )*[45]\d\d:? +(?:too many|internal|bad|service|gateway|unauthori|forbidden|payment|overloaded|not found|server)` +
		`|(?:request failed|too many requests|rate limit exceeded|service unavailable|internal server error|bad gateway|gateway time-?out|overloaded)\b` +
		`|\(?empty summary\)?$|null$|undefined$|none$|n/a$)`)
})
