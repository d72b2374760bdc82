package session

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/mcp"
)

// The MCP servers belong to the program, not to a conversation: they go on while one conversation is left for another. Rules:
//
//   - They start with the first message of a conversation, and end with the program.
//   - Another configuration, of another conversation or after a reload, ends them; they start anew with the next message.
//   - What happens to them is an event of the conversation that is open.

// Servers are the MCP servers of this run.
type Servers struct {
	mu      sync.Mutex // guards what follows
	client  *mcp.Servers
	configs []mcp.Config
	running *Running         // the conversation that is open
	broken  map[string]error // by server, why it is not started
}

// open returns the servers for a conversation, whose configuration decides which there are.
func (s *Servers) open(r *Running) tools.Servers {
	settings := r.Agents.Settings
	configs, broken := settings.ServerConfigs(r.InitialConfig)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = broken
	if len(configs) == 0 && s.client == nil {
		if len(broken) == 0 {
			return nil
		}
		return &serversOf{servers: s, running: r}
	}
	if old := s.client; old != nil && !reflect.DeepEqual(configs, s.configs) {
		s.client = nil
		s.mu.Unlock() // what the servers ask on their way out needs it
		if err := old.Close(); err != nil {
			r.Agents.Resources.Logger().Warn("MCP servers", "error", err)
		}
		s.mu.Lock()
	}
	if s.client == nil && len(configs) > 0 {
		if s.configs == nil {
			r.Agents.Resources.OnClose(func(context.Context) error { return s.close() })
		}
		s.configs = configs
		s.client = mcp.New(configs, mcp.Options{Dir: settings.Workspace, Environ: r.Agents.Console.Environ, Changed: s.noteChange,
			Browse: s.browse, Tokens: settings.ServerLogins(), Elicit: s.elicit, Sample: s.sample,
			Confine: r.Agents.Resources.ServerPrograms(r.InitialConfig)})
	}
	return &serversOf{servers: s, running: r}
}

// attach makes r the conversation that records what happens to the servers.
func (s *Servers) attach(r *Running) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = r
}

// detach ends attach, unless another conversation was opened since.
func (s *Servers) detach(r *Running) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == r {
		s.running = nil
	}
}

func (s *Servers) close() error {
	s.mu.Lock()
	client := s.client
	s.client = nil
	s.mu.Unlock()
	if client == nil {
		return nil
	}
	return client.Close()
}

func (s *Servers) current() *mcp.Servers {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// noteChange records in the open conversation that a server ended, or offers other tools.
func (s *Servers) noteChange(server string) {
	s.mu.Lock()
	client, r := s.client, s.running
	s.mu.Unlock()
	if client == nil || r == nil {
		return
	}
	for _, state := range client.States() {
		if state.Name == server {
			r.Agent.Record(eventOf(client, state))
		}
	}
}

// browse opens the page on which the user logs in to a server. The address is also shown, for a machine without a browser.
func (s *Servers) browse(ctx context.Context, url string) error {
	s.mu.Lock()
	r := s.running
	s.mu.Unlock()
	if r != nil {
		r.Agent.AddNotice("An MCP server asks you to log in: " + url)
	}
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	_ = exec.CommandContext(ctx, program, url).Run() // the notice has the address
	return nil
}

func eventOf(client *mcp.Servers, state mcp.State) conversation.MCPServer {
	e := conversation.MCPServer{Server: state.Name, State: string(state.Phase), Version: state.Version, Tools: state.Tools, Error: state.Error}
	if client == nil {
		return e
	}
	for _, t := range client.Tools() {
		if t.Server == state.Name {
			e.Size = e.Size.Plus(t.Size())
		}
	}
	return e
}

// ServerState is a server as the user is shown it.
type ServerState struct {
	mcp.State
	Off      bool   // in this conversation
	Confined string // what its program is kept from, in a few words; "" for an address
}

// States lists the servers of a conversation, those that cannot be started included.
func (s *Servers) States(r *Running) []ServerState {
	s.mu.Lock()
	client, broken := s.client, s.broken
	s.mu.Unlock()
	var out []ServerState
	if client != nil {
		for _, state := range client.States() {
			out = append(out, ServerState{State: state, Off: r.serverOff(state.Name)})
		}
	}
	confined := r.Agents.Settings.ServersConfined(r.InitialConfig)
	for name, err := range broken {
		out = append(out, ServerState{State: mcp.State{Name: name, Phase: mcp.Failed, Error: "the server " + name + ": " + err.Error()}})
	}
	for i := range out {
		out[i].Confined = confined[out[i].Name]
	}
	slices.SortFunc(out, func(a, b ServerState) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Restart ends a server and starts it anew.
func (s *Servers) Restart(ctx context.Context, name string) error {
	client := s.current()
	if client == nil {
		return fmt.Errorf("no server %q is running", name)
	}
	return client.Restart(ctx, name)
}

// WriteLog writes the newest lines that a server logged.
func (s *Servers) WriteLog(w io.Writer, name string) {
	if client := s.current(); client != nil {
		for _, line := range client.Log(name) {
			fmt.Fprintln(w, line)
		}
	}
}

func (r *Running) serverOff(name string) bool {
	server, ok := r.Config().MCP[name]
	return ok && server.Enabled != nil && !*server.Enabled
}

// serversOf are the servers as the tools of one conversation call them.
type serversOf struct {
	servers *Servers
	running *Running
	started map[string]bool // the servers whose start this conversation has recorded; used by the goroutine of its agent
}

// Start starts the servers, records each start, and tells the user once of each that did not start.
func (s *serversOf) Start(ctx context.Context) {
	client := s.servers.current()
	if client != nil {
		client.Start(ctx)
	}
	if s.started == nil {
		s.started = map[string]bool{}
	}
	for _, state := range s.servers.States(s.running) {
		if s.started[state.Name] || state.Phase != mcp.Ready && state.Phase != mcp.Failed {
			continue
		}
		s.started[state.Name] = true
		bodies := []conversation.Body{eventOf(client, state.State)}
		if state.Phase == mcp.Failed && !state.Off {
			bodies = append(bodies, conversation.Notice{Level: conversation.NoticeWarning, Text: state.Error + ". /mcp shows the MCP servers"})
		}
		s.running.Agent.Record(bodies...)
	}
}

// Tools lists the tools of the servers that are on in this conversation.
func (s *serversOf) Tools() []tools.ServerTool {
	client := s.servers.current()
	if client == nil {
		return nil
	}
	var out []tools.ServerTool
	for _, t := range client.Tools() {
		if !s.running.serverOff(t.Server) {
			out = append(out, tools.ServerTool(t))
		}
	}
	return out
}

// Call calls a tool.
func (s *serversOf) Call(ctx context.Context, server, tool string, arguments json.RawMessage, progress func(string)) (tools.ServerResult, error) {
	client := s.servers.current()
	if client == nil {
		return tools.ServerResult{}, fmt.Errorf("the server %s is not running", server)
	}
	result, err := client.Call(ctx, server, tool, arguments, progress)
	out := tools.ServerResult{Text: result.Text, IsError: result.IsError}
	for i, data := range result.Images {
		out.Images = append(out.Images, tools.ImageFile{Name: fmt.Sprintf("image %d", i+1), Data: data})
	}
	return out, err
}
