package tools

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"

	"plimsoll/conversation"
	"plimsoll/tools/permission"
	"plimsoll/tools/recall"
	"plimsoll/tools/shell"
	"plimsoll/tools/web"
	"plimsoll/tools/workspace"
)

// New opens the workspace and prepares the tools. It fails if the workspace cannot
// be opened, if a permission rule or a private address is invalid, or if an
// approval or tools.NAME.enabled names an unknown tool.
func New(o Options) (*Box, error) {
	client, err := web.New(o.PrivateAddresses, o.Resolver)
	if err != nil {
		return nil, err
	}
	todos, err := restoreTodos(o.Todos)
	if err != nil {
		return nil, err
	}
	if o.ResultChars == nil {
		o.ResultChars = func() int { return conversation.ResultMaxChars }
	}
	o.withOnly()
	files, err := workspace.Open(o.Workspace)
	if err != nil {
		return nil, err
	}
	o.Writing, o.DeferRatio = cmp.Or(o.Writing, &sync.Mutex{}), cmp.Or(o.DeferRatio, 0.1)
	b := &Box{
		options: o, files: files, todos: todos, client: client, history: recall.New(o.Archive, o.recallMost), question: make(chan struct{}, 1),
		index: map[string]int{}, reviewed: map[string]string{}, loaded: map[string]conversation.InstructionsLoaded{},
	}
	files.SetOwn(o.Own)
	maps.Copy(b.loaded, o.Instructions)
	environ := o.Environ
	if environ == nil {
		environ = os.Environ()
	}
	b.jobs = shell.NewJobs(shell.Options{Network: b.openNetwork, Dir: files.Dir, Env: shell.Environment(environ, o.SecretNames), Ceiling: o.Ceiling, ResultChars: o.ResultChars,
		Limit: o.JobLimit, Timeout: o.JobTimeout, Earlier: o.Jobs, Sandbox: o.Sandbox, Outside: b.mayRunOutside, Record: o.RecordJob})
	all, err := b.withCommands(b.all(), o.Commands)
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	known := make([]permission.Tool, len(all))
	for i, t := range all {
		known[i] = permission.Tool{Name: t.name, Access: t.access}
	}
	known = append(known, permission.Tool{Name: permission.Network, Access: permission.AccessNetwork})
	if b.options.Servers != nil {
		known = append(known, permission.Tool{Name: conversation.ToolFindTools})
	}
	b.Policy, err = permission.New(o.permissions(), known, files.Dir, o.Grants)
	for _, name := range o.Disabled {
		if err == nil && !slices.ContainsFunc(all, func(t tool) bool { return t.name == name }) {
			err = fmt.Errorf("tools.%s.enabled: %w", name, permission.NoTool(name, known))
		}
	}
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	for _, t := range all {
		offered := !slices.Contains(o.Disabled, t.name) && (o.Only == nil || slices.Contains(o.Only, t.name))
		switch t.name {
		case loadSkillName:
			offered = offered && len(o.Skills.Offered()) > 0
		case conversation.ToolTask:
			offered = offered && o.Tasks != nil
		}
		if offered {
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
		b.searchHistory(), b.compact(), b.loadSkill(), b.task(),
	}
}

// withCommands adds the command tools. Errors: a name that is taken, and those of a command.
func (b *Box) withCommands(all []tool, commands []CommandTool) ([]tool, error) {
	for _, c := range commands {
		if c.Name == permission.Network || slices.ContainsFunc(all, func(t tool) bool { return t.name == c.Name }) {
			return nil, fmt.Errorf("tools.%s.command: %s is built in; choose another name", c.Name, c.Name)
		}
		t, err := b.commandTool(c)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}
