package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// lastWords end a streamed answer.
const lastWords = "And these were the last words."

// markdownAnswer is a Markdown text of about so many characters: prose, lists, code, tables, quotes.
func markdownAnswer(chars int) string {
	var b strings.Builder
	for i := 0; b.Len() < chars; i++ {
		fmt.Fprintf(&b, "## Part %d: what a harbour needs\n\n", i)
		for j := range 3 {
			fmt.Fprintf(&b, "A **harbour** of %d berths needs `depth`, shelter and *room to turn*; see [the plan](https://example.org/%d). ", i*7+j, i)
			b.WriteString("Ships that lie deep wait for the tide, and those that do not are moved by the second crane on the northern quay.\n\n")
		}
		for j := range 5 {
			fmt.Fprintf(&b, "- berth %d: **%d m**, `free`, next to the old customs house\n", j, 4+j)
		}
		fmt.Fprintf(&b, "\n```go\n// berth finds room for a ship.\nfunc berth(draught float64) (int, error) {\n\tfor n, depth := range depths {\n"+
			"\t\tif depth > draught+%d {\n\t\t\treturn n, nil\n\t\t}\n\t}\n\treturn 0, fmt.Errorf(\"no berth is %%.1f m deep\", draught)\n}\n```\n\n", i)
		b.WriteString("| berth | depth | free |\n|---|---:|---|\n")
		for j := range 4 {
			fmt.Fprintf(&b, "| %d | %d.5 m | yes |\n", j, j+4)
		}
		b.WriteString("\n> A ship in port is safe, but that is not what ships are built for.\n\n")
	}
	return b.String()[:chars] + "\n\n" + lastWords
}

// fastReply sends a text as fast as the client reads, an event for every four characters. done receives the time of the last
// byte.
func fastReply(text string, done chan<- time.Time) reply {
	var pieces []string
	runes := []rune(text)
	for len(runes) > 0 {
		n := min(4, len(runes))
		pieces = append(pieces, string(runes[:n]))
		runes = runes[n:]
	}
	var stream strings.Builder
	for _, piece := range pieces {
		fmt.Fprintf(&stream, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":%q,"choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`+"\n\n",
			modelName, piece)
	}
	return func(w *wire) {
		for s := stream.String(); s != ""; {
			n := min(16<<10, len(s))
			w.Raw(s[:n])
			s = s[n:]
		}
		w.end("stop", 3000, len(pieces))
		done <- time.Now()
	}
}

// BenchmarkStream streams a Markdown answer of 20,000 tokens, and one of 100,000, as fast as the client reads: processor time
// (budgets 0.4 s and 2 s), time from the last byte sent to the end of the answer on the screen (240 ms each), memory after it
// (40 MB). ms-done is the end of the turn.
func BenchmarkStream(b *testing.B) {
	for _, tokens := range []int{20_000, 100_000} {
		b.Run(fmt.Sprint(tokens), func(b *testing.B) {
			p := benchSandbox(b)
			text := markdownAnswer(4 * tokens)
			var cpu, lag, over, wall, memory sample
			for b.Loop() {
				done := make(chan time.Time, 1)
				s := newServer(b, fastReply(text, done))
				term := p.startChat(defaultSize, s, "--window", "1000000")
				proc := term.process(b)
				term.typeText("tell me all")
				term.awaitText("│ tell me all")
				before, began := proc.cpu(), time.Now()
				term.press("enter")
				term.awaitText(lastWords)
				shown := time.Now()
				term.awaitIdle(lastWords)
				ended := time.Now()
				cpu.add(proc.cpu() - before)
				sent := <-done
				lag.add(shown.Sub(sent))
				over.add(ended.Sub(sent))
				wall.add(shown.Sub(began))
				memory = append(memory, proc.resident())
				term.kill()
				term.awaitExit()
			}
			cpu.report(b, "ms-cpu")
			lag.report(b, "ms-lag")
			over.report(b, "ms-done")
			wall.report(b, "ms-wall")
			memory.report(b, "MB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkKeyWhileStreaming types while a reply streams at 250 tokens a second into a conversation of 10,000 events: from the
// key to the frame that shows it, at the median and at the 95th percentile (budget 16 ms).
func BenchmarkKeyWhileStreaming(b *testing.B) {
	for _, v := range benchConversations(b) {
		b.Run(v.name, func(b *testing.B) {
			p := benchSandbox(b)
			id := p.storeConversation(p.openStore(), v.bodies)
			text := markdownAnswer(1 << 20)
			s := newServer(b, func(w *wire) {
				w.streamUntil(nil, func(i int) string { return text[8*i%len(text) : 8*i%len(text)+8] })
			})
			term := p.start(size{120, 40}, s.flags("-r", id, "--window", "9000000")...)
			term.awaitIdle("The last word.")
			term.sendMessage("tell me all")
			term.awaitText("harbour")
			frame := term.measureKeystrokes(b)
			b.ReportMetric(frame.percentile(0.5), "ms-p50")
			b.ReportMetric(frame.percentile(0.95), "ms-p95")
			b.ReportMetric(frame.percentile(0.99), "ms-p99")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// measureKeystrokes types a hundred characters at the pace of a fast typist, and measures when each is on the screen.
func (t *terminal) measureKeystrokes(b *testing.B) sample {
	var frame sample
	rng := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		for n := range 100 {
			pause := time.NewTimer(time.Duration(15+rng.IntN(30)) * time.Millisecond)
			<-pause.C
			want := string(rune('a' + n%26))
			began := time.Now()
			t.typeText(want)
			t.awaitCell(gutter(120)+2+n%50, -4, want)
			frame.add(time.Since(began))
			if n%50 == 49 {
				t.press("ctrl+u")
				t.awaitText("Ask something")
			}
		}
	}
	return frame
}
