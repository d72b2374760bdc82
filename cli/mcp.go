package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/cli/table"
	"plimsoll/compact/meter"
	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tools/mcp"
)

// mcpCommand shows, tries and configures MCP servers.
type mcpCommand struct{ *app }

func (cmd *mcpCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Show, try and add MCP servers",
		Long: `It works on servers that speak the Model Context Protocol: those of
the configuration (mcp:) and of a trusted .mcp.json in the workspace. In the chat
they start with the first message; /mcp shows them there.`,
		Example: `  plimsoll mcp add files -- npx -y @modelcontextprotocol/server-filesystem .
  plimsoll mcp test files
  plimsoll mcp tools`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(cmd.list(), cmd.add(), cmd.remove(), cmd.start("test"), cmd.start("tools"), cmd.start("log"))
	return c
}

func (cmd *mcpCommand) list() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "list",
		Short: "List the configured servers",
		Long: `List shows each server with what starts it and where it is configured, starts
nothing, and names files of other clients in which servers were found.`,
		Example: "  plimsoll mcp list --json",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(*cobra.Command, []string) error { return cmd.runList(asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write one JSON list")
	return c
}

// listedServer is a server as `mcp list --json` shows it. Values of env and headers are left out: they may be keys.
type listedServer struct {
	Name    string   `json:"name"`
	Command []string `json:"command,omitempty"`
	URL     string   `json:"url,omitempty"`
	Enabled bool     `json:"enabled"`
	Problem string   `json:"problem,omitempty"`
	Sandbox string   `json:"sandbox,omitempty"` // what its program is kept from
}

func (cmd *mcpCommand) runList(asJSON bool) error {
	if err := cmd.Settings.Configure(); err != nil {
		return err
	}
	cmd.Settings.NoteRefused()
	cfg := cmd.Settings.Cfg()
	all := cmd.Settings.MCPServers(cfg)
	_, problems := cmd.Settings.ServerConfigs(cfg)
	confined := cmd.Settings.ServersConfined(cfg)
	rows := []listedServer{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		row := listedServer{Name: name, Command: s.Command, URL: s.URL, Enabled: s.Enabled == nil || *s.Enabled, Sandbox: confined[name]}
		if problems[name] != nil {
			row.Problem = problems[name].Error()
		}
		rows = append(rows, row)
	}
	if asJSON {
		return console.WriteJSON(cmd.Console.Stdout, rows)
	}
	for _, file := range cmd.Settings.ServersFiles() {
		cmd.Console.Note("%s names servers; plimsoll mcp add --from %[1]s takes them over", cmd.Console.Home(file))
	}
	if len(rows) == 0 {
		cmd.Console.Note("no server is configured; plimsoll mcp add NAME -- COMMAND adds one")
		return nil
	}
	var cells [][]string
	for _, r := range rows {
		state := cmp.Or(r.Problem, "on")
		if !r.Enabled {
			state = "off"
		}
		cells = append(cells, []string{plain.Line(r.Name), plain.Line(state), cmp.Or(r.Sandbox, "-"), plain.Line(cmp.Or(r.URL, strings.Join(r.Command, " ")))})
	}
	columns := []table.Column{table.Left("NAME"), table.Left("STATE"), table.Left("SANDBOX"), table.Left("SERVER")}
	return table.Write(cmd.Console.Stdout, cmd.Console.TableWidth(), columns, cells)
}

func (cmd *mcpCommand) add() *cobra.Command {
	var url, from, key string
	var env, headers []string
	oauth := false
	c := &cobra.Command{
		Use:   "add NAME [flags] [-- COMMAND...]",
		Short: "Add a server",
		Long: `Add writes a server into the settings file beside your configuration: a program with
its arguments after --, or an address with --url. --from takes over the servers of
another client's file. --key stores a key, asked for or read from standard input, for
a value $NAME of --env or --header; environment variables win over stored keys.`,
		Example: `  plimsoll mcp add files -- npx -y @modelcontextprotocol/server-filesystem .
  plimsoll mcp add tracker --url https://tracker.example.com/mcp --oauth
  plimsoll mcp add x --url https://x.example.com/mcp --header 'X-Key=$X_KEY' --key X_KEY
  plimsoll mcp add --from ~/.claude.json`,
		Args: usageArgs(cobra.ArbitraryArgs),
		RunE: func(c *cobra.Command, args []string) error {
			if from != "" {
				return cmd.takeOver(from, args)
			}
			if len(args) == 0 || !config.IsWord(args[0]) || url == "" == (len(args) == 1) {
				return console.AsUsage(console.WithHint(errors.New("a server needs a name, and either a command after -- or --url"),
					"plimsoll mcp add --help has examples"))
			}
			server := config.MCPServer{URL: url, Command: args[1:], Env: config.Headers{}, Headers: config.Headers{}}
			if oauth {
				server.Auth = "oauth"
			}
			if err := errors.Join(addPairs("env", env, server.Env), addPairs("header", headers, server.Headers)); err != nil {
				return console.AsUsage(err)
			}
			if key != "" {
				secret, err := readKey(c.Context(), cmd.Console, plain.Line(key))
				if err == nil {
					_, err = cmd.Settings.Keys().Set(setup.ServerKey(key), secret)
				}
				if err != nil {
					return err
				}
			}
			return cmd.save(map[string]config.MCPServer{args[0]: server})
		},
	}
	f := c.Flags()
	f.StringVar(&url, "url", "", "address of a server over HTTP")
	f.StringArrayVar(&env, "env", nil, "NAME=VALUE for the program; $NAME names a variable")
	f.StringArrayVar(&headers, "header", nil, "NAME=VALUE for requests; $NAME names a variable")
	f.BoolVar(&oauth, "oauth", false, "log in by the browser when the server asks for it")
	f.StringVar(&key, "key", "", "store a key under this name")
	f.StringVar(&from, "from", "", "take over the servers of another client's file")
	return c
}

// addPairs adds the values NAME=VALUE of a flag to a table.
func addPairs(flag string, pairs []string, to config.Headers) error {
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("--%s needs NAME=VALUE", flag)
		}
		to[name] = value
	}
	return nil
}

// takeOver adds the servers of another client's file: all, or those named.
func (cmd *mcpCommand) takeOver(path string, names []string) error {
	path = cmd.Console.Expand(path, "")
	found, err := setup.ReadServers(path)
	if err != nil {
		return err
	}
	maps.DeleteFunc(found, func(name string, _ config.MCPServer) bool { return len(names) > 0 && !slices.Contains(names, name) })
	if len(found) == 0 {
		return fmt.Errorf("%s names no such server", cmd.Console.Home(path))
	}
	for _, s := range found {
		for _, values := range []config.Headers{s.Env, s.Headers} {
			for key, value := range values { // other clients write ${NAME} for a variable
				if inside, ok := strings.CutPrefix(value, "${"); ok {
					values[key] = "$" + strings.TrimSuffix(inside, "}")
				}
			}
		}
	}
	return cmd.save(found)
}

// save writes servers into the settings file.
func (cmd *mcpCommand) save(servers map[string]config.MCPServer) error {
	set := map[string]string{}
	for name, s := range servers {
		at := func(keys ...string) string { return config.Path(append([]string{"mcp", name}, keys...)...) }
		if s.URL != "" {
			set[at("url")] = config.YAMLText(s.URL)
		} else {
			set[at("command")] = config.YAMLList(s.Command)
		}
		if s.Auth != "" {
			set[at("auth")] = s.Auth
		}
		for table, values := range map[string]config.Headers{"env": s.Env, "headers": s.Headers} {
			for key, value := range values {
				set[at(table, key)] = config.YAMLText(value)
			}
		}
	}
	path, err := config.SaveSettings(config.LoadOptions{Env: cmd.Console.Lookup, File: cmd.Settings.Flags.Config}, set)
	if err != nil {
		return console.AsUsage(err)
	}
	fmt.Fprintf(cmd.Console.Stdout, "Added %s to %s. plimsoll mcp test tries what was added.\n",
		plain.Line(strings.Join(slices.Sorted(maps.Keys(servers)), ", ")), cmd.Console.Text(cmd.Console.Home(path)))
	return nil
}

func (cmd *mcpCommand) remove() *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a server that was added",
		Long: `Remove deletes a server from the settings file beside your configuration. One of
your own file is yours to delete; mcp.NAME.enabled: false leaves it out.`,
		Example: "  plimsoll mcp remove files",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			path, removed, err := config.RemoveSettings(config.LoadOptions{Env: cmd.Console.Lookup, File: cmd.Settings.Flags.Config},
				"mcp", args[0])
			if err == nil && !removed {
				err = console.WithHint(fmt.Errorf("%s has no server %q", cmd.Console.Home(path), args[0]),
					"plimsoll mcp list shows all; delete one of your configuration there")
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.Console.Stdout, "Removed %s from %s.\n", plain.Line(args[0]), cmd.Console.Text(cmd.Console.Home(path)))
			return nil
		},
	}
}

// start is a command that starts servers: test says whether they work, tools lists what they offer, log shows what they write.
func (cmd *mcpCommand) start(use string) *cobra.Command {
	about := map[string][2]string{
		"test": {"Start servers and say whether they work",
			"Test starts each server, or the one named, and says what it offers. It ends with 1\nif one fails."},
		"tools": {"List the tools of the servers",
			"Tools starts each server, or the one named, and lists its tools with the tokens that\ntheir declarations take of every request."},
		"log": {"Show what a server writes when it starts",
			"Log starts a server and shows what it wrote to its standard error and logged."},
	}[use]
	asJSON := false
	c := &cobra.Command{
		Use: use + " [NAME]", Short: about[0], Long: about[1], Example: "  plimsoll mcp " + use + " files",
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return cmd.runStart(c.Context(), use, args, asJSON) },
	}
	if use == "tools" {
		c.Flags().BoolVar(&asJSON, "json", false, "write one JSON list")
	}
	return c
}

// listedTool is a tool as `mcp tools --json` shows it.
type listedTool struct {
	Server      string `json:"server"`
	Name        string `json:"name"`
	FullName    string `json:"full_name"`
	Description string `json:"description"`
	Tokens      int    `json:"tokens"`
}

func (cmd *mcpCommand) runStart(ctx context.Context, use string, args []string, asJSON bool) (err error) {
	if err := cmd.Settings.Configure(); err != nil {
		return err
	}
	cmd.Settings.NoteRefused()
	configs, problems := cmd.Settings.ServerConfigs(cmd.Settings.Cfg())
	if len(args) > 0 {
		name := args[0]
		if problems[name] != nil {
			return fmt.Errorf("%s: %w", name, problems[name])
		}
		configs = slices.DeleteFunc(configs, func(c mcp.Config) bool { return c.Name != name })
		problems = nil
		if len(configs) == 0 {
			return console.WithHint(fmt.Errorf("no server %q is configured and enabled", name), "plimsoll mcp list shows all")
		}
	}
	servers := mcp.New(configs, mcp.Options{Dir: cmd.Settings.Workspace, Environ: cmd.Console.Environ,
		Tokens: cmd.Settings.ServerLogins(), Confine: cmd.Resources.ServerPrograms(cmd.Settings.Cfg()),
		Browse: func(_ context.Context, url string) error {
			cmd.Console.Note("log in here: %s", plain.Line(url))
			return nil
		}})
	defer func() { err = errors.Join(err, servers.Close()) }()
	servers.Start(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	failed := len(problems)
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		cmd.Console.Note("%s: %s", name, problems[name])
	}
	for _, state := range servers.States() {
		switch {
		case state.Error != "":
			failed++
			cmd.Console.Note("%s", state.Error)
		case use == "test":
			fmt.Fprintf(cmd.Console.Stdout, "%s works: %s, calls itself %s\n",
				plain.Line(state.Name), numbers.Count(state.Tools, "tool"), plain.Line(state.Version))
		}
		if use == "log" {
			for _, line := range servers.Log(state.Name) {
				fmt.Fprintln(cmd.Console.Stdout, plain.Line(line))
			}
		}
	}
	if use == "tools" {
		if err := cmd.writeTools(servers.Tools(), asJSON); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%s did not start", numbers.Count(failed, "server"))
	}
	return nil
}

func (cmd *mcpCommand) writeTools(all []mcp.Tool, asJSON bool) error {
	rows := []listedTool{}
	var cells [][]string
	for _, t := range all {
		row := listedTool{Server: t.Server, Name: t.Name, FullName: t.FullName, Description: t.Description,
			Tokens: int(meter.Estimate(t.Size()))}
		rows = append(rows, row)
		cells = append(cells, []string{t.FullName, "~" + numbers.Grouped(row.Tokens), conversation.OneLine(t.Description, 100)})
	}
	if asJSON {
		return console.WriteJSON(cmd.Console.Stdout, rows)
	}
	columns := []table.Column{table.Left("TOOL"), table.Right("TOKENS"), table.Left("DESCRIPTION")}
	return table.Write(cmd.Console.Stdout, cmd.Console.TableWidth(), columns, cells)
}
