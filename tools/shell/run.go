package shell

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

const tailChars = 1500 // of a long output, repeated before it

// Report describes how a command ended, or that it still runs.
type Report struct {
	Text   string // for the model: how it ended, then its output
	Detail string // for the screen: how it ended, and the line that explains a failure
	Failed bool   // it timed out, or its exit code is not 0
}

// Run runs a command until it ends, its timeout passes or ctx is cancelled.
func (j *Jobs) Run(ctx context.Context, command string, timeout time.Duration, progress func(string)) (Report, error) {
	out := newCapture(j.ceiling, progress)
	defer out.stopProgress()
	started := time.Now()
	p, err := startProcess(command, j.dir, j.env, out)
	if err != nil {
		return Report{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	timedOut := p.awaitEnd(bounded) // or interrupted
	text, _ := out.since(0)
	status, ok := p.exit()
	switch {
	case ctx.Err() != nil:
		return Report{Text: j.commandText("interrupted and ended", text)}, ctx.Err()
	case timedOut:
		status, ok = fmt.Sprintf("ended after %s, its timeout. Give a longer one, or run it in the background", timeout), false
	case p.left:
		status += "; processes it left running were ended (background: true keeps them)"
	}
	line := fmt.Sprintf("%s, %s", status, time.Since(started).Round(10*time.Millisecond))
	r := Report{Text: j.commandText(line, text), Detail: line, Failed: !ok}
	if !ok {
		if why := failureLine(text); why != "" {
			r.Detail += "\n" + why
		}
	}
	return r, nil
}

// commandText returns the status line and the output. If the result will be cut, the
// end of the output is repeated before the output.
func (j *Jobs) commandText(status, output string) string {
	output = strings.TrimRight(screenText(output), "\n")
	if output == "" {
		return status + "\n(no output)"
	}
	if utf8.RuneCountInString(status)+utf8.RuneCountInString(output) >= j.resultChars() {
		most := min(tailChars, j.resultChars()/2)
		tail := []rune(output[len(output)-min(len(output), 4*most):])
		tail = tail[max(0, len(tail)-most):]
		end := string(tail)
		if at := strings.IndexByte(end, '\n'); at >= 0 {
			end = end[at+1:]
		}
		return status + "\n[the end of the output:]\n" + end + "\n[the output from its beginning:]\n" + output
	}
	return status + "\n" + output
}

// Read returns the output of a background command since the last Read. With stop it first
// ends the command; otherwise it waits at most wait for the command to end.
func (j *Jobs) Read(ctx context.Context, id string, stop bool, wait time.Duration) (Report, error) {
	one, err := j.find(id)
	if err != nil {
		return Report{}, err
	}
	switch {
	case stop:
		if one.process.running() {
			one.process.end()
		}
		<-one.finished
	case wait > 0:
		one.await(ctx, wait)
	}
	status := one.id + " is running"
	if !one.process.running() {
		<-one.finished
		how, _ := one.process.exit()
		status = one.id + " has ended: " + how
	}
	return Report{Text: j.commandText(status, j.unreadOutput(one)), Detail: status}, nil
}
