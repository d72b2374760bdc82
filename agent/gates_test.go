package agent_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
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
	behind              // written, and a reply of a turn streams; one that has a reader waits for him
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
	model            llm.Model
	rules            preset.Rules
	at               gate
	same             edit.Request // what a wish by hand has to be to join the summary
	beside           bool         // a reply streams while the summary is written
	sent             map[string]int
	got              map[string]int // that came back in earlier runs
	told             map[uint64]int // how often an epoch was told to be made
	presets          []preset.Name
	configured, gone bool
}

// enter opens a conversation with what was stored.
func enter(t *testing.T, window int, stored []conversation.Event) *course {
	c := &course{
		t: t, memory: &agenttest.Memory{}, model: testModel, rules: preset.RulesOf(preset.Plimsoll),
		sent: map[string]int{}, got: map[string]int{}, told: map[uint64]int{}, presets: []preset.Name{preset.JCLI, preset.OneClaw},
	}
	c.model.Window.Tokens = window
	c.rules.TriggerRatio += 1e-9 // the default lies nearer the hard line in small windows
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
			switch b := e.Body.(type) {
			case conversation.UserMessage:
				c.sent[b.Text]++
			case conversation.Rewind:
				c.got[saidIn(stored, b.Turn)]++
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

func (c *course) options(o *core.Options) {
	o.Log, o.Calibrations, o.Backlog = &gatedLog{c.memory, c.provider.gates[storing]}, c.memory, c.memory
	o.Provider, o.Model, o.Rules, o.Stored.Events = c.provider, c.model, c.rules, c.memory.Events()
	o.Model.Calibration = c.memory.Calibration(c.model.CalibrationKey)
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
		if c.at == behind {
			c.accepts()
		}
	}
}

// accepts takes every summary in that waits for its reader.
func (c *course) accepts() {
	for shown, waits := c.waiting(); waits; shown, waits = c.waiting() {
		c.Review(shown.Text, true)
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

// past is a conversation of some 7,000 tokens. One compaction is in force, and one
// was taken back, as was a turn; a result is pinned.
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
				c.compacts(byProfile(preset.ProfileDefault, 3))
			case 4:
				c.compacts(byProfile(preset.ProfileDefault, 2))
				c.UndoCompaction(0)
				c.wait()
			case 5:
				c.Pin(c.results()[1:2], true)
				c.sends("forget it")
				c.wait()
				c.Rewind(-1)
				c.wait()
			}
		}
		if n := len(conversation.Epochs(c.memory.Events())); n != 2 || len(c.overlays()) != 5 {
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
	if len(c.provider.began) != 1 || len(agenttest.Of[updates.Compacting](c.watch)) == 0 {
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
	c.accepts()
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
const everyPair = 151

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
	for _, name := range preset.All() {
		t.Run(string(name), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := enter(t, 50_000, stored)
				c.advance(gates)
				c.rules = preset.RulesOf(name)
				c.Configure(nil, c.rules)
				c.resize(1, 10)
				c.wait()
				c.consistent()
			})
		})
	}
}
