package shell

import (
	"context"
	"errors"
	"fmt"
	"plimsoll/conversation"
	"slices"
	"strings"
	"sync"
	"time"
)

// Jobs are commands in the background. They run between calls until they end, are
// stopped, or Jobs.Close is called.

// maxJobs is how many commands may run in the background at once, and how many
// ended ones are kept with their output.
const maxJobs = 16

// defaultCeiling is how many bytes of a command's output are kept by default.
const defaultCeiling = 8 << 20

type job struct {
	id       string
	command  string
	process  *process
	output   *capture
	finished chan struct{} // closed when the process has ended and its output is read
	read     int64         // guarded by Jobs.mu: bytes of output already shown
}

// Jobs starts commands and keeps those in the background.
type Jobs struct {
	dir     string
	env     []string
	ceiling int

	resultChars func() int // returns the length at which a result is cut now, in characters

	mu     sync.Mutex // guards what follows
	list   []*job
	count  int // started jobs, for ids
	closed bool
}

func NewJobs(dir string, env []string, ceiling int, resultChars func() int) *Jobs {
	if ceiling <= 0 {
		ceiling = defaultCeiling
	}
	return &Jobs{dir: dir, env: env, ceiling: ceiling, resultChars: resultChars}
}

// Start runs a command in the background and returns its id.
func (j *Jobs) Start(command string) (id string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return "", errors.New("the conversation is being closed")
	}
	if running := j.dropEnded(); running >= maxJobs {
		return "", fmt.Errorf("%d commands run in the background already; stop one first: %s", running, j.names())
	}
	out := newCapture(j.ceiling, nil)
	p, err := startProcess(command, j.dir, j.env, out)
	if err != nil {
		return "", err
	}
	j.count++
	started := &job{id: fmt.Sprintf("p%d", j.count), command: command, process: p, output: out, finished: make(chan struct{})}
	go func() {
		defer close(started.finished)
		p.finish()
	}()
	j.list = append(j.list, started)
	return started.id, nil
}

// dropEnded removes the oldest ended jobs if there are more than maxJobs, and returns
// how many jobs run; the caller holds mu.
func (j *Jobs) dropEnded() (running int) {
	for _, one := range j.list {
		if one.process.running() {
			running++
		}
	}
	surplus := len(j.list) - running - maxJobs
	j.list = slices.DeleteFunc(j.list, func(one *job) bool {
		if surplus <= 0 || !one.hasEnded() {
			return false
		}
		surplus--
		return true
	})
	return running
}

// Check returns an error if no job has this id.
func (j *Jobs) Check(id string) error {
	_, err := j.find(id)
	return err
}

func (j *Jobs) find(id string) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i := slices.IndexFunc(j.list, func(other *job) bool { return other.id == id })
	if i < 0 {
		return nil, fmt.Errorf("there is no background command %q; there is %s", id, j.names())
	}
	return j.list[i], nil
}

// names lists the ids and commands of the jobs; the caller holds mu.
func (j *Jobs) names() string {
	if len(j.list) == 0 {
		return "none"
	}
	names := make([]string, len(j.list))
	for i, other := range j.list {
		names[i] = fmt.Sprintf("%s (%s)", other.id, conversation.OneLine(other.command, 40))
	}
	return strings.Join(names, ", ")
}

// unreadOutput returns the output of a job that was not shown before.
func (j *Jobs) unreadOutput(one *job) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	text, position := one.output.since(one.read)
	one.read = position
	return text
}

// await waits until a job has ended, for at most d.
func (one *job) await(ctx context.Context, d time.Duration) {
	select {
	case <-one.finished:
	case <-time.After(d):
	case <-ctx.Done():
	}
}

func (one *job) hasEnded() bool {
	select {
	case <-one.finished:
		return true
	default:
		return false
	}
}

// Close ends all jobs in parallel and returns when they have ended.
func (j *Jobs) Close() {
	j.mu.Lock()
	j.closed = true
	list := slices.Clone(j.list)
	j.mu.Unlock()
	var wait sync.WaitGroup
	for _, one := range list {
		wait.Go(func() {
			if one.process.running() {
				one.process.end()
			}
			<-one.finished
		})
	}
	wait.Wait()
}
