package mcp_test

import (
	"cmp"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plimsoll/tools/mcp"
)

func list(tools ...string) func(*peer, request) {
	return func(p *peer, r request) { p.answer(r, `{"tools":[`+strings.Join(tools, ",")+`]}`) }
}

func result(content string) func(*peer, request) {
	return func(p *peer, r request) { p.answer(r, `{"content":`+content+`}`) }
}

func raw(lines ...string) func(*peer, request) {
	return func(p *peer, r request) {
		for _, l := range lines {
			p.send(strings.ReplaceAll(l, "ID", string(r.ID)))
		}
	}
}

// faults are what a server can do wrong. Each is started, and if it gets ready its tool is called: want stands in the error
// of the start, or in that or the result of the call.
var faults = []struct {
	name, want string
	on         script
	timeout    time.Duration
}{
	{name: "dies in a call", want: "its program ended with exit code 3. Its last line: cannot open /etc/␛[31mthing", on: script{"tools/call": die}},
	{name: "dies after initialize", want: "did not start: its program ended with exit code 3", on: script{"notifications/initialized": die}},
	{name: "dies with its key on its lips", want: "Its last line: no good: (hidden)", on: script{"tools/list": func(*peer, request) {
		fmt.Fprintln(os.Stderr, "no good:", os.Getenv("MY_TOKEN"))
		os.Exit(1)
	}}},
	{name: "is killed in a call", want: "signal: killed", on: script{"tools/call": func(*peer, request) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Hour) // until it is killed
	}}},
	{name: "hangs before it reads", want: "no answer within 2s", on: script{"begin": hang}, timeout: short},
	{name: "closes its output", want: "it closed the connection", on: script{"tools/call": func(*peer, request) { _ = os.Stdout.Close(); time.Sleep(time.Hour) }}},
	{name: "closes its input", want: "no answer within 2s", on: script{"tools/call": func(*peer, request) { _ = os.Stdin.Close(); time.Sleep(time.Hour) }}, timeout: short},
	{name: "writes an endless line", want: "it sent a message of more than 8 MiB", on: script{"tools/call": func(p *peer, _ request) {
		for {
			if _, err := p.out.WriteString(strings.Repeat("x", 1<<16)); err != nil {
				time.Sleep(time.Hour) // until it is killed
			}
		}
	}}},
	{name: "writes noise before it speaks", want: "ok: hello", on: script{"begin": raw("Server is starting...", "", "{\"level\":\"info\"}")}},
	{name: "writes endless lines that are no messages", want: "it writes lines that are no messages, and was ended", on: script{"tools/call": func(p *peer, _ request) {
		for {
			p.send("tick")
		}
	}}},
	{name: "answers with a wrong id", want: "it answered a request that was not made, id 4711", on: script{"tools/call": raw(`{"jsonrpc":"2.0","id":4711,"result":{"content":[]}}`)}, timeout: short},
	{name: "answers with an id of another kind", want: "it answered a request that was not made, id x", on: script{"tools/call": raw(`{"jsonrpc":"2.0","id":"x","result":{"content":[]}}`)}, timeout: short},
	{name: "answers twice", want: "ok: one", on: script{"tools/call": raw(`{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"one"}]}}`, `{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`)}},
	{name: "answers without a result", want: "the answer has neither a result nor an error", on: script{"tools/call": raw(`{"jsonrpc":"2.0","id":ID}`)}},
	{name: "answers with an array", want: "error: ", on: script{"tools/call": raw(`{"jsonrpc":"2.0","id":ID,"result":[1,2]}`)}},
	{name: "answers with content of null", want: "", on: script{"tools/call": result(`[null]`)}},
	{name: "answers with an error that is a text", want: "it wrote a line that is no message", on: script{"tools/call": raw(`{"jsonrpc":"2.0","id":ID,"error":"no"}`)}, timeout: short},
	{name: "answers 20,000 levels deep", want: "it wrote a line that is no message", on: script{"tools/call": raw(`{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}}`)}, timeout: short},
	{name: "says nothing of itself", want: "", on: script{"initialize": raw(`{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-11-25"}}`)}},
	{name: "lists null", want: "ok: hello", on: script{"tools/list": list(`null`, echoTool, `null`)}},
	{name: "sends hostile text", want: "ok: a␛]0;title␇b«U+202E»c�␀", on: script{"tools/call": result(`[{"type":"text","text":"a\u001b]0;title\u0007b\u202ec\ud800\u0000"}]`)}},
	{name: "shows its key", want: "ok: my key is (hidden)", on: script{"tools/call": func(p *peer, r request) { p.text(r, "my key is "+os.Getenv("MY_TOKEN")) }}},
	{name: "asks for the user", want: `ok: {"action":"decline"}`, on: script{"tools/call": func(p *peer, r request) {
		p.text(r, string(p.ask("e1", "elicitation/create", `{"message":"who?","requestedSchema":{"type":"object","properties":{}}}`).Result))
	}}},
	{name: "asks for nothing", want: "ok: ", on: script{"tools/call": func(p *peer, r request) { p.text(r, string(p.ask("e1", "elicitation/create", `null`).Error)) }}},
	{name: "asks for the model", want: "client does not support CreateMessage", on: script{"tools/call": func(p *peer, r request) {
		p.text(r, string(p.ask("s1", "sampling/createMessage", `{"messages":[],"maxTokens":1}`).Error))
	}}},
	{name: "asks for an unknown method", want: "-32601", on: script{"tools/call": func(p *peer, r request) { p.text(r, string(p.ask("u1", "wipe/disk", `{}`).Error)) }}},
	{name: "asks for the roots", want: `"uri":"file:///`, on: script{"tools/call": func(p *peer, r request) { p.text(r, string(p.ask("r1", "roots/list", `{}`).Result)) }}},
	{name: "floods with requests and reads no answer", want: "no answer within 2s", on: script{"tools/call": func(p *peer, r request) {
		for i := range 5_000 { // the answers are more than a pipe holds
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`, i))
		}
		time.Sleep(time.Hour) // until it is killed
	}}, timeout: short},
	{name: "floods with notifications", want: "ok: done", on: script{"tools/call": func(p *peer, r request) {
		for range 5_000 {
			_, _ = p.out.WriteString(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete"}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"a":1}}}` + "\n" +
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/progress","params":null}` + "\n")
		}
		p.text(r, "done")
	}}},
	{name: "ends when it is asked anything before initialize", want: "ok: hello", on: script{"server/discover": die}},
	{name: "hangs in a call and ignores the end of its input and SIGTERM", want: "no answer within 2s", on: script{"tools/call": func(*peer, request) {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
		time.Sleep(time.Hour) // until it is killed
	}}, timeout: short},
}

func TestFaultsOfAServerCostAnErrorAndNothingElse(t *testing.T) {
	t.Parallel()
	atOnce := make(chan struct{}, 8) // most of them only wait
	var wait sync.WaitGroup
	for _, f := range faults {
		wait.Go(func() {
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			c := played(t, f.name, cmp.Or(f.timeout, long))
			s := open(t, mcp.Options{}, c)
			start(t, s, f.on["begin"] == nil)
			got := "error: " + s.States()[0].Error
			if s.States()[0].Phase == mcp.Ready {
				r, err := call(t.Context(), s)
				if got = "ok: " + r.Text; err != nil {
					got = "error: " + err.Error()
				}
			}
			shown := got[:min(len(got), 600)]
			if !strings.Contains(got, f.want) {
				t.Errorf("%s: got %q, want %q", f.name, shown, f.want)
			}
			if strings.Contains(got, "very-secret") || len(got) > 9<<20 || strings.HasPrefix(got, "error") && len(got) > 1500 {
				t.Errorf("%s: %d bytes, or a key, in %q", f.name, len(got), shown)
			}
			closed(t, s)
		})
	}
	wait.Wait()
}
