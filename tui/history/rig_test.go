package history_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/themes"
	"plimsoll/tui/history"
	"plimsoll/tui/pane"
	"plimsoll/tui/tuitest"
)

// rig is a history view with the log that it shows.
type rig struct {
	*history.Model
	tb             testing.TB
	log            conversation.Log
	now            time.Time
	keys           history.KeyMap
	title          string
	readOnlyReason string
	calls          int
}

func newRig(tb testing.TB, width, height int) *rig {
	tb.Helper()
	r := &rig{tb: tb, now: time.Date(2026, 1, 2, 14, 0, 0, 0, time.UTC), keys: history.DefaultKeyMap(), title: "Fix flaky upload test"}
	r.Model = history.New(&r.keys, time.UTC, false)
	r.SetStyles(styles())
	r.SetSize(width, height)
	return r
}

// add appends events, a minute after the previous ones, and returns the last one's number.
func (r *rig) add(bodies ...conversation.Body) uint64 {
	r.tb.Helper()
	r.now = r.now.Add(time.Minute)
	events := r.log.Prepare(r.now, bodies...)
	if err := r.log.Commit(events); err != nil {
		r.tb.Fatal(err)
	}
	return uint64(r.log.Len())
}

// call appends a reply that calls a tool, its usage, and the result. It returns the
// event of the result.
func (r *rig) call(tool, arguments, text string, status conversation.ResultStatus) uint64 {
	r.tb.Helper()
	r.calls++
	id := fmt.Sprintf("call_%d", r.calls)
	r.add(conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: tool, Arguments: arguments}}},
		conversation.Usage{Model: "openai/gpt", Prompt: 4100, Cached: 3900})
	return r.add(conversation.ToolResult{CallID: id, Tool: tool, Status: status, Text: text})
}

// compact appends overlays as one epoch and returns its number.
func (r *rig) compact(why string, bodies ...conversation.Body) uint64 {
	r.tb.Helper()
	id := uint64(r.log.Len() + 1)
	origin := conversation.Origin{Source: conversation.SourceAuto, Trigger: "load line", Before: 91_000, After: 34_000, Why: why}
	r.add(conversation.AssignEpoch(bodies, id, origin)...)
	return id
}

func maskOf(events ...uint64) conversation.Mask {
	m := conversation.Mask{Style: conversation.StylePlimsoll, Version: projection.StubVersion, Preview: 40}
	for _, e := range events {
		m.Items = append(m.Items, conversation.MaskItem{Event: e, Part: conversation.PartResult})
	}
	return m
}

func (r *rig) content() history.Content {
	log := r.log.Events()
	view := projection.Project(log)
	used := meter.New(meter.Options{}).WithView(view).Reading().Used
	return history.Content{Log: log, View: view, Requests: requests(log), Factor: 1, Used: used, Title: r.title, ReadOnly: r.readOnlyReason}
}

func requests(log []conversation.Event) []inspect.SentRequest {
	var out []inspect.SentRequest
	for _, e := range log {
		if u, ok := e.Body.(conversation.Usage); ok {
			out = append(out, inspect.SentRequest{Number: len(out) + 1, Event: e.Seq, Through: e.Seq - 2, Turn: e.Turn, Time: e.Time, Usage: u})
		}
	}
	return out
}

func (r *rig) showLog() { r.Show(r.content()) }

func (r *rig) press(keys ...string) pane.Action { return tuitest.Press(r.Update, keys...) }

func (r *rig) typeText(text string) {
	for _, c := range text {
		r.press(string(c))
	}
}

// screen returns the view without colours, and without blanks at the ends of lines.
func (r *rig) screen() string {
	lines := strings.Split(ansi.Strip(r.View()), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func (r *rig) moveTo(event uint64) { r.Jump(event, "") }

const (
	testFile = "package upload\n\nfunc TestUpload(t *testing.T) {\n\tln, err := net.Listen(\"tcp\", \":8080\")\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n"
	hostile  = "red \x1b[31m and \x1b]52;c;aGk=\x07 \u202egpj.exe\u202c 漢字かな交じり文 👩‍👩‍👧 👍🏽 end"
	summary  = "The user wants TestUpload to pass on CI.\n\nDecisions: the port is chosen by the kernel (turn 0). What read_file gave at e7 shows why: " +
		"the listener keeps port 8080.\n\nNext: fix server.go (t1)."
)

// addSample appends a conversation with all kinds of compaction, and returns its events by name.
func (r *rig) addSample() map[string]uint64 {
	at := map[string]uint64{}
	r.add(conversation.Instructions{SystemSize: conversation.Size{ASCII: 4800}, ToolsSize: conversation.Size{ASCII: 9600}},
		conversation.ModelChanged{Provider: "openai", Model: "gpt-5.6-luna", Window: 128_000})
	at["question"] = r.add(conversation.UserMessage{Text: "why does TestUpload fail on CI? It passes here, ten times out of ten, and on the old runners too."})
	r.add(conversation.AssistantMessage{Text: "I will look at the test first.", Reasoning: "A port, or a race.", Stop: conversation.StopEnd})
	at["read"] = r.call("read_file", `{"path":"upload_test.go"}`, testFile+strings.Repeat("\tcheck(t, ln, 漢字)\n", 60), conversation.ResultOK)
	at["found"] = r.add(conversation.AssistantMessage{Text: "The test shares port 8080 between runs, so the second one cannot listen.", Stop: conversation.StopEnd})
	r.add(conversation.UserMessage{Text: "so fix it, in @upload/server.go too"})
	at["failed"] = r.call("run_command", `{"command":"go test ./upload -count=10"}`, "--- FAIL: TestUpload\n    listen tcp :8080: bind: address already in use\n"+
		strings.Repeat("FAIL upload 0.4s\n", 40), conversation.ResultError)
	at["fixed"] = r.add(conversation.AssistantMessage{Text: "Both listen on :0 by now.", Stop: conversation.StopEnd})
	at["summary"] = r.compact("turn 0 summarised", conversation.Summary{Style: conversation.StylePlimsoll, Version: projection.BlockVersion,
		Spans: []conversation.Span{{First: at["question"], Last: at["found"]}}, Text: summary, Model: "openai/gpt"})
	at["mask"] = r.compact("1 result masked", maskOf(at["failed"]))
	at["pinned"] = r.add(conversation.UserMessage{Text: "never touch go.mod"})
	r.add(conversation.Pin{Events: []uint64{at["pinned"]}})
	at["hostile"] = r.call("http_request", `{"url":"https://example.org/\u001b[2J"}`, hostile+"\n"+strings.Repeat("more of it ", 90), conversation.ResultOK)
	r.add(conversation.Notice{Level: conversation.NoticeWarning, Text: "the server answered 529: tried again after 4 s"})
	at["rewound"] = r.add(conversation.UserMessage{Text: "forget that, use port 9090"})
	r.add(conversation.AssistantMessage{Text: "9090 it is.", Stop: conversation.StopEnd})
	at["rewind"] = r.add(conversation.Rewind{Turn: r.log.Turn()})
	at["last"] = r.add(conversation.UserMessage{Text: "now run it ten times"})
	return at
}

func (r *rig) rebuilt(event uint64) inspect.RebuiltRequest {
	for _, q := range requests(r.log.Events()) {
		if q.Event != event {
			continue
		}
		v := projection.Project(r.log.Events()[:q.Through])
		return inspect.RebuiltRequest{SentRequest: q, System: "You are a careful engineer.\nAnswer shortly.", Messages: v.Messages,
			Tools: []conversation.ToolSpec{{Name: "read_file", Description: "Reads a file.", Parameters: conversation.RawJSON(`{"type":"object"}`)}},
			Body:  []byte(`{"model":"gpt"}`), Hash: strings.Repeat("1a2b3c", 10), MatchesSent: true}
	}
	r.tb.Fatalf("there is no request %d", event)
	return inspect.RebuiltRequest{}
}

func styles() history.Styles { return history.Styles{Styles: tuitest.Styles(themes.Mono)} }
