package e2e_test

import (
	"testing"
	"time"
)

func storedSandbox(b *testing.B, n int) *sandbox {
	b.Helper()
	p := benchSandbox(b)
	store := p.openStore()
	for range n {
		p.storeMessages(store, 2, 200, "")
	}
	return p
}

// threeServers configures MCP servers, which start with the first message.
var threeServers = []string{"--cfg", "mcp.a.command=[sleep, 1d]", "--cfg", "mcp.b.command=[sleep, 1d]", "--cfg", "mcp.c.url=http://127.0.0.1:9/mcp"}

// BenchmarkStart starts the program, warm, with 1,000 stored conversations: to the first painted frame (budget 42 ms), and to
// the echo of a character typed then (80 ms). Three configured MCP servers change neither. ms-cpu is the processor time
// until then.
func BenchmarkStart(b *testing.B) {
	for _, start := range []struct {
		name string
		args []string
	}{{"new", nil}, {"continue", []string{"-c"}}, {"servers", threeServers}} {
		b.Run(start.name, func(b *testing.B) {
			p := storedSandbox(b, 1000)
			s := newServer(b)
			var frame, key, cpu sample
			once := func() {
				began := time.Now()
				term := p.start(defaultSize, s.flags(start.args...)...)
				term.wait("first frame", func(s screen) bool { return s.frameFault() == "" })
				frame.add(time.Since(began))
				term.typeText("x")
				term.awaitText("│ x")
				key.add(time.Since(began))
				cpu.add(term.process(b).cpu())
				term.kill()
				term.awaitExit()
			}
			once() // the first start of a program is not warm
			frame, key, cpu = nil, nil, nil
			for b.Loop() {
				once()
			}
			frame.report(b, "ms-frame")
			key.report(b, "ms-key")
			cpu.report(b, "ms-cpu")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkPrompt measures the idle program: resident memory (budget 26 MB), processor time (0.03 % of one core), bytes
// written (0), wake-ups a second (1). Three configured MCP servers change nothing.
func BenchmarkPrompt(b *testing.B) {
	b.Run("alone", func(b *testing.B) { benchPrompt(b) })
	b.Run("servers", func(b *testing.B) { benchPrompt(b, threeServers...) })
}

func benchPrompt(b *testing.B, args ...string) {
	p := storedSandbox(b, 1000)
	s := newServer(b)
	var memory, load, written, wakeups sample
	for b.Loop() {
		term := p.startChat(defaultSize, s, args...)
		settle := time.NewTimer(time.Second)
		<-settle.C
		proc := term.process(b)
		before, woken, bytes, from := proc.cpu(), proc.wakeups(), len(term.written()), time.Now()
		quiet := time.NewTimer(5 * time.Second)
		<-quiet.C
		load = append(load, 100*float64(proc.cpu()-before)/float64(time.Since(from)))
		wakeups = append(wakeups, (proc.wakeups()-woken)/time.Since(from).Seconds())
		written = append(written, float64(len(term.written())-bytes))
		memory = append(memory, proc.resident())
		term.kill()
		term.awaitExit()
	}
	memory.report(b, "MB")
	load.report(b, "%cpu")
	written.report(b, "bytes")
	wakeups.report(b, "wakeups/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkOpenLong opens a conversation of 10,000 events of 1 KB, to the first frame that shows it (budget 100 ms). ms-cpu is
// the processor time until then.
func BenchmarkOpenLong(b *testing.B) {
	for _, v := range benchConversations(b) {
		b.Run(v.name, func(b *testing.B) {
			p := benchSandbox(b)
			id := p.storeConversation(p.openStore(), v.bodies)
			s := newServer(b)
			var frame, cpu, memory sample
			once := func() {
				began := time.Now()
				term := p.start(defaultSize, s.flags("-r", id)...)
				term.wait("end of the conversation", func(s screen) bool { return s.has("The last word.") && s.frameFault() == "" })
				frame.add(time.Since(began))
				cpu.add(term.process(b).cpu())
				memory = append(memory, term.process(b).resident())
				term.kill()
				term.awaitExit()
			}
			once()
			frame, cpu, memory = nil, nil, nil
			for b.Loop() {
				once()
			}
			frame.report(b, "ms-frame")
			cpu.report(b, "ms-cpu")
			memory.report(b, "MB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkMemoryOfLong measures the resident memory with an idle conversation of 50,000 events of 1 KB (budget 120 MB; the
// texts are 50 of them, the program 30).
func BenchmarkMemoryOfLong(b *testing.B) {
	p := benchSandbox(b)
	id := p.storeConversation(p.openStore(), messagePairs(50_000, 1000, "The last word."))
	s := newServer(b)
	var memory sample
	for b.Loop() {
		term := p.start(defaultSize, s.flags("-r", id)...)
		term.wait("end of the conversation", func(s screen) bool { return s.has("The last word.") && s.frameFault() == "" })
		settle := time.NewTimer(3 * time.Second) // the program returns unused memory when it is idle
		<-settle.C
		memory = append(memory, term.process(b).resident())
		term.kill()
		term.awaitExit()
	}
	memory.report(b, "MB")
	b.ReportMetric(0, "ns/op")
}
