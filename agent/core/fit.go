package core

import (
	"fmt"
	"slices"

	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// Whether the next request fits, by the meter, the window and the rules.

// uncalibratedFactor is the factor by which a request may seem to exceed the window before the first report has calibrated the
// estimates.
const uncalibratedFactor = 1.25

// estimateSlack is the usual error of an estimate, as a fraction of the window: 1/64.
const estimateSlack = 64

// OverHardLine reports whether the next request is above the hard line, while compaction is automatic.
func (j *Journal) OverHardLine() bool {
	r := j.meter.Reading()
	return j.rules.ActsAutomatically() && r.HardLine > 0 && r.Used > r.HardLine
}

// requestFits reports whether the next request fits into the window. Where nothing is automatic, the server decides.
func (j *Journal) requestFits() bool {
	r := j.meter.Reading()
	return !j.rules.ActsAutomatically() || !r.Window.IsKnown() || r.Used <= j.mostSendable(r)
}

// NearlyFull reports whether the next request may exceed the window by the usual error of an estimate. Then more
// room is made if possible, and the request is sent in any case.
func (j *Journal) NearlyFull() bool {
	r := j.meter.Reading()
	return j.rules.ActsAutomatically() && r.Window.IsKnown() && r.Estimated && j.meter.Calibration().Samples > 0 &&
		r.Used > r.Window.Tokens-r.Window.Tokens/estimateSlack
}

// CheckFits returns an error if the next request does not fit into the window.
func (j *Journal) CheckFits() error {
	if j.requestFits() {
		return nil
	}
	return j.tooLongError()
}

// CheckNewestMessageFits returns an error if the next request can never fit: the newest message alone, with the prompt, is
// too long.
func (j *Journal) CheckNewestMessageFits() error {
	if j.requestFits() || j.newestMessageFits() {
		return nil
	}
	return j.tooLongError()
}

// newestMessageFits reports whether the newest user message fits, with system prompt and tools alone.
func (j *Journal) newestMessageFits() bool {
	r := j.meter.Reading()
	return j.newestMessageTokens()+r.Segments[projection.System]+r.Segments[projection.Tools] <= j.mostSendable(r)
}

// mostSendable is the largest estimate, in tokens, with which a request is sent.
func (j *Journal) mostSendable(r meter.Reading) int {
	if j.meter.Calibration().Samples == 0 {
		return int(uncalibratedFactor * float64(r.Window.Tokens))
	}
	return r.Window.Tokens
}

func (j *Journal) newestMessageTokens() int {
	for _, m := range slices.Backward(j.view.Messages) {
		if m.Role == projection.RoleUser && m.State == projection.StateVerbatim {
			return int(j.meter.TextTokens(m.After()))
		}
	}
	return 0
}

// tooLongError is the error of a request that does not fit.
func (j *Journal) tooLongError() error {
	r, model := j.meter.Reading(), j.settings.Model
	hint := "send a shorter message or fewer files: the long one stays in the conversation, and can be left out of the next request; "
	if j.newestMessageFits() { // the newest message fits, but not together with the pinned messages
		hint = "unpin what is pinned (/unpin), go back to an earlier message (/rewind), start a new conversation, "
	}
	return &llm.Error{
		Class: llm.Overflow,
		Message: fmt.Sprintf("Too long to send: about %s tokens, and the window of %s holds %s (your newest message about %s, prompt and tools %s)",
			numbers.Grouped(r.Used), model.Name(), numbers.Grouped(r.Window.Tokens), numbers.Grouped(j.newestMessageTokens()), numbers.Grouped(r.Segments[projection.System]+r.Segments[projection.Tools])),
		Hint: hint + model.LargerWindowHint(),
	}
}

// Oversized returns an error for a message that can never be sent: with system prompt and tools alone it is longer
// than the window. It is nil if the message fits, or if the window is unknown. The estimate is that of the meter; a
// close case passes, as the server may count differently.
func (j *Journal) Oversized(text string) *llm.Error {
	r := j.meter.Reading()
	if !r.Window.IsKnown() {
		return nil
	}
	tokens := int(j.meter.TextTokens(conversation.MeasureMessage(text)))
	fixed := r.Segments[projection.System] + r.Segments[projection.Tools]
	if tokens+fixed <= j.mostSendable(r) {
		return nil
	}
	hint := "shorten it, save it as a file and ask about parts of it (@FILE:1-200), "
	if fixed >= r.Window.Tokens { // no message fits
		hint = "declare fewer tools (tools.NAME.enabled: false), "
	}
	return &llm.Error{
		Class: llm.Overflow,
		Message: fmt.Sprintf("Too long: about %s tokens, %s free beside prompt and tools (%s of %s)", numbers.Grouped(tokens),
			numbers.Grouped(max(0, r.Window.Tokens-fixed)), numbers.Grouped(fixed), numbers.Grouped(r.Window.Tokens)),
		Hint: hint + j.settings.Model.LargerWindowHint(),
	}
}
