package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
	"plimsoll/tools/shell"
)

// task starts a conversation of its own for a part of the work, and returns its answer. Rules:
//
//   - Only the answer is part of this conversation. The other one is stored, with its own window and compaction.
//   - Starting one needs no approval; its calls need the same as here, and the user is asked here.
//   - A task cannot start tasks.
//   - One that was interrupted goes on when a call names it.
//   - In the background it is a job: run_command reads its answer.

// Tasks runs the tasks of a conversation.
type Tasks interface {
	// Agents lists the user's own agents, which a task can be given to.
	Agents() []TaskAgent
	// Run starts a task, or goes on with one, and waits until it has answered. The events are stored with the result. A task
	// that fails or is interrupted says so in its answer.
	Run(ctx context.Context, r TaskRequest, progress func(string)) TaskAnswer
}

// TaskAgent is an agent of the user's own.
type TaskAgent struct{ Name, Description string }

// TaskRequest is a task as a model asks for it.
type TaskRequest struct {
	Call     string // ID of the call
	Prompt   string
	Agent    string   // name of an agent, "" for none
	Model    string   // provider/id, "" for the configured one
	Tools    []string // names of the only tools that it has; nil: all
	Continue string   // ID of the sub-conversation to go on with, "" for a new one
}

// TaskAnswer is the outcome of a task.
type TaskAnswer struct {
	Status conversation.ResultStatus
	How    string // it ended, in a few words
	Text   string
	Events []conversation.Body
}

// Bounds of the description, in bytes, as for skills.
const (
	agentsAboutMost = 2000
	agentsBriefMost = 600
)

func (b *Box) task() tool {
	const about = "Give a part of the work to a conversation of its own, and get only its answer: for searching or reading much, where the " +
		"result is short. It sees the workspace and has the same tools, but knows nothing of this conversation: put all it needs " +
		"into the prompt, and say what to answer. Several calls together run at the same time."
	const brief = "Give a part of the work to a conversation of its own, and get only its answer. The prompt must say all it needs."
	return tool{
		name: conversation.ToolTask, optional: true,
		about: b.withAgents(about, agentsAboutMost), brief: b.withAgents(brief, agentsBriefMost),
		params: []params.Param{
			{Name: "prompt", Required: true, About: "what to do, what to know for it, and what to answer"},
			{Name: "agent", About: "name of the agent that does it"},
			{Name: "tools", Kind: params.Texts, About: "names of the only tools it may use; all without"},
			{Name: "model", About: "another model of the same provider"},
			{Name: "background", Kind: params.Bool, About: "go on without it: you are told when it ends"},
			{Name: "continue", About: "ID of a task that was interrupted or has answered, to go on with"},
		},
		effect: func(_ context.Context, args params.Values) (permission.Effect, error) {
			err := b.checkTask(args)
			title := conversation.OneLine(args.Text("prompt"), titleChars)
			if agent := args.Text("agent"); agent != "" {
				title = agent + ": " + title
			}
			return permission.Effect{Tool: conversation.ToolTask, Title: title}, err
		},
		run: func(context.Context, params.Values, func(string)) (result, error) {
			return result{}, errors.New("a task belongs to a call")
		},
	}
}

// withAgents lists the user's own agents after a description.
func (b *Box) withAgents(about string, most int) string {
	var agents []listed
	if b.options.Tasks != nil {
		for _, a := range b.options.Tasks.Agents() {
			agents = append(agents, listed{a.Name, a.Description})
		}
	}
	if len(agents) == 0 {
		return about
	}
	return withList(about+" The agents:", agents, len(about)+most, "\nand %d more")
}

// checkTask returns an error for arguments that cannot work.
func (b *Box) checkTask(args params.Values) error {
	if strings.TrimSpace(args.Text("prompt")) == "" {
		return errors.New("the prompt is empty")
	}
	if _, reads := b.index["run_command"]; args.Bool("background") && !reads {
		return errors.New("without run_command nothing can run in the background")
	}
	for _, name := range args.Texts("tools") {
		if _, known := b.index[name]; (!known || name == conversation.ToolTask) && !strings.HasPrefix(name, conversation.ServerPrefix) {
			var names []string
			for _, t := range b.tools {
				if t.name != conversation.ToolTask {
					names = append(names, t.name)
				}
			}
			return fmt.Errorf("a task has no tool %q. The tools are %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

// runTask runs the task of a call.
func (b *Box) runTask(call string) func(context.Context, params.Values, func(string)) (result, error) {
	return func(ctx context.Context, args params.Values, progress func(string)) (result, error) {
		request := TaskRequest{Call: call, Prompt: args.Text("prompt"), Agent: strings.TrimSpace(args.Text("agent")),
			Model: strings.TrimSpace(args.Text("model")), Tools: args.Texts("tools"), Continue: strings.TrimSpace(args.Text("continue"))}
		var answer TaskAnswer
		task := shell.Task{Call: call, Name: request.Prompt, Run: func(ctx context.Context, doing func(string)) shell.TaskReport {
			answer = b.options.Tasks.Run(ctx, request, doing)
			return shell.TaskReport{How: answer.How, Answer: answer.Text, Failed: answer.Status != conversation.ResultOK, Events: answer.Events}
		}}
		if args.Bool("background") {
			id, err := b.jobs.StartTask(task)
			if err != nil {
				return result{}, err
			}
			return result{text: shell.TaskMoved(id, "started in the background")}, nil
		}
		if _, id := b.jobs.RunTask(ctx, task, progress); id != "" {
			return result{text: shell.TaskMoved(id, "the user moved it to the background"), detail: "moved to the background as " + id}, nil
		}
		return result{text: answer.Text, status: answer.Status, events: answer.Events}, nil
	}
}

// chosenServers are servers of which only some tools are there.
type chosenServers struct {
	Servers
	only []string // full names
}

// Tools lists the chosen tools.
func (s chosenServers) Tools() []ServerTool {
	return slices.DeleteFunc(s.Servers.Tools(), func(t ServerTool) bool { return !slices.Contains(s.only, t.FullName) })
}

// withOnly leaves the options only the chosen servers.
func (o *Options) withOnly() {
	ofServers := func(name string) bool { return strings.HasPrefix(name, conversation.ServerPrefix) }
	switch {
	case o.Only == nil || o.Servers == nil:
	case !slices.ContainsFunc(o.Only, ofServers):
		o.Servers = nil
	default:
		o.Servers = chosenServers{o.Servers, o.Only}
	}
}
