package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"plimsoll/agent/updates"
	"plimsoll/cli/owncommand"
	"plimsoll/cli/setup"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/storage"
	"plimsoll/tools"
)

// A task is a conversation that a call of another one starts and waits for. Rules:
//
//   - It has its own log, writer, tools, window and compaction, and the settings and the mode of its parent.
//   - Its questions come up in the parent, with its name; a cancelled parent ends it, a closed one also in the background.
//   - What it cost is added to the parent when it ends, after a crash when the parent is opened again.

// TaskOptions makes a conversation a task of another one.
type TaskOptions struct {
	parent   *Running
	only     []string // names of the only tools, nil for all
	system   string   // goes after the system prompt
	settings map[string]string
	window   int // tokens, 0 for that of the model
}

// taskPrompt goes after the system prompt of every task.
const taskPrompt = "\n\nYou do one task for another conversation, which gets your last reply and nothing else. Nobody answers questions about the task: " +
	"decide yourself, say what you assumed, and put all that was asked for into that reply, as short as it can be."

// taskRunner runs the tasks of a conversation.
type taskRunner struct {
	parent *Running
	slots  chan struct{} // holds a token for each task that runs

	mu      sync.Mutex // guards what follows
	running map[string]*Running
	ended   map[string]chan struct{} // closed at the end of a task that runs
	states  map[string]string        // of those that have ended; their calls may wait for others to be answered with them
}

func newTaskRunner(r *Running) *taskRunner {
	return &taskRunner{parent: r, slots: make(chan struct{}, max(1, r.InitialConfig.Tasks.Parallel)), running: map[string]*Running{}, ended: map[string]chan struct{}{}, states: map[string]string{}}
}

// TaskRuns is the state of a task that runs.
const TaskRuns = "running"

// TaskState is TaskRuns, or how a task has ended in this run of the program, "" for none of this run.
func (r *Running) TaskState(id string) string {
	r.subtasks.mu.Lock()
	defer r.subtasks.mu.Unlock()
	if r.subtasks.running[id] != nil {
		return TaskRuns
	}
	return r.subtasks.states[id]
}

// EndTask cancels the turn of a task that runs, and waits for its end.
func (r *Running) EndTask(ctx context.Context, id string) error {
	r.subtasks.mu.Lock()
	child, ended := r.subtasks.running[id], r.subtasks.ended[id]
	r.subtasks.mu.Unlock()
	if child == nil {
		return errors.New("it has ended already")
	}
	child.Agent.Cancel()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// SetMode sets the permission mode of the conversation and of its tasks.
func (r *Running) SetMode(m conversation.Mode) {
	r.Toolbox.SetMode(m)
	r.subtasks.mu.Lock()
	defer r.subtasks.mu.Unlock()
	for _, child := range r.subtasks.running {
		child.Toolbox.SetMode(m)
	}
}

// CheckRules is that of the permissions of the conversation, or of the task that asks.
func (r *Running) CheckRules(callID string, rules []string) (conversation.Offer, error) {
	if id, inner, ok := strings.Cut(callID, taskCallSeparator); ok {
		r.subtasks.mu.Lock()
		child := r.subtasks.running[id]
		r.subtasks.mu.Unlock()
		if child != nil {
			return child.Toolbox.CheckRules(inner, rules)
		}
	}
	return r.Toolbox.CheckRules(callID, rules)
}

// taskCallSeparator stands between the ID of a task and that of its call, in the ID under which the parent asks.
const taskCallSeparator = " task "

// Agents lists the user's own agents that a task can be given to.
func (t *taskRunner) Agents() []tools.TaskAgent {
	var out []tools.TaskAgent
	for _, a := range t.parent.Agents.Settings.OfferedAgents(t.parent.InitialConfig) {
		out = append(out, tools.TaskAgent{Name: a.Name, Description: a.Description})
	}
	return out
}

// Run runs a task, after at most tasks.parallel others.
func (t *taskRunner) Run(ctx context.Context, q tools.TaskRequest, progress func(string)) tools.TaskAnswer {
	select {
	case t.slots <- struct{}{}:
	default:
		progress("waits for another task")
		select {
		case t.slots <- struct{}{}:
		case <-ctx.Done():
			return tools.TaskAnswer{Status: conversation.ResultInterrupted, How: "interrupted", Text: "interrupted before it began"}
		}
	}
	defer func() { <-t.slots }()
	one, err := t.open(ctx, q)
	if err != nil {
		return tools.TaskAnswer{Status: conversation.ResultError, How: conversation.TaskFailed, Text: err.Error()}
	}
	one.progress = progress
	return one.run(ctx, q)
}

// open opens the sub-conversation of a task.
func (t *taskRunner) open(ctx context.Context, q tools.TaskRequest) (*task, error) {
	first, _, _ := strings.Cut(strings.TrimSpace(q.Prompt), "\n")
	one := &task{parent: t.parent, name: conversation.OneLine(first, 40), questions: map[string]context.CancelFunc{}}
	o := &TaskOptions{parent: t.parent, settings: t.parent.ownSettings(), window: t.parent.InitialConfig.Tasks.Window}
	if len(q.Tools) > 0 {
		o.only = q.Tools
	}
	var agent owncommand.Command
	if q.Agent != "" {
		var ok bool
		agents := t.parent.Agents.Settings.OfferedAgents(t.parent.InitialConfig)
		if agent, ok = owncommand.Named(agents, q.Agent); !ok {
			return nil, fmt.Errorf("there is no agent %q", q.Agent)
		}
		one.name, o.system = agent.Name, "\n\n"+agent.Body
		if o.only == nil && len(agent.Tools) > 0 {
			o.only = agentTools(agent.Tools)
		}
	}
	if q.Continue != "" {
		events, err := (&Archive{Store: t.parent.Agents.Resources.Store, ID: t.parent.ID}).Events(ctx)
		if err != nil {
			return nil, err
		}
		known := conversation.Tasks(events)
		i := slices.IndexFunc(known, func(k conversation.Task) bool { return k.Conversation == q.Continue })
		if i < 0 {
			return nil, fmt.Errorf("this conversation has no task %q", q.Continue)
		}
		one.through, one.agent = known[i].Through, known[i].Agent
		own, _, err := loadSnapshot(ctx, t.parent.Agents.Resources.Store, q.Continue)
		if err != nil {
			return nil, err
		}
		if declared := own.Tools; o.only == nil && len(declared) > 0 && !conversation.HasTool(declared, conversation.ToolFindTools) {
			for _, d := range declared { // what it began with bounds it to its end
				o.only = append(o.only, d.Name)
			}
		}
	}
	conn, err := t.connect(ctx, q, agent.Model)
	if err != nil {
		return nil, err
	}
	if q.Agent != "" {
		one.agent = agent.Name
	}
	one.child, err = t.parent.Agents.Start(ctx, conn, OpenOptions{ID: q.Continue, Interactive: t.parent.isInteractive, Mode: t.parent.Toolbox.Mode(), Task: o})
	if err != nil {
		return nil, openElsewhere(err, "it goes on there")
	}
	if conn.Discover != nil {
		one.child.DiscoverLimits(conn)
	}
	one.events = slices.Clone(one.child.Events)
	t.mu.Lock()
	t.running[one.child.ID], t.ended[one.child.ID] = one.child, make(chan struct{})
	t.mu.Unlock()
	one.closed = func(state string) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.states[one.child.ID] = state
		close(t.ended[one.child.ID])
		delete(t.running, one.child.ID)
		delete(t.ended, one.child.ID)
	}
	return one, nil
}

// connect returns the connection of a task: to the model that the call names, else that of its agent, else the configured one,
// else that of the parent. A call may only name a model of the parent's provider: where a conversation goes is the user's choice.
func (t *taskRunner) connect(ctx context.Context, q tools.TaskRequest, ofAgent string) (setup.Connection, error) {
	now := t.parent.Current()
	name := t.parent.InitialConfig.Tasks.Model
	switch {
	case q.Model != "":
		if name = q.Model; !strings.HasPrefix(name, now.Model.Provider+"/") {
			name = now.Model.Provider + "/" + name
		}
		if !slices.ContainsFunc([]string{q.Model, name}, func(n string) bool { return n == now.Model.Name() }) {
			conn, err := t.parent.connectFallback(ctx, name, now.Model)
			if err == nil && (conn.Model.Provider != now.Model.Provider || !setup.SameEndpoint(conn.Model.BaseURL, now.Model.BaseURL)) {
				err = errors.New("it is not at the provider in use")
			}
			if err != nil {
				return conn, fmt.Errorf("the model %q cannot be used: %w. Leave it out", q.Model, err)
			}
			return conn, nil
		}
		return now, nil
	case ofAgent != "" && !slices.Contains([]string{"sonnet", "opus", "haiku"}, ofAgent): // names of one provider's sizes
		name = ofAgent
	}
	if name == "" || name == "same" || name == now.Model.Name() {
		return now, nil
	}
	conn, err := t.parent.connectFallback(ctx, name, now.Model)
	if err != nil {
		return conn, fmt.Errorf("the configured model of tasks, %s, cannot be used: %w", name, err)
	}
	return conn, nil
}

// ownSettings are the settings of the conversation that are not those of the files, by key.
func (r *Running) ownSettings() map[string]string {
	set := setup.RecordedSettings(r.Events)
	maps.Copy(set, r.Agents.Settings.Overrides())
	r.connectionMu.Lock()
	defer r.connectionMu.Unlock()
	maps.Copy(set, r.settings.changed)
	return set
}

// agentTools are the names of tools as this program has them.
func agentTools(names []string) []string {
	ours := map[string][]string{"Read": {"read_file"}, "Grep": {"grep_files"}, "Glob": {"find_files"}, "LS": {"list_files"}, "Bash": {"run_command"},
		"Edit": {"modify_file"}, "MultiEdit": {"modify_file"}, "Write": {"create_file"}, "WebFetch": {"http_request"}, "TodoWrite": {"todo_write", "todo_read"}}
	out := []string{}
	for _, name := range names {
		name, _, _ = strings.Cut(name, "(") // what stands in parentheses narrows nothing here: calls ask as always
		if known, ok := ours[name]; ok {
			out = append(out, known...)
		} else {
			out = append(out, name)
		}
	}
	return out
}

// task is one task while it runs.
type task struct {
	parent      *Running
	child       *Running
	name, agent string
	through     uint64 // Seq of the newest event that the parent has accounted for
	events      []conversation.Event
	progress    func(string)
	closed      func(state string)

	calls        int
	reading      meter.Reading
	doing, shown string
	failure      string
	stopped      bool
	asking       sync.WaitGroup
	questions    map[string]context.CancelFunc // by ID of the call
}

// run sends the prompt, waits for the end of the turn, and closes the sub-conversation.
func (t *task) run(ctx context.Context, q tools.TaskRequest) tools.TaskAnswer {
	started := conversation.TaskStarted{Conversation: t.child.ID, Call: q.Call, Prompt: conversation.OneLine(q.Prompt, 120),
		Model: t.child.Current().Model.Name(), Agent: t.agent}
	recordErr := t.parent.Agent.Append(ctx, started)
	if q.Continue == "" {
		started.Parent = t.parent.ID
		t.child.Agent.Record(started)
	}
	before := len(t.events)
	t.child.Agent.Send(q.Prompt)
	asked, stopAsking := context.WithCancel(ctx)
	err := t.watch(ctx, asked)
	stopAsking()
	t.asking.Wait()
	closeErr := t.child.Close()
	t.drain()
	return t.answer(before, started, errors.Join(recordErr, err, closeErr))
}

// watch follows the sub-conversation until its turn has ended. The error is that of ctx.
func (t *task) watch(ctx, asked context.Context) error {
	for {
		list, err := t.child.Agent.Updates().Take(ctx)
		if err != nil {
			return err
		}
		for _, u := range list {
			if t.observe(asked, u) {
				return nil
			}
		}
		if line := t.line(); line != t.shown {
			t.shown = line
			t.progress(line)
		}
	}
}

// observe takes note of an update, and reports whether the turn is over.
func (t *task) observe(ctx context.Context, u updates.Update) (isOver bool) {
	switch u := u.(type) {
	case updates.Appended:
		t.events = append(t.events, u.Events...)
	case updates.ToolStarted:
		t.calls, t.doing = t.calls+1, u.Title
	case updates.Metered:
		t.reading = u.Meter.Reading()
	case updates.Compacting:
		t.doing = "compacting"
	case updates.AskApproval:
		t.doing = "asks you"
		t.ask(ctx, u)
	case updates.ApprovalClosed:
		if end, open := t.questions[u.CallID]; open {
			end()
		}
	case updates.Failed:
		t.failure = strings.TrimSuffix(u.Err.Message+"; "+u.Err.Hint, "; ")
	case updates.Status:
		switch u.Phase {
		case updates.Idle:
			return true
		case updates.Waiting, updates.Streaming:
			t.doing = "thinking"
		case updates.Retrying:
			t.doing = u.Why
		case updates.Stopping:
			t.stopped = true
		}
	}
	return false
}

// line says how full the window of the task is, and what it does just now.
func (t *task) line() string {
	text := fmt.Sprintf("%s · %s", gaugeOf(t.reading), numbers.Count(t.calls, "call"))
	if t.doing != "" {
		text += " · " + conversation.OneLine(t.doing, 80)
	}
	return text
}

// gaugeCells is the width of a task's gauge.
const gaugeCells = 8

// gaugeOf draws a reading: ▕███·····▏ 38%, only the number if the window is unknown.
func gaugeOf(r meter.Reading) string {
	if !r.Window.IsKnown() {
		return numbers.Tokens(r.Used) + " tokens"
	}
	full := min(gaugeCells, (r.Used*gaugeCells+r.Window.Tokens-1)/r.Window.Tokens)
	return "▕" + strings.Repeat("█", full) + strings.Repeat("·", gaugeCells-full) + "▏ " + strconv.Itoa(r.Percent(r.Used)) + "%"
}

// ask puts a question of the sub-conversation to the user of the parent.
func (t *task) ask(ctx context.Context, u updates.AskApproval) {
	review, call := u.Review, u.Call
	review.Title = "task " + t.name + ": " + review.Title
	if review.Question != "" {
		review.Question = "The task “" + t.name + "” asks: " + review.Question
	}
	call.ID = t.child.ID + taskCallSeparator + call.ID
	ctx, end := context.WithCancel(ctx)
	t.questions[u.Call.ID] = end
	t.asking.Go(func() {
		defer end()
		if answer, ok := t.parent.Agent.AskAbout(ctx, call, review); ok {
			t.child.Agent.Answer(u.Call.ID, answer)
		}
	})
}

// drain takes the updates that are left after the agent has ended.
func (t *task) drain() {
	for {
		list, err := t.child.Agent.Updates().Take(context.Background()) // the mailbox is closed: it does not wait
		if err != nil {
			return
		}
		for _, u := range list {
			if a, ok := u.(updates.Appended); ok {
				t.events = append(t.events, a.Events...)
			}
		}
	}
}

// answer is the outcome of the task, of which the events from before on are new.
func (t *task) answer(before int, started conversation.TaskStarted, err error) tools.TaskAnswer {
	reply := conversation.AssistantMessage{}
	for _, e := range t.events[min(before, len(t.events)):] {
		if b, ok := e.Body.(conversation.AssistantMessage); ok {
			reply = b
		}
	}
	text := strings.TrimSpace(reply.Text)
	out := tools.TaskAnswer{Text: text, Status: conversation.ResultOK}
	ended := conversation.TaskEnded{Conversation: t.child.ID, Call: started.Call, State: conversation.TaskDone}
	hint := "; a call of task with continue " + t.child.ID + " goes on with it"
	switch {
	case err != nil || t.stopped || reply.Stop == conversation.StopCancelled || reply.Stop == conversation.StopInterrupted:
		ended.State, out.Status, out.Text = conversation.TaskInterrupted, conversation.ResultInterrupted, "interrupted"+hint
	case !reply.Stop.IsComplete() || reply.Stop == conversation.StopCalls:
		ended.State, out.Status = conversation.TaskFailed, conversation.ResultError
		out.Text = "the task failed: " + t.failure + hint
	case text == "":
		out.Text = "(it answered nothing)"
	}
	if out.Status != conversation.ResultOK && text != "" {
		out.Text += ". Its last words:\n" + text
	} else if out.Status == conversation.ResultOK {
		out.Text += "\n\n[task " + t.child.ID + "]"
	}
	var changed []conversation.Body // by commands; what tools change was recorded in the parent before
	for _, e := range t.events[min(before, len(t.events)):] {
		if c, ok := e.Body.(conversation.Checkpoint); ok && c.By == conversation.ToolRunCommand {
			changed = append(changed, c)
		}
	}
	used := conversation.TaskUsageAfter(t.events, t.through)
	out.How, t.doing = ended.State, ended.State
	t.closed(ended.State)
	t.progress(t.line())
	if out.Status == conversation.ResultInterrupted {
		out.How = conversation.InterruptedTask(t.child.ID)
	}
	out.Events = append(changed, endOf(ended, started.Model, used, text)...)
	return out
}

// endOf are the events with which the parent accounts for what a task used: all its requests, and the size of its messages
// without the answer.
func endOf(ended conversation.TaskEnded, model string, used conversation.TaskUsage, answer string) []conversation.Body {
	ended.Through, ended.CostUSD = used.Through, used.Usage.CostUSD
	ended.Tokens = max(0, int(meter.Estimate(used.Size)-meter.Estimate(conversation.Measure(answer))))
	if used.Requests == 0 {
		return []conversation.Body{ended}
	}
	used.Usage.Model = model
	return []conversation.Body{ended, used.Usage}
}

// settleTasks records the ends of the tasks that ended with a run of the program, with what they cost until then.
func (r *Running) settleTasks(ctx context.Context, store *storage.Store) {
	for _, t := range conversation.Tasks(r.Events) {
		if t.State != "" || store.IsOpenElsewhere(t.Conversation) {
			continue
		}
		log, _, err := store.Load(ctx, t.Conversation)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			continue // the next opening tries again
		}
		ended := conversation.TaskEnded{Conversation: t.Conversation, Call: t.Call, State: conversation.TaskInterrupted}
		r.Agent.Record(endOf(ended, t.Model, conversation.TaskUsageAfter(log, t.Through), "")...)
	}
}
