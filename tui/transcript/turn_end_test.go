package transcript_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/tui/transcript"
)

// usage is a request of a turn.
func usage(prompt, cached int, usd ...float64) conversation.Usage {
	u := conversation.Usage{Prompt: prompt, Cached: cached}
	if len(usd) > 0 {
		u.CostUSD = &usd[0]
	}
	return u
}

// The last line of a turn tells what the log knows, whenever the conversation is opened, and nothing else.
func TestATurnEndsWithWhatItTook(t *testing.T) {
	t.Parallel()
	at := func(d time.Duration) time.Time { return timeAt(14, 2).Add(d) }
	edit := conversation.ToolResult{CallID: "1", Tool: "modify_file", Status: conversation.ResultOK, Detail: diff, Duration: 1}
	half := conversation.AssistantMessage{Text: "half", Stop: conversation.StopFailed}
	step := []conversation.Body{calls(call("1", "modify_file", `{"path":"upload.go"}`)), usage(20_000, 19_000, 0.01), edit}
	whole := append(step, reply("Done."), usage(21_000, 20_980, 0.02), conversation.Usage{Purpose: conversation.PurposeTitle, Prompt: 9, CostUSD: new(float64)})
	for name, c := range map[string]struct {
		bodies []conversation.Body
		took   time.Duration
		want   string
	}{
		"whole":            {whole, 12400 * time.Millisecond, "12.4 s · 1 call · +1 −2 in upload.go · 41k in, 98% cached · $0.030"},
		"long":             {whole, 310 * time.Second, "5 min 10 s · 1 call"},
		"imported":         {append(step[:2:2], result("1", conversation.ResultOK, "no time"), reply("Done.")), time.Hour, "1 call · 20k in"},
		"runs":             {step, time.Second, ""},
		"price unknown":    {[]conversation.Body{usage(10, 0, 1), reply("Yes."), usage(990, 10)}, time.Second, "1.0 s · 1k in, 1% cached"},
		"prompt unknown":   {[]conversation.Body{usage(10, 0), reply("Yes."), usage(-1, -1)}, time.Second, "1.0 s"},
		"cache unknown":    {[]conversation.Body{reply("Yes."), usage(1000, -1)}, time.Second, "1.0 s · 1k in"},
		"nothing known":    {[]conversation.Body{reply("Yes.")}, 0, ""},
		"failed at once":   {[]conversation.Body{conversation.TurnFailed{Message: "no"}}, time.Second, ""},
		"failed later":     {append(step, conversation.TurnFailed{Message: "no"}), time.Second, "1.0 s · 1 call · +1 −2 in upload.go · 20k in, 95% cached · $0.010"},
		"sent again":       {append(step, half, conversation.TurnFailed{Message: "no"}, reply("Yes.")), time.Hour, "1 call · +1 −2 in upload.go · 20k in"},
		"stopped at calls": {append(step[:2:2], result("1", conversation.ResultInterrupted, "")), time.Second, "1.0 s · 1 call · 20k in, 95% cached · $0.010"},
		"stopped at two":   {[]conversation.Body{calls(call("1", "list", "{}"), call("2", "list", "{}")), result("1", conversation.ResultInterrupted, ""), result("2", conversation.ResultInterrupted, "")}, time.Second, "1.0 s · 2 calls"},
		"ended at calls":   {append(step[:2:2], result("1", conversation.ResultInterrupted, "interrupted: the program ended before this call had a result")), time.Hour, "1 call · 20k in"},
		"interrupted":      {[]conversation.Body{conversation.AssistantMessage{Text: "so", Stop: conversation.StopInterrupted}, usage(1000, 0)}, time.Hour, "1k in, 0% cached"},
		"hostile":          {append(step[:1:1], conversation.ToolResult{CallID: "1", Status: conversation.ResultOK, Detail: strings.ReplaceAll(diff, "upload.go", "\u202eu\x1b[2J")}, reply("x")), 0, "1 call · +1 −2 in «U+202E»u␛[2J"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := openTranscript(t, 100, 30)
			r.addAt(at(0), user("fix it"))
			for _, b := range c.bodies {
				r.addAt(at(c.took), b)
			}
			if last := r.lines()[r.CountLines(30)-1]; c.want != "" && !strings.HasPrefix(last, "    "+c.want) || c.want == "" && strings.Contains(r.screen(), " · 1 call") {
				t.Errorf("the last line is %q, want %q", last, c.want)
			}
			again := &rig{Model: transcript.New(themeStyles(t, "plimsoll-dark")), screenWidth: 100}
			again.SetSize(100, 30)
			again.Reset(r.log.Events())
			if d := cmp.Diff(r.lines(), again.lines()); d != "" {
				t.Errorf("drawn differently when opened again: %s", d)
			}
			for _, width := range []int{60, 40, 20, 5, 1} {
				r.SetSize(width, 40)
				wantValidView(t, r.View(), width, 40)
			}
		})
	}
	waits := openTranscript(t, 100, 30)
	waits.addAt(at(0), user("fix it"))
	waits.addAt(at(2*time.Second), calls(call("1", "ask_user", "{}"), call("2", "list", "{}"), call("3", "list", "{}"), call("4", "list", "{}")))
	waits.addAt(at(42*time.Second), conversation.ToolResult{CallID: "1", Tool: "ask_user", Status: conversation.ResultOK, Text: "yes"}) // the answer of the user
	took := func(id string, d time.Duration) conversation.ToolResult {
		return conversation.ToolResult{CallID: id, Tool: "list", Status: conversation.ResultOK, Duration: d}
	}
	waits.addAt(at(82*time.Second), took("2", 3*time.Second), conversation.HookRan{Moment: conversation.HookBeforeTool, Duration: 500})
	waits.addAt(at(86*time.Second), took("3", 4*time.Second), took("4", 3*time.Second)) // at the same time
	waits.addAt(at(87*time.Second), reply("Done."))
	waits.wantText(t, "    10.5 s · 4 calls")
	r := openTranscript(t, 40, 30)
	r.addAt(at(0), user("fix it"))
	r.addAt(at(12400*time.Millisecond), whole...)
	r.wantText(t, " 12.4 s · 1 call · +1 −2 in upload.go")
	r.wantNoText(t, "41k")
	r.ToTop()
	r.add(user("more"), reply("Yes."), conversation.Rewind{Turn: 1})
	r.wantText(t, "12.4 s")
	r.add(conversation.Rewind{Turn: 0})
	r.wantNoText(t, "12.4 s")
}
