package history

import "plimsoll/conversation"

// fullTexts are the whole texts of results that were cut when they arrived, by event. They can be large, and are kept until
// the history is shown anew.
type fullTexts map[uint64]whole

// whole is the whole text of a result.
type whole struct {
	text string
	err  error
	here bool // it came
}

// ask notes that the whole text of a result is asked for, if the event is one that was cut and that is not here.
func (f fullTexts) ask(e *conversation.Event) bool {
	if e == nil {
		return false
	}
	b, ok := e.Body.(conversation.ToolResult)
	if !ok || b.Total == 0 && b.Blob == "" {
		return false
	}
	if full, asked := f[e.Seq]; asked && full.err == nil {
		return false
	}
	f[e.Seq] = whole{}
	return true
}

// answer takes in a text that was asked for.
func (f fullTexts) answer(event uint64, text string, err error) bool {
	if _, asked := f[event]; !asked {
		return false
	}
	f[event] = whole{text: text, err: err, here: true}
	return true
}
