package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// BenchmarkHistory opens the history of 10,000 events: from the key to the first complete frame (budget 100 ms). A new message
// before each opening makes caches useless. ms-again is a second opening without a new message.
func BenchmarkHistory(b *testing.B) {
	for _, v := range benchConversations(b) {
		b.Run(v.name, func(b *testing.B) {
			p := benchSandbox(b)
			id := p.storeConversation(p.openStore(), v.bodies)
			s := newServer(b)
			var frame, again, cpu sample
			open := func(term *terminal, to *sample) {
				began := time.Now()
				term.press("ctrl+t")
				term.wait("history", func(s screen) bool {
					return strings.HasPrefix(strings.TrimLeft(s.row(0), " "), "History") && s.rowCount() > 0
				})
				to.add(time.Since(began))
			}
			for b.Loop() {
				term := p.start(size{120, 40}, s.flags("-r", id, "--window", "9000000")...)
				term.awaitIdle("The last word.")
				proc := term.process(b)
				before := proc.cpu()
				open(term, &frame)
				cpu.add(proc.cpu() - before)
				term.press("ctrl+t")
				term.awaitIdle("The last word.")
				open(term, &again)
				term.kill()
				term.awaitExit()
			}
			frame.report(b, "ms-frame")
			again.report(b, "ms-again")
			cpu.report(b, "ms-cpu")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkKeyInHistory presses j in the history of 10,000 events as fast as keyboards repeat: from the key to the frame that
// shows the cursor on the next row, at the median and at the 95th percentile (budget 16 ms).
func BenchmarkKeyInHistory(b *testing.B) {
	for _, v := range benchConversations(b) {
		b.Run(v.name, func(b *testing.B) {
			p := benchSandbox(b)
			id := p.storeConversation(p.openStore(), v.bodies)
			s := newServer(b)
			term := p.start(size{120, 40}, s.flags("-r", id, "--window", "9000000")...)
			term.awaitIdle("The last word.")
			term.openHistory()
			term.typeText("g")
			term.wait("beginning", func(s screen) bool { return strings.Contains(s.hints(), " 1 of ") })
			var frame sample
			rng := rand.New(rand.NewPCG(1, 2))
			at := 1
			for b.Loop() {
				for range 100 {
					pause := time.NewTimer(time.Duration(25+rng.IntN(16)) * time.Millisecond)
					<-pause.C
					at++
					there := fmt.Sprintf(" %d of ", at)
					began := time.Now()
					term.typeText("j")
					term.wait("next row", func(s screen) bool { return strings.Contains(s.hints(), there) })
					frame.add(time.Since(began))
				}
			}
			b.ReportMetric(frame.percentile(0.5), "ms-p50")
			b.ReportMetric(frame.percentile(0.95), "ms-p95")
			b.ReportMetric(frame.percentile(0.99), "ms-p99")
			b.ReportMetric(0, "ns/op")
		})
	}
}
