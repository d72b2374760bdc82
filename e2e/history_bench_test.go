package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// BenchmarkHistory opens the history of 10,000 events: from the key to the finished
// first frame (budget 100 ms). Each time there is a new message, so that nothing is
// cached. ms-again is without one.
func BenchmarkHistory(b *testing.B) {
	for _, v := range benchConversations(b) {
		b.Run(v.name, func(b *testing.B) {
			p := benchPlace(b)
			id := p.keep(p.store(), v.bodies)
			s := newServer(b)
			var frame, again, cpu sample
			open := func(term *terminal, to *sample) {
				began := time.Now()
				term.key("ctrl+t")
				term.wait("history", func(s screen) bool {
					return strings.HasPrefix(strings.TrimLeft(s.row(0), " "), "History") && s.rows() > 0
				})
				to.add(time.Since(began))
			}
			for b.Loop() {
				term := p.start(size{120, 40}, s.args("-r", id, "--window", "9000000")...)
				term.idle("The last word.")
				proc := term.process(b)
				before := proc.cpu()
				open(term, &frame)
				cpu.add(proc.cpu() - before)
				term.key("ctrl+t")
				term.idle("The last word.")
				open(term, &again)
				term.kill()
				term.end()
			}
			frame.report(b, "ms-frame")
			again.report(b, "ms-again")
			cpu.report(b, "ms-cpu")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkKeyInHistory holds j in the history of 10,000 events, at the pace at which
// keyboards repeat: from the key to the frame that shows the cursor on the next row,
// at the median and at the 95th of a hundred (budget 16 ms).
func BenchmarkKeyInHistory(b *testing.B) {
	for _, v := range benchConversations(b) {
		b.Run(v.name, func(b *testing.B) {
			p := benchPlace(b)
			id := p.keep(p.store(), v.bodies)
			s := newServer(b)
			term := p.start(size{120, 40}, s.args("-r", id, "--window", "9000000")...)
			term.idle("The last word.")
			term.browse()
			term.typed("g")
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
					term.typed("j")
					term.wait("next row", func(s screen) bool { return strings.Contains(s.hints(), there) })
					frame.add(time.Since(began))
				}
			}
			b.ReportMetric(frame.at(0.5), "ms-p50")
			b.ReportMetric(frame.at(0.95), "ms-p95")
			b.ReportMetric(frame.at(0.99), "ms-p99")
			b.ReportMetric(0, "ns/op")
		})
	}
}
