package agent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// forms are three ways to put prompt and tools, of about 1,000, 500 and 100 tokens.
func forms(o *core.Options) {
	spec := func(name string, words int) conversation.ToolSpec {
		return conversation.ToolSpec{Name: name, Description: strings.Repeat("word ", words), Parameters: conversation.RawJSON(`{"type":"object"}`)}
	}
	o.System = strings.Repeat("be brief ", 150)
	o.Toolbox = agenttest.NewToolbox(agenttest.Tool{Spec: spec("ls", 200)}, agenttest.Tool{Spec: spec("cat", 200)})
	o.Forms = []core.Form{
		{System: "be short", Tools: []conversation.ToolSpec{spec("ls", 180), spec("cat", 180)}},
		{System: "be short", Tools: []conversation.ToolSpec{spec("ls", 10)}, Below: 1800},
	}
}

// shown is which form a request has.
func shown(r llm.Request) string {
	switch {
	case len(r.Tools) == 1:
		return "few"
	case r.System == "be short":
		return "brief"
	}
	return "full"
}

func TestSmallWindowsGetFewerWords(t *testing.T) {
	for name, c := range map[string]struct {
		window  int
		assumed int
		later   int // becomes known before the first message, 0 for none
		want    string
	}{
		"large":                        {window: 100_000, want: "full"},
		"large enough":                 {window: 4400, want: "full"},
		"small":                        {window: 2400, want: "brief"},
		"too small for either":         {window: 1900, want: "brief"},
		"very small":                   {window: 1500, want: "few"},
		"unknown":                      {want: "full"},
		"unknown, on this machine":     {assumed: 2400, want: "brief"},
		"unknown until it is asked":    {assumed: 2400, later: 100_000, want: "full"},
		"unknown, and then very small": {later: 1500, want: "few"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := start(t, func(o *core.Options) {
					forms(o)
					o.Model.Window, o.AssumeWindow = sized(c.window, meter.WindowServer), c.assumed
					o.Rules = preset.RulesOf(preset.Plimsoll)
					o.Rules.Auto.Enabled = false
				}, answers("fine"), answers("fine"))
				if c.later > 0 {
					r.SetWindow("test/m", sized(c.later, meter.WindowServer))
				}
				r.say("go")
				r.SetWindow("test/m", sized(50_000, meter.WindowServer)) // it stays as it began
				r.say("go on")
				r.finish()
				var got []string
				for _, q := range r.provider.Requests() {
					got = append(got, shown(q))
				}
				if diff := cmp.Diff([]string{c.want, c.want}, got); diff != "" {
					t.Error(diff)
				}
				told := ""
				for _, e := range r.memory.Events() {
					if n, ok := e.Body.(conversation.Notice); ok {
						told += n.Text
					}
				}
				if strings.Contains(told, "without cat.") != (c.want == "few") {
					t.Errorf("told %q", told)
				}
			})
		})
	}
}

// A conversation goes on with the tools that it has on record, and with the prompt
// that goes with them, whatever the window is by now.
func TestAConversationKeepsItsForm(t *testing.T) {
	bubble(t, func(t *testing.T) {
		before := start(t, func(o *core.Options) {
			forms(o)
			o.Model.Window = sized(2400, meter.WindowServer)
		}, answers("fine"))
		before.say("go")
		before.finish()
		var in conversation.Instructions
		for _, e := range before.memory.Events() {
			if b, ok := e.Body.(conversation.Instructions); ok {
				in = b
			}
		}
		recorded, err := core.DecodeTools(before.memory.Blob(in.Tools))
		if err != nil {
			t.Fatal(err)
		}
		after := start(t, func(o *core.Options) {
			forms(o)
			o.Log, o.Stored.Events, o.Stored.Tools = before.memory, before.memory.Events(), recorded
		}, answers("fine"))
		after.say("go on")
		after.finish()
		if got := shown(after.provider.Requests()[0]); got != "brief" {
			t.Errorf("it goes on with the %s form", got)
		}
		if diff := cmp.Diff(before.provider.Requests()[0].Tools, after.provider.Requests()[0].Tools); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"ls", "cat"}, after.Declared()); diff != "" {
			t.Error(diff)
		}
	})
}
