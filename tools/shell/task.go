package shell

import (
	"context"
	"fmt"

	"plimsoll/conversation"
)

// Task is work of the program that can go on in the background as a command can.
type Task struct {
	Call string // ID of the call that started it
	Name string // on one line
	// Run does the work until it is done or ctx ends. doing says what it does just now.
	Run func(ctx context.Context, doing func(string)) TaskReport
}

// TaskReport is how a task ended.
type TaskReport struct {
	How    string // in a few words
	Answer string // for the model
	Failed bool
	Events []conversation.Body // recorded if it ends in the background, else left to the caller
}

// taskWork is a task that runs.
type taskWork struct {
	stop   context.CancelFunc
	ended  chan struct{}
	report TaskReport // set before ended is closed
}

func (t *taskWork) done() <-chan struct{} { return t.ended }

func (t *taskWork) end() {
	t.stop()
	<-t.ended
}

func (t *taskWork) finish()              { <-t.ended }
func (t *taskWork) exit() (string, bool) { return t.report.How, !t.report.Failed }
func (t *taskWork) code() int {
	if t.report.Failed {
		return 1
	}
	return 0
}

// beginTask starts a task; the caller has to wait for its end.
func (j *Jobs) beginTask(t Task, progress func(string)) (*job, *taskWork) {
	ctx, stop := context.WithCancel(context.Background()) // a call that ends it waits for its end
	w := &taskWork{stop: stop, ended: make(chan struct{})}
	one := newJob(conversation.OneLine(t.Name, 80), w, newCapture(j.Ceiling, nil))
	one.call = t.Call
	go func() {
		defer close(w.ended)
		defer stop()
		w.report = t.Run(ctx, func(doing string) {
			j.mu.Lock()
			one.doing = doing
			j.mu.Unlock()
			progress(doing + "\n")
		})
		_, _ = one.output.Write([]byte(w.report.Answer)) // never fails
	}()
	return one, w
}

// StartTask runs a task in the background and returns its id.
func (j *Jobs) StartTask(t Task) (id string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.checkRoom(1); err != nil {
		return "", err
	}
	one, _ := j.beginTask(t, func(string) {})
	j.add(one, false)
	return one.id, nil
}

// RunTask runs a task until it ends, ctx is cancelled, which ends it, or it is moved to the background: then id is not "".
func (j *Jobs) RunTask(ctx context.Context, t Task, progress func(string)) (report TaskReport, id string) {
	one, w := j.beginTask(t, progress)
	j.mu.Lock()
	j.foreground = append(j.foreground, one)
	j.mu.Unlock()
	select {
	case <-w.ended:
	case <-ctx.Done():
	case <-one.moved:
	}
	if j.wasMoved(one) {
		return TaskReport{}, one.id
	}
	w.end()
	return w.report, ""
}

// TaskMoved tells the model that a task goes on in the background.
func TaskMoved(id, why string) string {
	return fmt.Sprintf("%s as %s. You are told when it ends. run_command with id: %q reads its answer, with stop: true ends it", why, id, id)
}
