package shell

import (
	"context"
	"io"
	"sync"
	"time"
)

// Filtered is how a command that got input ended.
type Filtered struct {
	Out, Err   string // what it wrote on each stream, up to a limit
	Cut        bool   // Out is longer than the limit: half of that is its beginning, half its end
	Code       int    // the exit code; -1 if a signal ended it
	TimedOut   bool
	HowItEnded string // in words: "exit code 1"
}

// Filter runs a command in dir with an environment and input on its standard input, and keeps at most limit bytes of each of
// its streams. When the timeout passes or ctx ends, the command and its processes are ended, also those that it left running.
// The error is that of starting it, or the cause of ctx's end.
func Filter(ctx context.Context, dir string, env []string, command string, input []byte, timeout time.Duration, limit int, start Starter) (Filtered, error) {
	out, complaints := newCapture(limit, nil), newCapture(limit, nil)
	p, err := StartProgram(append(Command(), command), dir, env, complaints, start)
	if err != nil {
		return Filtered{}, err
	}
	var copies sync.WaitGroup
	copies.Go(func() {
		_, _ = p.Input.Write(input) // a command need not read it
		_ = p.Input.Close()
	})
	copies.Go(func() { _, _ = io.Copy(out, p.Output) })
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	wasEnded := p.awaitEnd(bounded)
	late := time.AfterFunc(drainGrace, func() { _ = p.Output.Close() }) // a process of another session still holds the pipe
	_ = p.Input.Close()                                                 // it is closed already, unless nobody reads it
	copies.Wait()
	late.Stop()
	_ = p.Output.Close() // only read from
	if ctx.Err() != nil {
		return Filtered{}, context.Cause(ctx)
	}
	text, total := out.since(0)
	complaint, _ := complaints.since(0)
	how, _ := p.exit()
	return Filtered{Out: screenText(text), Err: screenText(complaint), Cut: total > int64(limit),
		Code: p.cmd.ProcessState.ExitCode(), TimedOut: wasEnded, HowItEnded: how}, nil
}
