package setup

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/sandbox"
)

// Commands of the model, MCP servers and hooks run in sandboxes. Rules:
//
//   - Where permissions.sandbox is off, only those servers and hooks are confined whose own configuration says so.
//   - A server or hook of the user's configuration may also read the home folder, and a server the folders that its command
//     names. One of the workspace's configuration is confined as commands are.
//   - A server of the user's configuration has the network. Hooks do not, since they often run what the model wrote.
//   - A program without the network reaches the hosts that the rules allow, and no question is asked about others.
//   - Each server has a sandbox of its own: no command, hook or other server sees its keys.

// sandboxConfig is the configuration of the sandbox of commands.
func (s *Settings) sandboxConfig(cfg config.Config) sandbox.Config {
	rules := cfg.Permissions
	c := sandbox.Config{Mode: sandbox.Mode(rules.Sandbox), Network: sandbox.Network(rules.Network), Workspace: s.Workspace,
		Path: filepath.SplitList(s.Console.Getenv("PATH")), Write: rules.Write, Secrets: rules.Secrets, Own: s.OwnFiles(),
		Helper: s.Console.Self}
	if home := s.Console.Getenv("HOME"); filepath.IsAbs(home) {
		c.Home = filepath.Clean(home)
	}
	c.Write = expandVariables(c.Write, c.Home, s.Console.Getenv)
	return c
}

// Sandbox returns the sandbox in which commands run by a configuration, the same one for the same settings. It is closed at the
// end of the run.
func (r *Resources) Sandbox(cfg config.Config) *sandbox.Sandbox {
	return r.sandbox("commands", r.Settings.sandboxConfig(cfg))
}

// sandbox returns the sandbox of a configuration for a purpose.
func (r *Resources) sandbox(purpose string, c sandbox.Config) *sandbox.Sandbox {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sandboxes == nil {
		r.sandboxes = map[string]*sandbox.Sandbox{}
	}
	key := fmt.Sprintf("%s %+v", purpose, c)
	s := r.sandboxes[key]
	if s == nil {
		s = sandbox.New(c)
		r.sandboxes[key] = s
		r.closers = append(r.closers, func(context.Context) error { return s.Close() })
	}
	return s
}

// expandVariables replaces a variable at the beginning of a path, as in $GOCACHE, by the first folder that it names. It leaves a
// path out if there is none, or if the path would hold the home folder. A variable alone gets a / at its end, so that a
// missing folder is created.
func expandVariables(paths []string, home string, getenv func(string) string) (out []string) {
	for _, path := range paths {
		if rest, ok := strings.CutPrefix(path, "$"); ok {
			name, below, _ := strings.Cut(rest, "/")
			value, _, _ := strings.Cut(getenv(name), string(filepath.ListSeparator))
			path = filepath.Join(value, below)
			if !filepath.IsAbs(value) || path == "/" || strings.HasPrefix(home+"/", path+"/") {
				continue
			}
			if below == "" {
				path += "/"
			}
		}
		out = append(out, path)
	}
	return out
}

// confinement returns the confinement of a server or a hook, with defaults for what its own configuration does not set.
func confinement(cfg config.Config, own config.Confinement, ofWorkspace, isHook bool) config.Confinement {
	all, sandbox, network := cfg.Permissions.Sandbox, "home", "on"
	if ofWorkspace {
		sandbox = "workspace"
	}
	if ofWorkspace || isHook {
		network = "off"
	}
	if all == "off" || all == "read-only" {
		sandbox = all
	}
	own.Sandbox, own.Network = cmp.Or(own.Sandbox, sandbox), cmp.Or(own.Network, network)
	return own
}

// describeConfinement names the sandbox of a program, and its network.
func describeConfinement(c config.Confinement) string {
	if c.Sandbox != "off" && c.Network == "on" {
		return c.Sandbox + ", network"
	}
	return c.Sandbox
}

// programConfig returns the configuration of the sandbox of a program, whose confinement has all defaults filled in.
func (s *Settings) programConfig(cfg config.Config, own config.Confinement) sandbox.Config {
	c := s.sandboxConfig(cfg)
	c.Network, c.Write = sandbox.Network(own.Network), slices.Clone(c.Write)
	switch {
	case own.Sandbox == "off" || own.Sandbox == "read-only":
		c.Mode = sandbox.Mode(own.Sandbox)
	case c.Mode == sandbox.Off:
		c.Mode = sandbox.Auto
	case c.Mode == sandbox.ReadOnly:
		c.Mode = sandbox.Workspace
	}
	if own.Sandbox == "home" {
		c.Read = []string{"~"}
	}
	for _, path := range own.Write {
		c.Write = append(c.Write, path+"/") // with / at the end, a missing folder is created
	}
	return c
}

// ServerPrograms returns a function that prepares the program of a server, in a sandbox of its own.
func (r *Resources) ServerPrograms(cfg config.Config) func(server string) (*sandbox.Program, error) {
	all := r.Settings.MCPServers(cfg)
	return func(name string) (*sandbox.Program, error) {
		reach, err := tools.NetworkByRules(r.networkOptions(cfg))
		if err != nil {
			return nil, err
		}
		server := all[name]
		c := r.Settings.programConfig(cfg, confinement(cfg, server.Confinement, server.OfWorkspace, false))
		if !server.OfWorkspace {
			c.Read = append(c.Read, r.Settings.foldersIn(server.Command)...)
		}
		return sandbox.New(c).Program("mcp."+name+".", reach, true)
	}
}

// foldersIn lists the folders that the words of a command name, and the folders of the files that they name.
func (s *Settings) foldersIn(command []string) (out []string) {
	for _, word := range command {
		if !filepath.IsAbs(word) {
			word = filepath.Join(s.Workspace, word)
		}
		if st, err := os.Stat(word); err == nil && !st.IsDir() {
			word = filepath.Dir(word)
		} else if err != nil {
			continue
		}
		out = append(out, word)
	}
	return out
}

// HookProgram prepares the program of a hook, in a sandbox that it shares with the hooks of the same confinement.
func (r *Resources) HookProgram(cfg config.Config, h config.Hook) (*sandbox.Program, error) {
	reach, err := tools.NetworkByRules(r.networkOptions(cfg))
	if err != nil {
		return nil, err
	}
	own := confinement(cfg, h.Confinement, h.OfWorkspace, true)
	return r.sandbox("hooks", r.Settings.programConfig(cfg, own)).Program("the hook's ", reach, false)
}

func (r *Resources) networkOptions(cfg config.Config) tools.Options {
	o := ToolOptions(r.Settings.Workspace, cfg)
	o.Grants = r.Grants()
	return o
}

// ServersConfined describes the confinement of each server that is a program, by its name.
func (s *Settings) ServersConfined(cfg config.Config) map[string]string {
	out := map[string]string{}
	for name, server := range s.MCPServers(cfg) {
		if len(server.Command) > 0 {
			out[name] = describeConfinement(confinement(cfg, server.Confinement, server.OfWorkspace, false))
		}
	}
	return out
}

// ProgramsConfined lists the servers that are programs, and the hooks, each with its confinement.
func (s *Settings) ProgramsConfined(cfg config.Config) (lines []string) {
	servers := s.ServersConfined(cfg)
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		lines = append(lines, "server "+name+": "+servers[name])
	}
	h := cfg.Hooks
	for i, list := range [][]config.Hook{h.BeforeTool, h.AfterTool, h.Message, h.BeforeCompaction, h.AfterCompaction, h.TurnEnd} {
		moment := []string{"before_tool", "after_tool", "message", "before_compaction", "after_compaction", "turn_end"}[i]
		for _, one := range list {
			lines = append(lines, "hook "+moment+" "+conversation.CommandName(one.Command)+": "+describeConfinement(confinement(cfg, one.Confinement, one.OfWorkspace, true)))
		}
	}
	return lines
}
