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

// Whether the next request can be sent as it is, by the meter, the window and the
// rules.

// unsure is how far above the window a request may seem to be as long as no
// report has said how the model counts.
const unsure = 1.25

// estimateSlack is the part of the window, one in so many, by which an estimate is
// off as often as not.
const estimateSlack = 64

// Over reports whether the next request must not be sent as it is.
func (j *Journal) Over() bool {
	r := j.meter.Reading()
	return j.rules.ActsByItself() && r.HardLine > 0 && r.Used > r.HardLine
}

// fits reports whether the next request can be sent as it is. Where nothing is
// automatic reported by the server.
func (j *Journal) fits() bool {
	r := j.meter.Reading()
	return !j.rules.ActsByItself() || !r.Window.Known() || r.Used <= j.mostSendable(r)
}

// Tight reports whether the next request seems to fit by less than estimates are off
// by: then more room is made if that is possible, and it is sent if not.
func (j *Journal) Tight() bool {
	r := j.meter.Reading()
	return j.rules.ActsByItself() && r.Window.Known() && r.Estimated && j.meter.Calibration().Samples > 0 &&
		r.Used > r.Window.Tokens-r.Window.Tokens/estimateSlack
}

// Sendable is why the next request cannot be sent, nil if it can.
func (j *Journal) Sendable() error {
	if j.fits() {
		return nil
	}
	return j.tooLong()
}

// CannotFit is why the next request cannot be sent whatever is left out of it: the
// newest message alone, with the prompt, is too long. Nil if it can.
func (j *Journal) CannotFit() error {
	if j.fits() || j.newestFits() {
		return nil
	}
	return j.tooLong()
}

// newestFits reports whether the newest message of the user fits, with the prompt
// alone.
func (j *Journal) newestFits() bool {
	r := j.meter.Reading()
	return j.newestMessage()+r.Segments[projection.System]+r.Segments[projection.Tools] <= j.mostSendable(r)
}

// mostSendable is how many tokens a request may seem to have.
func (j *Journal) mostSendable(r meter.Reading) int {
	if j.meter.Calibration().Samples == 0 {
		return int(unsure * float64(r.Window.Tokens))
	}
	return r.Window.Tokens
}

// newestMessage is about how many tokens the newest message of the user has.
func (j *Journal) newestMessage() int {
	for _, m := range slices.Backward(j.view.Messages) {
		if m.Role == projection.RoleUser && m.State == projection.StateVerbatim {
			return int(j.meter.Weigh(m.After()))
		}
	}
	return 0
}

// tooLong is a request that is not sent.
func (j *Journal) tooLong() error {
	r, model := j.meter.Reading(), j.settings.Model
	hint := "send a shorter message or fewer files: the long one stays in the conversation, and can be left out of the next request; "
	if j.newestFits() { // what must stay does not
		hint = "unpin what is pinned (/unpin), go back to an earlier message (/rewind), start a new conversation, "
	}
	return &llm.Error{
		Class: llm.Overflow,
		Message: fmt.Sprintf("Too long to send: about %s tokens, and the window of %s holds %s (your newest message about %s, prompt and tools %s)",
			numbers.Grouped(r.Used), model.Name(), numbers.Grouped(r.Window.Tokens), numbers.Grouped(j.newestMessage()), numbers.Grouped(r.Segments[projection.System]+r.Segments[projection.Tools])),
		Hint: hint + model.LargerWindowHint(),
	}
}

// Oversized is why a message can never be sent, whatever is left out of the
// conversation: with the system prompt and the tools alone it is longer than the
// window. Nil if it can be, or nobody knows. It is measured as the meter measures
// it; what is close goes through, as the server may count otherwise.
func (j *Journal) Oversized(text string) *llm.Error {
	r := j.meter.Reading()
	if !r.Window.Known() {
		return nil
	}
	tokens := int(j.meter.Weigh(conversation.Measure(conversation.Clean(text))))
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
		Message: fmt.Sprintf("Too long: about %s tokens, %s free beside prompt and tools (%s of %s)",
			numbers.Grouped(tokens), numbers.Grouped(max(0, r.Window.Tokens-fixed)), numbers.Grouped(fixed), numbers.Grouped(r.Window.Tokens)),
		Hint: hint + j.settings.Model.LargerWindowHint(),
	}
}
