package shell

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"plimsoll/conversation"
)

const tailChars = 1500 // of a long output, repeated before it

// Report describes how a command ended, or that it still runs.
type Report struct {
	Text   string // for the model: how it ended, then its output
	Detail string // for the screen: how it ended, and the line that explains a failure
	Failed bool   // it timed out, or its exit code is not 0
	Moved  bool   // it goes on in the background
	Denied string // what the sandbox kept it from, if it failed for that; ""
}

// Run runs a command until it ends, its timeout passes, ctx is cancelled, or it is moved to the background.
func (j *Jobs) Run(ctx context.Context, command string, where Where, timeout time.Duration, progress func(string)) (Report, error) {
	began := time.Now()
	one, p, err := j.begin(command, where, progress)
	if err != nil {
		return Report{}, err
	}
	defer one.output.stopProgress()
	j.mu.Lock()
	j.foreground = append(j.foreground, one)
	j.mu.Unlock()
	bounded, cancel := one.timeout.start(ctx, timeout)
	defer cancel()
	select {
	case <-p.exited:
	case <-bounded.Done():
	case <-one.moved:
	}
	if j.wasMoved(one) {
		status := fmt.Sprintf("the user moved it to the background as %s, where it goes on; you are told when it ends. Read its further output with id: %q, end it with stop: true", one.id, one.id)
		return Report{Text: j.commandText(one.withNetwork(status), j.unreadOutput(one)), Detail: "moved to the background as " + one.id, Moved: true}, nil
	}
	wasEnded := p.awaitEnd(bounded) // it timed out or was interrupted
	j.Sandbox.Settle()
	one.network.Close()
	text, _ := one.output.since(0)
	status, ok := p.exit()
	switch {
	case ctx.Err() != nil:
		return Report{Text: j.commandText(one.withNetwork("interrupted and ended"), text)}, ctx.Err()
	case wasEnded:
		status, ok = fmt.Sprintf("ended after %s, its timeout. Give a longer one, or run it in the background", timeout), false
	case p.left:
		status += "; processes it left running were ended (background: true keeps them)"
	}
	line := one.withNetwork(fmt.Sprintf("%s, %s", status, time.Since(began).Round(10*time.Millisecond)))
	r := Report{Detail: line, Failed: !ok}
	if !ok && where == Inside {
		if r.Denied = j.Sandbox.Denial(text); r.Denied != "" {
			line += "\nit runs in a sandbox, which kept it from " + r.Denied
		}
	}
	if r.Text = j.commandText(line, text); !ok {
		if why := failureLine(text); why != "" {
			r.Detail += "\n" + why
		}
	}
	return r, nil
}

// withNetwork adds to a status what the command did on the network since the last time.
func (one *job) withNetwork(status string) string {
	return strings.TrimSuffix(status+"\n"+one.network.Report(), "\n")
}

// wasMoved reports whether a command was moved to the background; if not, it cannot be moved any more.
func (j *Jobs) wasMoved(one *job) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := len(j.foreground)
	j.foreground = slices.DeleteFunc(j.foreground, func(other *job) bool { return other == one })
	return len(j.foreground) == n
}

// commandText returns the status line and the output. If the result will be cut, the
// end of the output is repeated before the output.
func (j *Jobs) commandText(status, output string) string {
	output = strings.TrimRight(screenText(output), "\n")
	if output == "" {
		return status + "\n(no output)"
	}
	if utf8.RuneCountInString(status)+utf8.RuneCountInString(output) >= j.ResultChars() {
		most := min(tailChars, j.ResultChars()/2)
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
		j.await(one, func() {
			j.end(one, conversation.EndedByModel)
			<-one.finished
		})
	case wait > 0:
		j.await(one, func() {
			select {
			case <-one.finished:
			case <-time.After(wait):
			case <-ctx.Done():
			}
		})
	}
	status := one.id + " is running"
	j.mu.Lock()
	switch {
	case one.ended:
		status = one.id + " has ended: " + j.how(one)
	case one.doing != "":
		status += ": " + one.doing
	}
	j.mu.Unlock()
	status = one.withNetwork(status)
	return Report{Text: j.commandText(status, j.unreadOutput(one)), Detail: status}, nil
}

// shellBytes is how many bytes of output of a user's command are kept, half from
// the beginning and half from the end.
const shellBytes = 1 << 20

// Run runs a command that the user entered, not the model, in dir. It returns the
// output, with the exit code if that is not 0. The command has the user's whole
// environment, but no input and no terminal. When ctx ends, the command and its
// processes are ended. The error is that of starting the command, or
// context.Canceled.
func Run(ctx context.Context, dir, command string) (string, error) {
	out := newCapture(shellBytes, nil)
	p, err := startProcess(command, dir, nil, out, nil)
	if err != nil {
		return "", err
	}
	p.awaitEnd(ctx)
	text, _ := out.since(0)
	text = strings.TrimRight(screenText(text), "\n")
	how, ok := p.exit()
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return text, ctx.Err()
	case ctx.Err() != nil:
		text += "\n(ended, because it took too long)"
	case !ok:
		text += "\n(" + how + ")"
	}
	if p.left {
		text += "\n(what it left running was ended)"
	}
	return strings.TrimLeft(text, "\n"), nil
}

const (
	failureBytes = 64 << 10 // bytes of the end of the output that are searched
	failureChars = 400      // characters kept of the line
)

var looksWrong = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(error|fail(ed|ure)?|fatal|panic|exception|traceback|denied|refused|abort(ed)?|invalid|undefined|unknown|missing|cannot|can't|could not|couldn't|unable|not found|no such|timed out|expected)\b`)
})

// sumsUp matches lines without a reason, such as the totals of test runners.
var sumsUp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(FAIL(\s.*)?|exit status \d+|make(\[\d+\])?: .*|npm (ERR!|error)( (A complete log|code|errno|path|command|syscall|Lifecycle|workspace|location)\b.*)?|error: Recipe .*)$`)
})

// failureLine guesses which line of a failed command's output says why, for the screen, which folds the output: the last
// line that looks like an error, or else the last one that is not empty; "" if there is no output.
func failureLine(output string) string {
	output = screenText(output[max(0, len(output)-failureBytes):])
	last, sum := "", ""
	for _, line := range slices.Backward(strings.Split(output, "\n")) {
		line = strings.TrimSpace(line)
		switch {
		case sumsUp().MatchString(line):
			sum = cmp.Or(sum, line)
		case looksWrong().MatchString(line):
			return conversation.OneLine(line, failureChars)
		default:
			last = cmp.Or(last, line)
		}
	}
	return conversation.OneLine(cmp.Or(last, sum), failureChars)
}
