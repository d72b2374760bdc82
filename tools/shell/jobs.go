package shell

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"plimsoll/conversation"
	"plimsoll/tools/sandbox"
)

// Jobs are commands and tasks in the background. They run between calls until they end, are stopped, run too long, or Jobs.Close
// is called. What runs in the foreground can be moved there. The start and the end of each are recorded.

// keptJobs is how many ended jobs are kept with their output.
const keptJobs = 16

// The defaults of Options.
const (
	defaultCeiling = 8 << 20
	defaultLimit   = 8
)

// Options configure Jobs.
type Options struct {
	Dir         string
	Env         []string
	Ceiling     int           // bytes of a command's output that are kept; 0: 8 MiB
	ResultChars func() int    // the length at which a result is cut now, in characters
	Limit       int           // jobs that may run at once; 0: 8
	Timeout     time.Duration // after which a job is ended; 0: never
	Earlier     int           // jobs that the conversation had before, whose ids are not used again
	Sandbox     *sandbox.Sandbox
	// Network opens the way of a command to the network; nil, or if it returns nil: that of the program.
	Network func(command string, timeout *Timeout) (Network, error)
	// Outside asks whether a job that the sandbox kept from something runs again outside. It may wait until ctx ends. why is for the
	// model, "" if nobody was asked. nil: none does.
	Outside func(ctx context.Context, command, denied string) (yes bool, why string)
	// Record receives each JobStarted and JobEnded, and how many jobs run now. It must not block, nor call Jobs. nil: it is
	// not called.
	Record func(event conversation.Body, running int)
}

// work is what a job runs: a process, or a task.
type work interface {
	done() <-chan struct{} // closed when it has ended
	end()                  // ends it, and returns when it has ended
	finish()               // returns when it has ended and its output is there
	exit() (text string, ok bool)
	code() int
}

func isRunning(w work) bool {
	select {
	case <-w.done():
		return false
	default:
		return true
	}
}

// job is a command or a task. While it runs in the foreground it has no id.
type job struct {
	id       string
	command  string // or the name of the task
	call     string // of the task, "" for a command
	work     work
	where    Where
	network  Network
	timeout  Timeout
	output   *capture
	moved    chan struct{} // closed when the command goes on in the background
	finished chan struct{} // closed when the job has ended, its output is read and its end is recorded

	// Guarded by Jobs.mu:
	started    time.Time // in the background
	took       time.Duration
	read       int64                 // bytes of output already shown to the model
	waiting    int                   // calls that wait for the end, and will tell it
	endedBy    conversation.JobEnder // who ends it
	ended      bool                  // its end is recorded
	size       conversation.Size     // of the output, once it has ended
	doing      string                // what a task does just now, or a command waits for
	stopAsking func()                // while the user is asked about it
	stays      bool                  // it does not run again
}

// Jobs starts commands and keeps those in the background.
type Jobs struct {
	Options

	mu         sync.Mutex // guards what follows
	foreground []*job
	list       []*job
	count      int // started jobs, for ids
	closed     bool
}

// NewJobs returns Jobs without a command.
func NewJobs(o Options) *Jobs {
	o.Ceiling, o.Limit = cmp.Or(max(o.Ceiling, 0), defaultCeiling), cmp.Or(o.Limit, defaultLimit)
	return &Jobs{Options: o, count: o.Earlier}
}

// begin starts a command; the caller has to wait for its process.
func (j *Jobs) begin(command string, where Where, progress func(string)) (one *job, p *process, err error) {
	one = newJob(command, nil, newCapture(j.Ceiling, progress))
	one.where = where
	var start Starter
	if where == Inside {
		start = j.Sandbox.Start
		if one.network, err = j.network(command, &one.timeout); err != nil {
			return nil, nil, fmt.Errorf("open the network of the command: %w", err)
		}
	}
	if p, err = startProcess(command, j.Dir, slices.Concat(j.Env, one.network.Environ()), one.output, start); err != nil {
		one.network.Close()
	}
	one.work = p
	return one, p, err
}

func newJob(command string, w work, out *capture) *job {
	return &job{command: command, work: w, network: unconfined{}, output: out, moved: make(chan struct{}), finished: make(chan struct{})}
}

// Where says whether a command is confined.
type Where int

// The places of a command.
const (
	Inside  Where = iota // in the sandbox of Options, if there is one
	Outside              // with all rights of the user, who approved that
)

// Start runs a command in the background and returns its id.
func (j *Jobs) Start(command string, where Where) (id string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.checkRoom(1); err != nil {
		return "", err
	}
	one, _, err := j.begin(command, where, nil)
	if err != nil {
		return "", err
	}
	j.add(one, false)
	return one.id, nil
}

// MoveForeground lets the commands that run in the foreground go on in the background, which answers their calls. The error
// says that there are none, or too many jobs.
func (j *Jobs) MoveForeground() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	movable := slices.DeleteFunc(slices.Clone(j.foreground), func(one *job) bool { return !isRunning(one.work) })
	if len(movable) == 0 {
		return errors.New("no command or task of the model runs that could go on in the background")
	}
	if err := j.checkRoom(len(movable)); err != nil {
		return err
	}
	for _, one := range movable {
		j.foreground = slices.DeleteFunc(j.foreground, func(other *job) bool { return other == one })
		j.add(one, true)
		close(one.moved)
	}
	return nil
}

// checkRoom returns an error if n more jobs are too many; the caller holds mu.
func (j *Jobs) checkRoom(n int) error {
	if j.closed {
		return errors.New("the conversation is being closed")
	}
	if running := j.dropEnded(); running+n > j.Limit {
		return fmt.Errorf("%d jobs run in the background, of at most %d (jobs.limit); end one first: %s", running, j.Limit, j.names())
	}
	return nil
}

// add makes a command a job, and watches it; the caller holds mu.
func (j *Jobs) add(one *job, moved bool) {
	j.count++
	one.id, one.started = fmt.Sprintf("p%d", j.count), time.Now()
	j.list = append(j.list, one)
	j.record(conversation.JobStarted{ID: one.id, Command: one.command, Moved: moved, Call: one.call})
	go j.watch(one) // Close waits for it
}

// record passes an event on; the caller holds mu.
func (j *Jobs) record(event conversation.Body) {
	if j.Record != nil {
		j.Record(event, j.running())
	}
}

// watch waits for the end of a job, or ends it when it has run too long, and records its end.
func (j *Jobs) watch(one *job) {
	defer close(one.finished)
	ctx, cancel := context.WithCancel(context.Background()) // Close ends the process
	if j.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, j.Timeout)
	}
	defer cancel()
	for again := true; again; again = j.runsOutside(ctx, one) {
		select {
		case <-one.work.done():
		case <-ctx.Done():
			j.end(one, conversation.EndedByLimit)
		}
		one.work.finish()
		if one.where == Inside {
			one.network.Close()
		}
	}
	text, _ := one.output.since(0)
	j.mu.Lock()
	defer j.mu.Unlock()
	one.ended, one.took, one.size = true, time.Since(one.started), conversation.Measure(text)
	if t, ok := one.work.(*taskWork); ok {
		for _, event := range t.report.Events {
			j.record(event)
		}
	}
	j.record(conversation.JobEnded{ID: one.id, Command: one.command, Call: one.call, How: j.how(one), Code: one.work.code(),
		Duration: one.took.Milliseconds(), Size: one.size, By: one.endedBy, Told: one.waiting > 0})
}

// runsOutside runs a job again that has ended because of the sandbox, outside, if the user approves that. Only watch calls it.
func (j *Jobs) runsOutside(ctx context.Context, one *job) bool {
	p, isCommand := one.work.(*process)
	if !isCommand || one.where == Outside || j.Outside == nil {
		return false
	}
	text, _ := one.output.since(0)
	_, ok := p.exit()
	denied := j.Sandbox.Denial(text)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	j.mu.Lock()
	asks := !ok && denied != "" && !one.stays
	if asks {
		one.doing, one.stopAsking = "it waits for the user, because the sandbox kept it from "+denied, stop
	}
	j.mu.Unlock()
	if !asks {
		return false
	}
	yes, why := j.Outside(ctx, one.command, denied)
	_, _ = one.output.Write([]byte("\n[" + cmp.Or(why, "it runs in a sandbox, which kept it from "+denied) + "]\n")) // never fails
	j.mu.Lock()
	defer j.mu.Unlock()
	one.doing, one.stopAsking = "", nil
	if !yes || one.stays {
		return false
	}
	again, err := startProcess(one.command, j.Dir, j.Env, one.output, nil)
	if err != nil {
		_, _ = one.output.Write([]byte(err.Error())) // never fails
		return false
	}
	one.work, one.where = again, Outside
	return true
}

// end ends a job unless it has ended.
func (j *Jobs) end(one *job, by conversation.JobEnder) {
	j.mu.Lock()
	work := one.work
	running := isRunning(work)
	one.stays = true
	if (running || one.stopAsking != nil) && one.endedBy == "" {
		one.endedBy = by
	}
	if one.stopAsking != nil {
		one.stopAsking()
	}
	j.mu.Unlock()
	if running {
		work.end()
	}
}

// how says how a job ended; the caller holds mu.
func (j *Jobs) how(one *job) string {
	switch one.endedBy {
	case conversation.EndedByLimit:
		return fmt.Sprintf("ended after %s, the limit of jobs.timeout", j.Timeout)
	case conversation.EndedByUser:
		return "ended by the user"
	case conversation.EndedByProgram:
		if one.call == "" {
			return "ended with the conversation"
		}
	}
	text, _ := one.work.exit()
	return text
}

// running is the number of jobs that run; the caller holds mu.
func (j *Jobs) running() (n int) {
	for _, one := range j.list {
		if !one.ended {
			n++
		}
	}
	return n
}

// dropEnded removes the oldest ended jobs if there are more than keptJobs, and returns how many jobs run; the caller holds mu.
func (j *Jobs) dropEnded() (running int) {
	running = j.running()
	surplus := len(j.list) - running - keptJobs
	j.list = slices.DeleteFunc(j.list, func(one *job) bool {
		if surplus <= 0 || !one.ended {
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

func (j *Jobs) unreadOutput(one *job) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	text, position := one.output.since(one.read)
	one.read = position
	return text
}

// await calls wait, which waits for the end of a job. If the job ends meanwhile, its end need not be told again.
func (j *Jobs) await(one *job, wait func()) {
	count := func(by int) {
		j.mu.Lock()
		defer j.mu.Unlock()
		one.waiting += by
	}
	count(1)
	defer count(-1)
	wait()
}

// Job is a job as the user is shown it.
type Job struct {
	ID, Command string
	Call        string // of a task, "" for a command
	How         string // it ended, "" while it runs
	Took        time.Duration
	Size        conversation.Size // of the output that is kept
	Tail        string            // the end of the output, as a terminal would show it
}

// tailBytes is how many bytes of the end of its output a Job has.
const tailBytes = 32 << 10

// List returns the jobs, the newest first.
func (j *Jobs) List() []Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []Job
	for _, one := range slices.Backward(j.list) {
		shown := Job{ID: one.id, Command: one.command, Call: one.call, Tail: strings.TrimRight(screenText(one.output.last(tailBytes)), "\n")}
		if one.ended {
			shown.How, shown.Took, shown.Size = j.how(one), one.took, one.size
		} else {
			shown.Took, shown.Size = time.Since(one.started), one.output.size()
			shown.Tail = cmp.Or(one.doing, shown.Tail)
		}
		out = append(out, shown)
	}
	return out
}

// End ends a job for the user, and returns when it has ended. It does nothing if it has ended before.
func (j *Jobs) End(id string) error {
	one, err := j.find(id)
	if err == nil {
		j.end(one, conversation.EndedByUser)
		<-one.finished
	}
	return err
}

// Close ends all jobs in parallel and returns when they have ended. No job starts after it.
func (j *Jobs) Close() {
	j.mu.Lock()
	j.closed = true
	list := slices.Clone(j.list)
	j.mu.Unlock()
	var wait sync.WaitGroup
	for _, one := range list {
		wait.Go(func() {
			j.end(one, conversation.EndedByProgram)
			<-one.finished
		})
	}
	wait.Wait()
}
