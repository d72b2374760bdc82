package account

import (
	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/tui/pane"
)

// What the keys do with the item under the cursor. Where one does nothing, it says
// why and what to do instead.

// item is the heaviest item under the cursor; its Event is 0 where there is none, or
// one that cannot be gone to.
func (m *Model) item() inspect.Item {
	sel := m.selected()
	if sel < 0 || m.rows.list[sel].kind != rowItem {
		return inspect.Item{}
	}
	return m.rows.content.Account.Heaviest[m.rows.list[sel].n]
}

// noItem is why a key that wants an item does nothing here.
func (m *Model) noItem(done string) pane.Action {
	if sel := m.selected(); sel >= 0 && m.rows.list[sel].kind == rowItem {
		return pane.Say{Text: "The system prompt and the tools go with every request: they cannot be " + done + "."}
	}
	return pane.Say{Text: "Only one of the heaviest items can be " + done + ": move to it first."}
}

func (m *Model) jump() pane.Action {
	if it := m.item(); it.Event != 0 {
		return pane.Jump{Event: it.Event}
	}
	return m.noItem("gone to")
}

func (m *Model) pin() pane.Action {
	it := m.item()
	switch {
	case it.Event == 0:
		return m.noItem("pinned")
	case m.rows.content.ReadOnly:
		return readOnly()
	}
	return pane.Pin{Events: []uint64{it.Event}, Pinned: !m.rows.content.pinned(it.Event)}
}

func (m *Model) mask() pane.Action {
	it := m.item()
	switch {
	case it.Event == 0:
		return m.noItem("masked")
	case m.rows.content.ReadOnly:
		return readOnly()
	case it.State == projection.StateMasked:
		return pane.Say{Text: "It is masked already."}
	case it.State == projection.StateSummarised || it.State == projection.StateDropped:
		return pane.Say{Text: "It is no longer sent in full: there is nothing left to mask."}
	case it.Kind != projection.Results && it.Kind != projection.Calls:
		return pane.Say{Text: "Only tool results and call arguments can be masked."}
	case m.rows.content.pinned(it.Event):
		return pane.Say{Text: "It is pinned: unpin it first."}
	}
	return pane.Mask{Events: []uint64{it.Event}}
}

func readOnly() pane.Action {
	return pane.Say{Text: "This conversation is read only."}
}
