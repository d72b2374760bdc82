package agent_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"plimsoll/agent"
	"plimsoll/agent/agenttest"
	"plimsoll/compact"
	"plimsoll/conversation"
)

// A summary is stopped at every gate it passes, and there everything is done that
// can be done: alone, and in ordered pairs at the same or at a later gate.

// gate is a place where every summary waits.
type gate int

const (
	begun   gate = iota // asked for, and nothing came
	half                // half of the text came
	unended             // all of it came, but not the end
	behind              // written, and a reply of a turn streams
	storing             // about to be stored
	gates
)

func (g gate) String() string { return [...]string{"begun", "half", "unended", "behind", "storing"}[g] }

// course is one conversation on its way through the gates.
type course struct {
	*rig
	t                *testing.T
	provider         *gatekeeper
	memory           *agenttest.Memory
	model            agent.Model
	rules            compact.Rules
	at               gate
	same             compact.Wish // what a wish by hand has to be to join the summary
	beside           bool         // a reply streams while the summary is written
	sent             map[string]int
	got              map[string]int // that came back in earlier runs
	told             map[uint64]int // how often an epoch was told to be made
	presets          []compact.Preset
	configured, gone bool
}

// enter opens a conversation with what was stored.
func enter(t *testing.T, window int, stored []conversation.Event) *course {
	c := &course{
		t: t, memory: &agenttest.Memory{}, model: testModel, rules: compact.PresetRules(compact.PresetPlimsoll),
		sent: map[string]int{}, got: map[string]int{}, told: map[uint64]int{}, presets: []compact.Preset{compact.PresetJCLI, compact.PresetOneClaw},
	}
	c.model.Window.Tokens = window
	c.provider = &gatekeeper{memory: c.memory, began: map[int]int{}, broken: map[int]bool{}}
	for i := range c.provider.gates {
		c.provider.gates[i] = agenttest.NewGate()
	}
	if len(stored) > 0 {
		c.provider.requests = len(stored) // so that the ids of calls are new
		if err := c.memory.Append(t.Context(), stored); err != nil {
			t.Fatal(err)
		}
		for _, e := range stored {
			if m, isUser := e.Body.(conversation.UserMessage); isUser {
				c.sent[m.Text]++
			}
		}
		c.provider.paid, _ = costs(stored)
	}
	c.open()
	return c
}

// open runs an agent on what is stored.
func (c *course) open() {
	c.rig = start(c.t, both(withTools(slowLooked(), compactTool()), c.options))
	c.rig.memory = c.memory
}

func (c *course) options(o *agent.Options) {
	o.Log, o.Calibrations, o.Backlog = &gatedLog{c.memory, c.provider.gates[storing]}, c.memory, c.memory
	o.Provider, o.Model, o.Rules, o.Stored.Events = c.provider, c.model, c.rules, c.memory.Events()
	o.Model.Calibration = c.memory.Calibration(c.model.CalibrationKey)
	o.Meter.TriggerRatio, o.Meter.HardRatio, o.Meter.TokenThreshold = c.rules.TriggerRatio, c.rules.HardRatio, c.rules.TokenThreshold
}

// sends says something that nobody said before.
func (c *course) sends(text string) {
	text = fmt.Sprintf("%s %d", text, len(c.sent))
	c.sent[text]++
	c.Send(text)
}

// fills says something after which a request has so many tokens.
func (c *course) fills(tokens int) {
	c.sends(strings.Repeat("word ", (tokens-c.reading().Used)*4/5))
}

// tick lets what needs no gate go on for a while.
func (c *course) tick() {
	time.Sleep(300 * time.Millisecond)
	c.wait()
}

// advance lets every summary go on to a gate.
func (c *course) advance(to gate) {
	for ; c.at < to; c.at++ {
		if c.at == unended && c.beside && !c.gone {
			c.sends("slow")
			c.wait()
		}
		c.provider.gates[c.at].Open()
		c.tick()
	}
}

// quit ends the program. Whoever is there does what a program that starts does.
func (c *course) quit() {
	c.end()
	c.wait()
	if len(c.ended) == 0 { // it waits for a write
		c.provider.gates[storing].Open()
	}
	if err := c.stop(); err != nil {
		c.t.Errorf("Run: %v", err)
	}
	c.watched()
	for _, text := range c.memory.Waiting() {
		if !slices.Contains(c.returned(), text) {
			c.t.Errorf("%q waits for the next run and did not come back", text)
		}
	}
	for _, text := range c.returned() {
		c.got[text]++
	}
}

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
		{"same", func(c *course) { c.Compact(c.same) }},
		{"other", func(c *course) { c.Compact(focused(heavy(), "other")) }},
		{"plain", func(c *course) { c.Compact(focused(wish(compact.ProfileDefault, 1), "plain")) }},
		{"configure", (*course).configure},
		{"smaller", func(c *course) { c.resize(3, 5) }},
		{"larger", func(c *course) { c.resize(2, 1) }},
		{"quit", func(c *course) { c.quit(); c.open(); c.sends("go on") }},
		{"delete", func(c *course) { c.quit(); c.gone = true }},
	}
}

func focused(w compact.Wish, focus string) compact.Wish {
	w.Focus = focus
	return w
}

func (c *course) configure() {
	preset := c.presets[0]
	c.presets = append(c.presets[1:], preset)
	c.rules, c.configured = compact.PresetRules(preset), true
	c.Configure(map[string]string{"compaction.preset": string(preset)}, c.rules)
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
	same   compact.Wish // by hand that comes to the same
	begin  func(*course)
}

func origins() []origin {
	all, held := []gate{begun, half, unended, behind, storing}, []gate{begun, half, unended, storing}
	first, whole := focused(heavy(), "first"), wish(compact.ProfileHeavy, -1)
	return []origin{
		{"by hand", 50_000, all, first, func(c *course) { c.Compact(first) }},
		{"planned", 10_000, all, whole, func(c *course) { c.fills(8400) }}, // the reply goes over the load line
		{"held", 10_000, held, whole, func(c *course) { c.fills(9750) }},
		{"by the model", 50_000, held, focused(whole, "model"), func(c *course) { c.sends("tidy") }},
	}
}

// past is a conversation of some 7,000 tokens. One compaction is in force, and one
// was taken back.
func past(t *testing.T) (stored []conversation.Event) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := enter(t, 50_000, nil)
		c.advance(gates)
		for i := range 9 {
			c.sends("look " + strings.Repeat("at the uploads ", 12))
			c.wait()
			switch i {
			case 3:
				c.compacts(wish(compact.ProfileDefault, 3))
			case 4:
				c.compacts(wish(compact.ProfileDefault, 2))
				c.UndoCompaction(0)
				c.wait()
			}
		}
		if n := len(compact.Epochs(c.memory.Events())); n != 2 || len(c.overlays()) != 3 {
			t.Fatalf("%d compactions, refused %v", n, c.refused())
		}
		stored = c.memory.Events()
		c.finish()
	})
	return stored
}

// hold takes a conversation through the gates, and does what is to be done there.
func (m meeting) hold(t *testing.T, stored []conversation.Event, todo ...act) *course {
	c := enter(t, m.window, stored)
	c.same = m.same
	c.beside = m.at[0] == behind || m.at[1] == behind
	m.begin(c)
	c.wait()
	if len(c.provider.began) != 1 || len(agenttest.Of[agent.Compacting](c.watch)) == 0 {
		t.Errorf("no summary is written: %d requests, refused %v, at %+v", len(c.provider.began), c.refused(), c.reading())
		c.end()
		return c
	}
	for i, a := range todo {
		c.advance(m.at[i])
		a.do(c)
		if !m.once {
			c.wait()
		}
	}
	c.wait()
	c.advance(gates)
	time.Sleep(5 * time.Minute)
	c.wait()
	c.consistent()
	return c
}

// meeting is two gates of a summary, at which one thing is done each: where it is
// one gate, one after the other or at the same time.
type meeting struct {
	origin
	at   [2]gate
	once bool
}

func meetings() (all []meeting) {
	for _, o := range origins() {
		for i, g := range o.gates {
			all = append(all, meeting{o, [2]gate{g, g}, true})
			for _, later := range o.gates[i:] {
				all = append(all, meeting{o, [2]gate{g, later}, false})
			}
		}
	}
	return all
}

// everyPair is how many pairs there are to one that is tried, unless all are asked
// for with PLIMSOLL_GATES=all: all take minutes. Most two acts meet,
// and at each two gates a few acts do.
const everyPair = 61

// What happens at a gate of a summary leaves a consistent log, and a conversation
// that goes on.
func TestWhateverHappensAtAGateOfASummary(t *testing.T) {
	t.Parallel()
	stored := past(t)
	for _, o := range origins() {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			for _, g := range o.gates {
				for _, a := range acts() {
					t.Run(fmt.Sprintf("%v %s", g, a.name), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							c := meeting{o, [2]gate{g, g}, false}.hold(t, stored, a)
							c.came(o, a, g)
						})
					})
				}
			}
		})
	}
}

func TestWhateverHappensTogetherAtTheGatesOfASummary(t *testing.T) {
	t.Parallel()
	stored, all := past(t), os.Getenv("PLIMSOLL_GATES") == "all"
	for k, m := range meetings() {
		t.Run(fmt.Sprintf("%s, %v and %v, at once %t", m.name, m.at[0], m.at[1], m.once), func(t *testing.T) {
			t.Parallel()
			for i, first := range acts() {
				for j, then := range acts() {
					pair := i*len(acts()) + j
					if first.name == "delete" || !all && (k+pair)%everyPair != 0 {
						continue
					}
					t.Run(first.name+" and "+then.name, func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) { m.hold(t, stored, first, then) })
					})
				}
			}
		})
	}
}

// Presets that only act when their source did leave a conversation as it is until
// it does not fit; then it goes on all the same.
func TestConversationThatDoesNotFitGoesOnUnderEveryPreset(t *testing.T) {
	t.Parallel()
	stored := past(t)
	for _, preset := range compact.Presets() {
		t.Run(string(preset), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := enter(t, 50_000, stored)
				c.advance(gates)
				c.rules = compact.PresetRules(preset)
				c.Configure(nil, c.rules)
				c.resize(1, 10)
				c.wait()
				c.consistent()
			})
		})
	}
}
