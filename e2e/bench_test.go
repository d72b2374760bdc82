package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// Shared by the benchmarks: the program as users build it, measurements of its process, and stored conversations. A benchmark
// reports medians; its budget is in the comment above it. On a busy machine the times are longer.

// built returns the path of the program, built once for all benchmarks. TestMain removes it.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "plimsoll-bench-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "plimsoll")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "plimsoll")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building plimsoll: %w\n%s", err, out)
	}
	builtIn = dir
	return path, nil
})

// builtIn is the folder of the built program, "" if it was not built.
var builtIn string

// benchSandbox is a sandbox in which the built program runs.
func benchSandbox(b *testing.B) *sandbox {
	b.Helper()
	if runtime.GOOS != "linux" {
		b.Skip("what a process uses is read from /proc")
	}
	path, err := built()
	if err != nil {
		b.Fatal(err)
	}
	p := newSandbox(b, nil)
	p.program = []string{path}
	delete(p.env, asPlimsoll)
	return p
}

// process reads measurements of the program from /proc.
type process struct {
	b   *testing.B
	dir string
}

func (t *terminal) process(b *testing.B) process {
	return process{b, filepath.Join("/proc", strconv.Itoa(t.cmd.Process.Pid))}
}

// cpu returns the processor time of all threads so far, in nanoseconds where the kernel counts them, else in hundredths of a
// second.
func (p process) cpu() time.Duration {
	p.b.Helper()
	threads, err := filepath.Glob(filepath.Join(p.dir, "task", "*", "schedstat"))
	if err != nil || len(threads) == 0 {
		return p.ticks()
	}
	var sum time.Duration
	for _, t := range threads {
		text, err := os.ReadFile(t)
		if err != nil {
			continue // the thread has just ended
		}
		ns, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
		if err != nil {
			p.b.Fatal(err)
		}
		sum += time.Duration(ns)
	}
	return sum
}

// ticks returns the user and system time in hundredths of a second.
func (p process) ticks() time.Duration {
	p.b.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "stat"))
	if err != nil {
		p.b.Fatal(err)
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	var sum time.Duration
	for _, f := range fields[11:13] {
		n, err := strconv.Atoi(string(f))
		if err != nil {
			p.b.Fatal(err)
		}
		sum += time.Duration(n) * 10 * time.Millisecond
	}
	return sum
}

// wakeups returns how often the threads waited and were woken so far. Ended threads are not counted; Go keeps its threads.
func (p process) wakeups() float64 {
	p.b.Helper()
	threads, err := filepath.Glob(filepath.Join(p.dir, "task", "*", "status"))
	if err != nil {
		p.b.Fatal(err)
	}
	var sum float64
	for _, t := range threads {
		text, err := os.ReadFile(t)
		if err != nil {
			continue // the thread has just ended
		}
		_, rest, _ := strings.Cut(string(text), "\nvoluntary_ctxt_switches:")
		n, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			p.b.Fatal(err)
		}
		sum += float64(n)
	}
	return sum
}

// resident returns the memory in use, in MB.
func (p process) resident() float64 {
	p.b.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "status"))
	if err != nil {
		p.b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		p.b.Fatal(err)
	}
	return float64(kb) / 1024
}

// sample is a list of measurements.
type sample []float64

func (s *sample) add(d time.Duration) { *s = append(*s, float64(d.Microseconds())/1000) }

// percentile returns the value that a share of the measurements does not exceed.
func (s sample) percentile(share float64) float64 {
	slices.Sort(s)
	return s[min(len(s)-1, int(share*float64(len(s))))]
}

func (s sample) report(b *testing.B, unit string) { b.ReportMetric(s.percentile(0.5), unit) }

// storeMessages stores a conversation of messages and replies, size characters each, and returns its ID. The last ends with
// mark.
func (p *sandbox) storeMessages(s *storage.Store, events, size int, mark string) string {
	p.t.Helper()
	return p.storeConversation(s, messagePairs(events, size, mark))
}

// messagePairs returns messages and replies, size characters each. The last ends with mark.
func messagePairs(events, size int, mark string) []conversation.Body {
	var bodies []conversation.Body
	for i := range events {
		text := strings.Repeat("What was said about ships and harbours. ", size/40+1)[:size]
		if i == events-1 {
			text += "\n\n" + mark
		}
		if i%2 == 0 {
			bodies = append(bodies, conversation.UserMessage{Text: text})
		} else {
			bodies = append(bodies, conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd, Model: "custom/" + modelName})
		}
	}
	return bodies
}

// compactedTurns returns turns of four events, about a kilobyte each: message, call, result, reply. They are compacted so many
// times: the results of the turns since the last compaction are masked, and every fifth time a summary replaces them.
func compactedTurns(b *testing.B, events, epochs int, mark string) []conversation.Body {
	b.Helper()
	text := strings.Repeat("What was said about ships and harbours. ", 25)
	rules := preset.RulesOf(preset.Plimsoll)
	var log conversation.Log
	var bodies []conversation.Body
	add := func(more ...conversation.Body) {
		if err := log.Commit(log.Prepare(time.Now(), more...)); err != nil {
			b.Fatal(err)
		}
		bodies = append(bodies, more...)
	}
	from := 0
	for turn := range events / 4 {
		id, model := fmt.Sprintf("call-%d", turn), "custom/"+modelName
		last := text
		if turn == events/4-1 {
			last += "\n\n" + mark
		}
		add(conversation.UserMessage{Text: text},
			conversation.AssistantMessage{Text: text, Stop: conversation.StopCalls, Model: model,
				Calls: []conversation.ToolCall{{ID: id, Name: "read_file", Arguments: fmt.Sprintf(`{"path":"harbour-%d.txt"}`, turn)}}},
			conversation.ToolResult{CallID: id, Tool: "read_file", Status: conversation.ResultOK, Text: fmt.Sprintf("%d\n%s", turn, text)},
			conversation.AssistantMessage{Text: last, Stop: conversation.StopEnd, Model: model})
		if epochs == 0 || (turn+1)*epochs/(events/4) == turn*epochs/(events/4) {
			continue
		}
		request, begin := edit.NewRequest(), edit.AtTurn(from)
		request.From, request.KeepLast, from = &begin, 3, turn-2
		if n := (turn + 1) * epochs / (events / 4); n%5 == 0 {
			request.Profile = preset.ProfileHeavy
		}
		now := edit.Inputs{Meter: meter.New(meter.Options{}).WithView(projection.Project(log.Events())), Now: time.Now(), Cold: true}
		pass, err := edit.NewProposal(log.Events(), rules, now, request)
		if err == nil && pass.Job != nil {
			err = pass.Extract()
		}
		if err != nil {
			b.Fatal(err)
		}
		add(pass.Bodies(uint64(log.Len()) + 1)...)
	}
	return bodies
}

// benchConversation is a conversation that a benchmark opens.
type benchConversation struct {
	name   string
	bodies []conversation.Body
}

// benchConversations are conversations of 10,000 events: without calls, with calls, and with calls and 40 compactions.
func benchConversations(b *testing.B) []benchConversation {
	b.Helper()
	const events, mark = 10_000, "The last word."
	return []benchConversation{{"said", messagePairs(events, 1000, mark)}, {"calls", compactedTurns(b, events, 0, mark)}, {"epochs", compactedTurns(b, events, 40, mark)}}
}
