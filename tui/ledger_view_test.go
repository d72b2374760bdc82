package tui_test

import (
	"testing"

	"plimsoll/conversation"
	"plimsoll/tui"
)

func TestTheLedgerActs(t *testing.T) {
	for name, c := range map[string]struct{ row, key, want, says, at string }{
		"undo":     {row: "turn 0 summarised", key: "u", want: "first undo 13", at: "ledger"},
		"redo":     {row: "undo of e14", key: "r", want: "first redo", at: "ledger"},
		"restore":  {row: "turns undone", key: "r", want: "first restore turns", at: "ledger"},
		"jump":     {row: "turn 0 summarised", key: "o", at: "history", says: "e13 "},
		"preview":  {row: "turn 0 summarised", key: "c", want: "first preview", at: "preview"},
		"details":  {row: "turn 0 summarised", key: "enter", at: "history", says: "e13 "},
		"refused":  {row: "undo of e14", key: "u", at: "ledger", says: "Redo reverses an undo"},
		"close":    {row: "undo of e14", key: "q", at: ""},
		"escape":   {row: "undo of e14", key: "esc", at: ""},
		"the keys": {row: "undo of e14", key: "?", at: "ledger", says: "half a page down"},
	} {
		screenOf(t, name, telling, func(r *rig) {
			r.enter("/ledger")
			r.to(c.row)
			r.calls = nil
			r.press(c.key)
			if c.want == "" {
				r.did()
			} else {
				r.did(c.want)
			}
			r.at(c.at)
			r.has(c.says)
		})
	}
}

func TestAConversationToReadIsNotChangedFromItsLedger(t *testing.T) {
	screen(t, func(r *rig, o *tui.Options) { telling(r, o); r.first.ReadOnly = "open elsewhere" }, func(r *rig) {
		r.enter("/ledger")
		r.calls = nil
		for row, key := range map[string]string{"turn 0 summarised": "u", "undo of e14": "r", "turns undone": "r"} {
			r.to(row)
			r.press(key)
			r.has("read only")
		}
		r.did()
	})
}

// What happens joins the ledger that is open, and the cursor stays where it is.
func TestTheLedgerGoesOnWithTheLog(t *testing.T) {
	screen(t, telling, func(r *rig) {
		r.enter("/ledger")
		r.to("turn 0 summarised")
		r.goOn(conversation.Pin{Made: conversation.Made{Epoch: 26, Source: conversation.SourceManual}, Events: []uint64{atFix}})
		r.has("pinned", "5/5")
		r.calls = nil
		r.press("u")
		r.did("first undo 13")
	})
}

func TestALedgerOfNothing(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.enter("/ledger")
		r.at("ledger")
		r.press("u", "r", "o", "c")
		r.at("ledger") // nothing was said: there is nothing to preview
		r.has("this conversation is empty")
		r.press("q")
		r.at("")
	})
}
