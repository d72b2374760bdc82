package e2e_test

import (
	"testing"
	"time"
)

// storedPlace is a place with so many stored conversations.
func storedPlace(b *testing.B, n int) *place {
	b.Helper()
	p := benchPlace(b)
	store := p.store()
	for range n {
		p.converse(store, 2, 200, "")
	}
	return p
}

// BenchmarkStart starts the program, warm, with 1,000 stored conversations: to
// the first painted frame (budget 42 ms), and to a character that was typed
// then (80 ms). ms-cpu is the processor time until then.
func BenchmarkStart(b *testing.B) {
	for _, start := range []struct {
		name string
		args []string
	}{{"new", nil}, {"continue", []string{"-c"}}} {
		b.Run(start.name, func(b *testing.B) {
			p := storedPlace(b, 1000)
			s := newServer(b)
			var frame, key, cpu sample
			once := func() {
				began := time.Now()
				term := p.start(usual, s.args(start.args...)...)
				term.wait("first frame", func(s screen) bool { return s.broken() == "" })
				frame.add(time.Since(began))
				term.typed("x")
				term.see("│ x")
				key.add(time.Since(began))
				cpu.add(term.process(b).cpu())
				term.kill()
				term.end()
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

// BenchmarkPrompt looks at the program while nobody does anything: resident
// memory (budget 26 MB), processor time (0.03 % of one core), bytes written (0),
// wake-ups a second (1).
func BenchmarkPrompt(b *testing.B) {
	p := storedPlace(b, 1000)
	s := newServer(b)
	var memory, load, written, wakeups sample
	for b.Loop() {
		term := p.talking(usual, s)
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
		term.end()
	}
	memory.report(b, "MB")
	load.report(b, "%cpu")
	written.report(b, "bytes")
	wakeups.report(b, "wakeups/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkOpenLong opens a conversation of 10,000 events of 1 KB, to the first
// frame that shows it (budget 100 ms). ms-cpu is the processor time until then.
func BenchmarkOpenLong(b *testing.B) {
	for _, v := range benchConversations(b) {
		b.Run(v.name, func(b *testing.B) {
			p := benchPlace(b)
			id := p.keep(p.store(), v.bodies)
			s := newServer(b)
			var frame, cpu, memory sample
			once := func() {
				began := time.Now()
				term := p.start(usual, s.args("-r", id)...)
				term.wait("end of the conversation", func(s screen) bool { return s.has("The last word.") && s.broken() == "" })
				frame.add(time.Since(began))
				cpu.add(term.process(b).cpu())
				memory = append(memory, term.process(b).resident())
				term.kill()
				term.end()
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

// BenchmarkMemoryOfLong holds a conversation of 50,000 events of 1 KB open: resident
// memory once nothing happens (budget 120 MB; the texts are 50 of them, the program 30).
func BenchmarkMemoryOfLong(b *testing.B) {
	p := benchPlace(b)
	id := p.keep(p.store(), messagePairs(50_000, 1000, "The last word."))
	s := newServer(b)
	var memory sample
	for b.Loop() {
		term := p.start(usual, s.args("-r", id)...)
		term.wait("end of the conversation", func(s screen) bool { return s.has("The last word.") && s.broken() == "" })
		settle := time.NewTimer(3 * time.Second) // what is spare is given back when nothing happens for a moment
		<-settle.C
		memory = append(memory, term.process(b).resident())
		term.kill()
		term.end()
	}
	memory.report(b, "MB")
	b.ReportMetric(0, "ns/op")
}
