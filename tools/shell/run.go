package shell

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

const tailChars = 1500

// Report is what became of a command.
type Report struct {
	Text   string // for the model: how it ended, then its output
	Detail string // for the eye: how it ended, and of a failure a line that says why
	Failed bool   // it ended otherwise than with code 0
}

// Run runs a command to its end, its timeout or a cancelled ctx.
func (j *Jobs) Run(ctx context.Context, command string, timeout time.Duration, progress func(string)) (Report, error) {
	out := newCapture(j.ceiling, progress)
	defer out.silence()
	started := time.Now()
	p, err := startProcess(command, j.dir, j.env, out)
	if err != nil {
		return Report{}, err
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	timedOut := false
	select {
	case <-p.exited:
	case <-ctx.Done():
		p.end()
	case <-timer.C:
		timedOut = true
		p.end()
	}
	p.finish()
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

// commandText is a first line and the output behind it; the end of an output that
// will be cut comes before it.
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

// Read shows what a background command has put out since it was last read. stop ends
// it first; else it may end within a wait.
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
	return Report{Text: j.commandText(status, j.news(one)), Detail: status}, nil
}
