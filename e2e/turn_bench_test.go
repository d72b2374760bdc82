package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// usage is what a program used and wrote between two moments.
type usage struct{ cpu, bytes, frames, wakeups sample }

// during measures what the program uses while do runs.
func (u *usage) during(b *testing.B, t *terminal, do func()) {
	b.Helper()
	proc := t.process(b)
	cpu, woken, from := proc.cpu(), proc.wakeups(), len(t.written())
	do()
	u.cpu.add(proc.cpu() - cpu)
	u.wakeups = append(u.wakeups, proc.wakeups()-woken)
	text := t.written()[from:]
	u.bytes = append(u.bytes, float64(len(text)))
	u.frames = append(u.frames, float64(strings.Count(text, ansi.ResetModeSynchronizedOutput)))
}

func (u *usage) report(b *testing.B) {
	u.cpu.report(b, "ms-cpu")
	u.bytes.report(b, "bytes")
	u.frames.report(b, "frames")
	u.wakeups.report(b, "wakeups")
	b.ReportMetric(0, "ns/op")
}

// pacedReply sends four characters every five milliseconds: 200 tokens a second.
func pacedReply(text string) reply {
	return func(w *wire) {
		pace := time.NewTicker(5 * time.Millisecond)
		defer pace.Stop()
		for piece := range slices.Chunk([]rune(text), 4) {
			w.text(string(piece))
			select {
			case <-w.r.Context().Done():
				return
			case <-pace.C:
			}
		}
		w.end("stop", 3000, len(text)/4)
	}
}

// BenchmarkPaced streams a Markdown answer at the pace of a real model: 1,000 tokens at 200 a second, from Enter until the
// screen is idle. The budgets are a sixth of those of an answer of 6,000 tokens: processor time 250 ms, 50,000 bytes to the
// terminal. wakeups counts how often a thread waited and ran again.
func BenchmarkPaced(b *testing.B) {
	p := benchSandbox(b)
	text := markdownAnswer(4 * 1000)
	var used usage
	for b.Loop() {
		term := p.startChat(defaultSize, newServer(b, pacedReply(text)))
		term.typeText("tell me all")
		term.awaitText("│ tell me all")
		used.during(b, term, func() {
			term.press("enter")
			term.awaitIdle(lastWords)
		})
		term.kill()
		term.awaitExit()
	}
	used.report(b)
}

// BenchmarkTurn runs short turns: a question, and an answer of 100 tokens at 200 a second, from Enter until the screen has
// been idle for half a second. Processor time of one turn: budget 25 ms. The first turn of a program is not counted.
func BenchmarkTurn(b *testing.B) {
	const turns = 6
	p := benchSandbox(b)
	var script []reply
	last := func(n int) string { return fmt.Sprintf("The end of turn %d.", n) }
	for n := range turns {
		script = append(script, pacedReply(markdownAnswer(4*100)+" "+last(n)))
	}
	var used usage
	for b.Loop() {
		term := p.startChat(defaultSize, newServer(b, script...))
		for n := range turns {
			term.typeText("and then?")
			term.awaitText("│ and then?")
			turn := func() {
				term.press("enter")
				term.wait("the end of the turn", func(s screen) bool {
					return s.has(last(n), "Ask something") && !s.busy() && s.frameFault() == ""
				})
				quiet := time.NewTimer(500 * time.Millisecond)
				<-quiet.C
			}
			if n == 0 {
				turn()
				continue
			}
			used.during(b, term, turn)
		}
		term.kill()
		term.awaitExit()
	}
	used.report(b)
}
