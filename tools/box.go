package tools

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"

	"plimsoll/conversation"
	"plimsoll/tools/grants"
	"plimsoll/tools/params"
	"plimsoll/tools/past"
	"plimsoll/tools/permission"
	"plimsoll/tools/shell"
	"plimsoll/tools/web"
	"plimsoll/tools/words"
	"plimsoll/tools/workspace"
)

// A Box runs calls. Whatever goes wrong in a tool becomes an outcome: a wrong
// argument, a refusal, even a panic. What was reviewed is what runs: if the files
// have changed since, so that a call would do something else than the user was
// shown, or can succeed where its review foresaw a failure and nobody was asked,
// it runs only if it needs no approval as things are now.

// Options says what a Box works on and within which limits.
type Options struct {
	Workspace string       // folder the file tools are confined to and commands start in
	Archive   past.Archive // what recall and search_history read; nil: nothing

	// Permissions of the configuration.
	Permissions permission.Config
	// Grants holds what the user granted and grants; conversations share it, so
	// that a grant holds in all of them. nil: a store of its own without a file.
	Grants *grants.Store
	// Own are files and folders of this program's own, absolute: configuration,
	// grants, conversations. An edit of them is always asked about.
	Own []string

	Disabled []string // names of tools that are not offered

	// RecallChars gives the most characters a recall may return now:
	// min(8k tokens, 10 % of what is free). nil: no limit but ResultChars.
	RecallChars func() int
	// ResultChars gives where the agent cuts a result that arrives now, in
	// characters; recall stays below it so that its answer is not cut again. nil:
	// [conversation.ResultMaxChars].
	ResultChars func() int
	// Visible reports whether the model is shown an event, by its Seq, as it was
	// said: its whole text and all arguments of its calls. recall then points to
	// it instead of repeating it. It may be called from several goroutines. nil:
	// never.
	Visible func(event uint64) bool
	// Ceiling is how many bytes of a command's output are kept, half from its
	// beginning and half from its end. 0: 8 MiB.
	Ceiling int

	PrivateAddresses []string      // hosts, addresses and networks (CIDR) http_request may reach though private
	Resolver         *net.Resolver // for http_request; nil: the system's

	Environ     []string // environment commands start from, before keys are taken out; nil: the process's
	SecretNames []string // further variables that never reach a command: the configured key variables

	Todos string // arguments of the last todo_write of the conversation; see [LastTodos]
}

// minRecallChars is what recall may return at least.
const minRecallChars = 500

// recallMost is how many characters an answer of recall may have now.
func (o Options) recallMost() int {
	if o.RecallChars == nil {
		return o.ResultChars()
	}
	return min(o.ResultChars(), max(o.RecallChars(), minRecallChars))
}

// result is what a tool gives back when it did its work.
type result struct {
	text   string
	detail string
	status conversation.ResultStatus // "": ok
}

// tool is one tool of a Box.
type tool struct {
	name, about string
	params      []params.Param
	readOnly    bool
	// effect says what a call would do, for permissions and for the eye. An error
	// says that the call cannot succeed, and Run would give the same. nil: the
	// call touches nothing.
	effect func(ctx context.Context, args params.Values) (permission.Effect, error)
	run    func(ctx context.Context, args params.Values, progress func(string)) (result, error)
}

// Box holds the tools of one conversation. It is safe for concurrent use.
type Box struct {
	files  *workspace.Files
	jobs   *shell.Jobs
	policy *permission.Policy
	todos  *todoList
	client *web.Client
	past   *past.Reader

	tools []tool
	index map[string]int

	mu       sync.Mutex
	reviewed map[string]string // guarded by mu: by ID of a call, the fingerprint of its effect at its review, or expectedFailure
}

// expectedFailure stands for the fingerprint of a call whose review expected a failure.
const expectedFailure = "\x00"

// New opens the workspace and makes the tools ready. Errors: a workspace that
// cannot be opened, a permission rule or private address that makes no sense, an
// approval or a switch for a tool that there is not.
func New(o Options) (*Box, error) {
	client, err := web.New(o.PrivateAddresses, o.Resolver)
	if err != nil {
		return nil, err
	}
	todos, err := newTodoList(o.Todos)
	if err != nil {
		return nil, err
	}
	if o.ResultChars == nil {
		o.ResultChars = func() int { return conversation.ResultMaxChars }
	}
	files, err := workspace.Open(o.Workspace)
	if err != nil {
		return nil, err
	}
	b := &Box{
		files: files, todos: todos, client: client,
		past: past.New(o.Archive, o.recallMost, o.Visible), index: map[string]int{}, reviewed: map[string]string{},
	}
	files.SetOwn(o.Own)
	environ := o.Environ
	if environ == nil {
		environ = os.Environ()
	}
	b.jobs = shell.NewJobs(files.Dir, shell.Environment(environ, o.SecretNames), o.Ceiling, o.ResultChars)
	all := b.all()
	names := toolNames(all)
	b.policy, err = permission.New(o.Permissions, names, files.Dir, o.Grants)
	for _, name := range o.Disabled {
		if err == nil && !slices.Contains(names, name) {
			err = fmt.Errorf("tools.%s.enabled: %w", name, permission.NoTool(name, names))
		}
	}
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	for _, t := range all {
		if !slices.Contains(o.Disabled, t.name) {
			b.index[t.name] = len(b.tools)
			b.tools = append(b.tools, t)
		}
	}
	return b, nil
}

// all lists the tools in the order in which they are declared to the model.
func (b *Box) all() []tool {
	return []tool{
		b.readFile(), b.listFiles(), b.findFiles(), b.grepFiles(),
		b.createFile(), b.modifyFile(), b.runCommand(), b.httpRequest(),
		b.todoRead(), b.todoWrite(), b.askUser(), b.recall(),
		b.searchHistory(), b.compact(),
	}
}

func toolNames(tools []tool) []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.name
	}
	return names
}

// Specs declares the tools, in a fixed order and with fixed bytes.
func (b *Box) Specs() []conversation.ToolSpec {
	specs := make([]conversation.ToolSpec, len(b.tools))
	for i, t := range b.tools {
		specs[i] = conversation.ToolSpec{
			Name: t.name, Description: t.about, Parameters: params.Schema(t.params), ReadOnly: t.readOnly,
		}
	}
	return specs
}

// Run runs a call that was allowed; see agent.Toolbox.
func (b *Box) Run(ctx context.Context, call conversation.ToolCall, progress func(string)) (out conversation.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = failure(fmt.Errorf("%s broke down: %v. This is a defect of the program; try another way", call.Name, p))
		}
	}()
	if progress == nil {
		progress = func(string) {}
	}
	if ctx.Err() != nil {
		return interrupted("")
	}
	t, args, err := b.decode(call)
	if err != nil {
		return failure(err)
	}
	if err := b.asReviewed(ctx, call, t, args); err != nil {
		return failure(err)
	}
	r, err := t.run(ctx, args, progress)
	switch {
	case err != nil && ctx.Err() != nil:
		return interrupted(r.text)
	case err != nil:
		return failure(err)
	case r.status == "":
		r.status = conversation.ResultOK
	}
	return conversation.Outcome{Status: r.status, Text: r.text, Detail: r.detail}
}

func failure(err error) conversation.Outcome {
	return conversation.Outcome{Status: conversation.ResultError, Text: err.Error()}
}

func interrupted(text string) conversation.Outcome {
	if text == "" {
		text = "interrupted before it was done"
	}
	return conversation.Outcome{Status: conversation.ResultInterrupted, Text: text}
}

// decode finds the tool of a call and checks its arguments.
func (b *Box) decode(call conversation.ToolCall) (tool, params.Values, error) {
	i, ok := b.index[call.Name]
	if !ok {
		names := toolNames(b.tools)
		if near := words.Nearest(call.Name, names, 3); len(near) > 0 {
			return tool{}, nil, fmt.Errorf("there is no tool %q. Did you mean %s?", call.Name, strings.Join(near, " or "))
		}
		return tool{}, nil, fmt.Errorf("there is no tool %q. The tools are %s", call.Name, strings.Join(names, ", "))
	}
	args, err := params.Decode(call.Name, b.tools[i].params, call.Arguments)
	return b.tools[i], args, err
}

// asReviewed refuses a call that would now do something else than when it was
// reviewed, unless it needs no approval now.
func (b *Box) asReviewed(ctx context.Context, call conversation.ToolCall, t tool, args params.Values) error {
	b.mu.Lock()
	fingerprint, reviewed := b.reviewed[call.ID]
	delete(b.reviewed, call.ID)
	b.mu.Unlock()
	if !reviewed || t.effect == nil {
		return nil
	}
	now, err := t.effect(ctx, args)
	if err != nil {
		return err
	}
	if now.Fingerprint == fingerprint {
		return nil
	}
	if need, _ := b.policy.Judge(now); need != conversation.NeedNothing {
		return fmt.Errorf("not run: the files have changed since %s was looked at, so it would not do what it would have done then. "+
			"Look again and send the call again", call.Name)
	}
	return nil
}

// Todos is the checklist as the model last wrote it.
func (b *Box) Todos() []Todo { return b.todos.list() }

// Workspace is the folder the file tools are confined to, without links.
func (b *Box) Workspace() string { return b.files.Dir }

// Close ends the commands in the background and releases the workspace.
func (b *Box) Close() error {
	b.jobs.Close()
	b.client.Close()
	if err := b.files.Close(); err != nil {
		return fmt.Errorf("close the workspace: %w", err)
	}
	return nil
}
