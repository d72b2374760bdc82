package tools

import (
	"context"
	"fmt"
	"net"
	"sync"

	"plimsoll/tools/grants"
	"plimsoll/tools/params"
	"plimsoll/tools/past"
	"plimsoll/tools/permission"
	"plimsoll/tools/shell"
	"plimsoll/tools/web"
	"plimsoll/tools/workspace"
)

// Options says what a Box works on and within which limits.
type Options struct {
	Workspace string       // folder the file tools are confined to and commands start in
	Archive   past.Archive // what recall and search_history read; nil: nothing

	// Permissions of the configuration.
	Permissions permission.Config
	// Grants holds what the user granted and grants; conversations share it, so
	// that a grant holds in all of them. nil: grants that last as long as the Box, without a file.
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

// Box holds the tools of one conversation. What calls need is decided by its policy. It is
// safe for concurrent use.
type Box struct {
	*permission.Policy
	files  *workspace.Files
	jobs   *shell.Jobs
	todos  *todoList
	client *web.Client
	past   *past.Reader

	tools []tool
	index map[string]int

	mu       sync.Mutex
	reviewed map[string]string // guarded by mu: by ID of a call, the fingerprint of its effect at its review, or expectedFailure
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

// fileEffect describes a call on a file, existing or not.
func (b *Box) fileEffect(tool string, a permission.Access, name string) (permission.Effect, error) {
	p, err := b.files.Locate(name)
	if err != nil {
		return permission.Effect{}, err
	}
	return permission.OfFile(tool, a, p), nil
}

// folderEffect describes a call on the folder of a path argument.
func (b *Box) folderEffect(tool string) func(context.Context, params.Values) (permission.Effect, error) {
	return func(_ context.Context, args params.Values) (permission.Effect, error) {
		p, err := b.folder(args)
		if err != nil {
			return permission.Effect{}, err
		}
		t := permission.OfFile(tool, permission.AccessRead, p)
		if pattern := args.Text("pattern"); pattern != "" {
			t.Title = pattern
		}
		return t, nil
	}
}
