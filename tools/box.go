package tools

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"plimsoll/conversation"
	"plimsoll/tools/checkpoint"
	"plimsoll/tools/grants"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
	"plimsoll/tools/recall"
	"plimsoll/tools/sandbox"
	"plimsoll/tools/sandbox/proxy"
	"plimsoll/tools/shell"
	"plimsoll/tools/skill"
	"plimsoll/tools/web"
	"plimsoll/tools/workspace"
)

// Options configures a Box.
type Options struct {
	Workspace string         // folder the file tools are confined to and commands start in
	Archive   recall.Archive // the conversation that recall and search_history read; nil: they return an error

	// Permissions of the configuration.
	Permissions permission.Config
	// Grants holds the rules that the user granted; conversations share it, so that
	// a grant holds in all of them. nil: grants live in memory, as long as the Box.
	Grants *grants.Store
	// Own lists the program's own files and folders (configuration, grants,
	// conversations) as absolute paths. Editing them always needs approval.
	Own []string

	Disabled   []string // names of tools that are not offered
	Only       []string // names of the only tools that are offered, those of servers included; nil: all
	Tasks      Tasks    // nil: the model cannot start tasks
	Servers    Servers  // nil: none
	Defer      Defer    // "": auto
	DeferRatio float64  // share of the window that declarations may take; 0: a tenth

	Skills   *skill.Library // nil: none
	Commands []CommandTool  // tools of the configuration, declared after the others, in this order

	// RecallChars returns how many characters a recall may return now:
	// min(8k tokens, 10 % of the free window). nil: only ResultChars limits it.
	RecallChars func() int
	// ResultChars returns the length at which the agent cuts a new tool result, in
	// characters; recall stays below it so that its answer is not cut again. nil:
	// [conversation.ResultMaxChars].
	ResultChars func() int
	// Ceiling is how many bytes of a command's output are kept, half from its
	// beginning and half from its end. 0: 8 MiB.
	Ceiling int

	PrivateAddresses []string      // private hosts, addresses and networks (CIDR) that http_request may reach
	Resolver         *net.Resolver // for http_request; nil: the system's

	// Reach opens the proxy by which a command reaches the network. nil: commands have the network of the program.
	Reach func(proxy.Options) (*proxy.Command, error)
	// AskHost asks whether a command may reach a host that no rule decides about. nil: it may not.
	AskHost AskUser
	// AskOutside asks whether a command that the sandbox kept from something may run outside. nil: it may not.
	AskOutside AskUser

	Sandbox    *sandbox.Sandbox // in which commands run; nil: none. It outlives the Box
	JobLimit   int              // commands that may run in the background at once; 0: 8
	JobTimeout time.Duration    // after which one is ended; 0: never
	Jobs       int              // background commands that the conversation had before
	// RecordJob receives the start and the end of each background command, and how many run now. It must not block. nil: it
	// is not called.
	RecordJob func(event conversation.Body, running int)

	Environ     []string // environment of commands before API keys are removed; nil: that of this process
	SecretNames []string // names of further variables to remove: the configured API key variables

	// Instructions are the files of folders that results of the conversation brought, by path.
	Instructions map[string]conversation.InstructionsLoaded
	// ResultNow returns the text of a call's result as the next request carries it; stored is false if the log has no such
	// result yet. nil: results are sent as they were.
	ResultNow func(ctx context.Context, call string) (text string, stored bool)

	// KeepImage scales an image file for the model and stores it. nil: tools show no images.
	KeepImage func(ctx context.Context, name string, file []byte) (conversation.Image, error)

	Todos string // arguments of the last todo_write of the conversation; see [conversation.LastTodos]
	// Writing is held while a file is compared and written. Conversations of one program share it, so that one never overwrites
	// what another just wrote. nil: the Box has its own.
	Writing *sync.Mutex
	// Checkpoints keeps what files have before they are changed; nil keeps nothing.
	Checkpoints *checkpoint.Keeper
}

// permissions are those of the configuration, with what the sandbox confines.
func (o Options) permissions() permission.Config {
	c := o.Permissions
	if c.Confined == nil {
		c.Confined = o.Sandbox.Active
		if c.Whole == nil {
			c.Whole = o.Sandbox.Whole
		}
	}
	return c
}

// minRecallChars is the lowest limit for an answer of recall, in characters.
const minRecallChars = 500

// recallMost returns how many characters an answer of recall may have now.
func (o Options) recallMost() int {
	if o.RecallChars == nil {
		return o.ResultChars()
	}
	return min(o.ResultChars(), max(o.RecallChars(), minRecallChars))
}

// Box holds the tools of one conversation. Its policy decides which calls need approval.
// It is safe for concurrent use.
type Box struct {
	*permission.Policy
	options Options // with the defaults set
	files   *workspace.Files
	jobs    *shell.Jobs
	client  *web.Client
	history *recall.Reader

	tools []tool
	index map[string]int

	asks     atomic.Int64  // questions about commands that run so far
	question chan struct{} // holds a token while one about a host is open

	mu       sync.Mutex // guards what follows
	todos    []Todo
	reviewed map[string]string                          // by call ID, the fingerprint of the reviewed effect, or expectedFailure
	loaded   map[string]conversation.InstructionsLoaded // see Options.Instructions
}

// Skills returns the skills of the conversation.
func (b *Box) Skills() *skill.Library { return b.options.Skills }

// Rewinder brings back files of the workspace; false without checkpoints.
func (b *Box) Rewinder() (r checkpoint.Rewinder, ok bool) {
	if b.options.Checkpoints == nil {
		return r, false
	}
	return checkpoint.Rewinder{Store: b.options.Checkpoints.Store, Files: b.files}, true
}

// Workspace returns the folder that confines the file tools, absolute, with links resolved.
func (b *Box) Workspace() string { return b.files.Dir }

// Jobs are the commands in the background.
func (b *Box) Jobs() *shell.Jobs { return b.jobs }

// Close ends the commands in the background and releases the workspace.
func (b *Box) Close() error {
	b.jobs.Close()
	if err := b.files.Close(); err != nil {
		return fmt.Errorf("close the workspace: %w", err)
	}
	return nil
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
