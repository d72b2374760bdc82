package agent_test

import (
	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
)

// What happens to a conversation at the gates of a summary, and how summaries come
// about.

// act is something that happens to a conversation.
type act struct {
	name string
	do   func(*course)
}

func acts() []act {
	return []act{
		{"send", func(c *course) { c.sends("hello") }},
		{"send twice", func(c *course) { c.sends("one"); c.sends("two") }},
		{"loop", func(c *course) { c.sends("loop") }},
		{"cancel", func(c *course) { c.Cancel() }},
		{"cancel twice", func(c *course) { c.Cancel(); c.Cancel() }},
		{"undo", func(c *course) { c.UndoCompaction(0) }},
		{"redo", func(c *course) { c.RedoCompaction() }},
		{"rewind", func(c *course) { c.Rewind(-1) }},
		{"rewind and back", func(c *course) { c.Rewind(-1); c.RestoreTurns() }},
		{"back", func(c *course) { c.RestoreTurns() }}, // which is too late, unless a rewind came before
		{"pin", func(c *course) { c.Pin(c.results()[:1], true) }},
		{"unpin", func(c *course) { c.Pin(c.results()[1:2], false) }},
		{"mask", func(c *course) { c.Mask(c.results()[7:8]) }},
		{"accept", func(c *course) { shown, _ := c.waiting(); c.Review(shown.Text+" It was read.", true) }},
		{"refuse", func(c *course) { c.Review("", false) }},
		{"same", func(c *course) { c.Compact(c.same) }},
		{"other", func(c *course) { c.Compact(focused(heavy(), "other")) }},
		{"plain", func(c *course) { c.Compact(focused(byProfile(preset.ProfileDefault, 1), "plain")) }},
		{"configure", (*course).configure},
		{"smaller", func(c *course) { c.resize(3, 5) }},
		{"larger", func(c *course) { c.resize(2, 1) }},
		{"quit", func(c *course) { c.quit(); c.open(); c.sends("go on") }},
		{"delete", func(c *course) { c.quit(); c.gone = true }},
	}
}

func focused(w edit.Request, focus string) edit.Request {
	w.Focus = focus
	return w
}

func (c *course) configure() {
	name := c.presets[0]
	c.presets = append(c.presets[1:], name)
	c.rules, c.configured = preset.RulesOf(name), true
	c.Configure(map[string]string{"compaction.preset": string(name)}, c.rules)
}

// resize switches to a model with a window times over by.
func (c *course) resize(times, by int) {
	c.model.Window.Tokens = c.model.Window.Tokens * times / by
	c.model.ID += "'"
	c.model.CalibrationKey = "http://test " + c.model.ID
	m := c.model
	m.Calibration = c.memory.Calibration(m.CalibrationKey)
	c.SwitchModel(m, c.provider)
}

// origin is how a summary comes about.
type origin struct {
	name   string
	window int
	gates  []gate
	same   edit.Request // by hand that comes to the same
	begin  func(*course)
}

func origins() []origin {
	all, held := []gate{begun, half, unended, behind, storing}, []gate{begun, half, unended, storing}
	first, whole := focused(heavy(), "first"), byProfile(preset.ProfileHeavy, -1)
	read := focused(reviewed(), "first")
	return []origin{
		{"by hand", 50_000, all, first, func(c *course) { c.Compact(first) }},
		{"planned", 10_000, all, whole, func(c *course) { c.fills(8400) }}, // the reply goes over the load line
		{"held", 10_000, held, whole, func(c *course) {
			c.rules.Auto.Background = false
			c.Configure(nil, c.rules)
			c.wait()
			c.fills(9750)
		}},
		{"read", 50_000, all, read, func(c *course) { c.Compact(read) }},
		{"by the model", 50_000, held, focused(whole, "model"), func(c *course) { c.sends("tidy") }},
	}
}
