package config

import (
	"slices"
	"time"

	"plimsoll/compact/preset"
)

// Config holds all settings. [Default] returns the values of keys that are not set. In the field
// tags, `yaml` is the key, `doc` its meaning, and the others are the rules described in check.go.
type Config struct {
	Model       string                    `yaml:"model" title:"Model" doc:"Model to talk to: provider/id, or an id in the catalog. Empty: the first API key found in the environment, then a local server, then the demo model."`
	Fallback    []string                  `yaml:"fallback" title:"Models if that one fails" check:"text" doc:"Models that a turn goes on with, in this order, where the model has no capacity or no credit: provider/id. Empty: the turn fails."`
	Providers   map[string]Provider       `yaml:"providers" name:"NAME" names:"word" doc:"Endpoints by name: your own, or changes to the built-in ones (openai, anthropic, gemini, openrouter, deepseek, mistral, xai, groq, ollama, lmstudio, llamacpp, vllm)."`
	Models      map[string]RequestOptions `yaml:"models" name:"NAME" names:"text" doc:"What requests to a model ask besides, by its name (provider/id, or the id at any provider)."`
	Discovery   Discovery                 `yaml:"discovery"`
	Context     Context                   `yaml:"context"`
	Compaction  Compaction                `yaml:"compaction"`
	OnDemand    OnDemand                  `yaml:"tools" only:"defer,defer_ratio"`
	Tools       map[string]Tool           `yaml:"tools" name:"NAME" names:"word" doc:"Settings of single tools."`
	ToolResults ToolResults               `yaml:"tool_results"`
	Permissions Permissions               `yaml:"permissions"`
	MCP         map[string]MCPServer      `yaml:"mcp" name:"SERVER" names:"word" doc:"MCP servers (Model Context Protocol). Their tools are named mcp__SERVER__TOOL."`
	Hooks       Hooks                     `yaml:"hooks"`
	Skills      Skills                    `yaml:"skills"`
	Commands    Commands                  `yaml:"commands"`
	Agents      Agents                    `yaml:"agents"`
	Tasks       Tasks                     `yaml:"tasks"`
	Jobs        Jobs                      `yaml:"jobs"`
	Checkpoints Checkpoints               `yaml:"checkpoints"`
	Images      Images                    `yaml:"images"`
	UI          UI                        `yaml:"ui"`
	Log         Log                       `yaml:"log"`
}

// Discovery holds how Plimsoll may find a model by itself.
type Discovery struct {
	Local bool `yaml:"local" doc:"Ask the usual local ports (Ollama, LM Studio, llama.cpp, vLLM) for a model when no key is found. PLIMSOLL_NO_PROBE=1 turns it off too."`
}

// Context holds the size of the context window, if the user sets it, and how the provider's cache of it is kept.
type Context struct {
	Window   int  `yaml:"window" title:"Context window" doc:"Size of the context window in tokens; 0 = discovered (server, catalog, or learned from the first refused request)."`
	KeepWarm bool `yaml:"keep_warm" title:"Keep the cache warm" doc:"Keep the provider's cache warm in a pause, where your pauses make it likely to pay: before the cache expires the newest request is sent again for one token of reply, at most twice in a pause. The gauge says so, and what it cost."`
}

// ToolResults limits how much of a tool's output is shown to the model, and how much is stored.
type ToolResults struct {
	MaxChars int  `yaml:"max_chars" check:"chars" doc:"Characters of one tool result shown to the model; the rest is cut with a marker. auto = 30000, under preset plimsoll as many as the context window has tokens where that is more."`
	KeepFull bool `yaml:"keep_full" doc:"Keep the full text of results that were cut, for recall and the expanded view."`
	Ceiling  Size `yaml:"ceiling" doc:"Largest full text kept for one result; a number of bytes, or a size such as 512KiB or 8MiB."`
}

// Permissions holds which tool calls run without asking. A workspace file may tighten it, never loosen it.
type Permissions struct {
	Mode             string   `yaml:"mode" title:"Permission mode" enum:"plan,ask,edits,auto,yolo" alias:"auto-edit=edits" doc:"plan = read only; ask = ask before changes and commands; edits = file edits without asking; auto = also commands that the sandbox confines; yolo = everything without asking."`
	Allow            []string `yaml:"allow" title:"Allowed without asking" check:"text" doc:"Calls allowed without asking, each a tool name or TOOL(PATTERN)."`
	Deny             []string `yaml:"deny" title:"Never allowed" check:"text" doc:"Calls never allowed, each a tool name or TOOL(PATTERN); wins over allow. A workspace file adds to this list."`
	Sandbox          string   `yaml:"sandbox" title:"Sandbox for commands" enum:"auto,workspace,read-only,off" doc:"Commands of the model are confined: workspace = they write the workspace, a temporary folder and write; read-only = only a temporary folder; auto = workspace as far as the system can; off = not at all. With workspace and read-only a command does not run where the system cannot."`
	Network          string   `yaml:"network" title:"Network for commands" enum:"off,ask,on" doc:"What commands in the sandbox reach: off = only hosts of hosts; ask = those, and others after a question for each; on = everything."`
	Hosts            []string `yaml:"hosts" title:"Hosts reached without a question" check:"text" doc:"Hosts that commands in the sandbox reach without a question, such as proxy.golang.org or *.npmjs.org; without a port, 80 and 443."`
	Write            []string `yaml:"write" title:"Commands may also write" check:"text" doc:"Files and folders that commands in the sandbox may write besides the workspace; ~/ is the home folder, and $NAME at the beginning the value of a variable. Unset = the caches of compilers and package managers (config.yaml.example)."`
	Secrets          []string `yaml:"secrets" title:"Commands may not read" check:"text" doc:"Files and folders that commands in the sandbox may not read, besides known places of keys. A workspace file adds to this list."`
	PrivateAddresses []string `yaml:"private_addresses" title:"Private addresses that may be reached" check:"host" doc:"Hosts, addresses or networks (CIDR) that commands and http_request may reach although they are loopback, link-local or private."`
}

// caches are what commands in the sandbox may write unless permissions.write says otherwise: compilers and package managers do
// not work without. A folder that does not exist is made if the program that fills it is there, else passed over, and so is that
// of a variable that is not set.
var caches = []string{"~/.cache", "~/.npm", "~/.yarn", "~/.bun/install/cache", "~/.local/share/pnpm/store", "~/go/pkg", "~/.cargo/registry", "~/.cargo/git",
	"~/.m2/repository", "~/.gradle/caches", "~/.gradle/daemon", "~/.gradle/wrapper", "~/.ivy2/cache", "~/.nuget/packages", "~/.pub-cache/hosted",
	"~/.ccache", "~/.stack", "~/.cabal/packages", "~/Library/Caches", "$GOCACHE", "$GOMODCACHE", "$GOPATH/pkg", "$npm_config_cache", "$CARGO_HOME/registry",
	"$CARGO_HOME/git", "$CCACHE_DIR", "$PIP_CACHE_DIR", "$UV_CACHE_DIR", "$XDG_CACHE_HOME/go-build", "$XDG_CACHE_HOME/ccache",
	"$XDG_CACHE_HOME/pip", "$XDG_CACHE_HOME/uv"}

// OnDemand decides which tools of servers requests declare, and which the model looks up.
type OnDemand struct {
	Defer      string  `yaml:"defer" enum:"auto,always,never" doc:"Whether the model looks up the tools of servers by find_tools in place of having all of them declared: auto = where their declarations would take more than defer_ratio of the window."`
	DeferRatio float64 `yaml:"defer_ratio" check:"ratio" doc:"Share of the window that declarations of tools may take before those of servers are looked up."`
}

// MCPServer is an MCP server: a program that is started, or an address.
type MCPServer struct {
	Command  []string      `yaml:"command" check:"text" doc:"Program to start, with its arguments; it talks over its standard input and output."`
	URL      string        `yaml:"url" check:"url" doc:"Address of a server that is reached over HTTP, in place of command."`
	Env      Headers       `yaml:"env" name:"NAME" names:"env" doc:"Environment variables of the program, besides PATH, HOME and the like; a value that begins with $ is the variable of that name. No other key reaches it."`
	Headers  Headers       `yaml:"headers" name:"NAME" names:"header" doc:"Headers of requests; a value that begins with $ is the environment variable of that name."`
	Auth     string        `yaml:"auth" enum:",oauth,none" doc:"oauth = log in by the browser when the server asks for it; empty or none = only the headers."`
	Tools    ToolChoice    `yaml:"tools"`
	Approval string        `yaml:"approval" enum:",allow,ask,deny" doc:"Whether calls of its tools run, ask or are refused; empty = the permission mode decides, and asks."`
	Sampling bool          `yaml:"sampling" doc:"true lets the server ask the model in use; each time you are shown the question and the price first."`
	Timeout  time.Duration `yaml:"timeout" doc:"How long starting it, and a call without progress, may take; 0 = 30 seconds."`
	Enabled  *bool         `yaml:"enabled" doc:"false leaves the server out; unset = enabled."`
	Confinement
	OfWorkspace bool // a file of the workspace names the program, or something that it gets
}

// Confinement is what a program of a server, or of a hook, is kept from. What is empty depends on whose it is: docs/sandbox.md.
type Confinement struct {
	Sandbox string   `yaml:"sandbox" enum:",home,workspace,read-only,off" doc:"What its program is confined to: workspace = as commands of the model; home = it reads the home folder besides, without the known places of keys; read-only = it writes only a temporary folder; off = not at all. Empty = home, and workspace where the workspace names it."`
	Network string   `yaml:"network" enum:",off,on" doc:"What its program reaches from the sandbox: off = only permissions.hosts, by a proxy; on = everything. Empty = on, and off where the workspace names it."`
	Write   []string `yaml:"write" check:"text" doc:"Files and folders that its program may write besides those of permissions.write."`
}

// ToolChoice names the tools of a server that the model may use.
type ToolChoice struct {
	Allow []string `yaml:"allow" check:"text" doc:"The only tools of the server that the model is given; empty = all."`
	Deny  []string `yaml:"deny" check:"text" doc:"Tools of the server that the model is not given."`
}

// Hooks are commands of the user that run at moments of a conversation. Those of all files add up.
type Hooks struct {
	BeforeTool       []Hook `yaml:"before_tool" doc:"Commands that run before a tool does, each {match, command, timeout, sandbox, network, write}. A command gets JSON on its standard input; exit status 2 refuses the call, with what it wrote on standard error as the reason."`
	AfterTool        []Hook `yaml:"after_tool" doc:"The same after a tool ran; what the command writes on its standard output is added to the result."`
	Message          []Hook `yaml:"message" doc:"The same when a message is sent; it may refuse the message, or add to it."`
	BeforeCompaction []Hook `yaml:"before_compaction" doc:"The same before a compaction; it may refuse it, or name what the summary has to keep."`
	AfterCompaction  []Hook `yaml:"after_compaction" doc:"The same after a compaction, to take note of it."`
	TurnEnd          []Hook `yaml:"turn_end" doc:"The same at the end of a turn, to take note of it."`
}

// Hook is a command that runs at a moment of a conversation.
type Hook struct {
	Match   string        `yaml:"match"` // a tool, with * for any characters; empty matches all
	Command string        `yaml:"command" check:"text"`
	Timeout time.Duration `yaml:"timeout"` // 0: 10 seconds
	Confinement
	OfWorkspace bool // it stands in a file of the workspace
}

// Skills are folders with instructions that the model loads when it needs them.
type Skills struct {
	Enabled bool     `yaml:"enabled" doc:"Offer the model the skills found: those of the user, and of .plimsoll/skills, .agents/skills and .claude/skills in the workspace."`
	Folders []string `yaml:"folders" check:"text" doc:"Further folders with skills, each a folder with a SKILL.md."`
}

// Checkpoints are what files had before tools changed them.
type Checkpoints struct {
	Enabled bool          `yaml:"enabled" doc:"Keep what a file has before a tool changes it, so that /rewind can bring it back."`
	Keep    time.Duration `yaml:"keep" doc:"How long it is kept; 0 = without limit."`
	Budget  Size          `yaml:"budget" doc:"Most that all of it together takes on disk; beyond it the oldest goes first."`
}

// Commands are slash commands of the user's own.
type Commands struct {
	Folders []string `yaml:"folders" check:"text" doc:"Further folders with commands, each a Markdown file; besides the user's own folder, and .plimsoll/commands and .claude/commands in the workspace."`
}

// Agents are agents of the user's own, which tasks can be given to.
type Agents struct {
	Folders []string `yaml:"folders" check:"text" doc:"Further folders with agents, each a Markdown file; besides the user's own folder, and .plimsoll/agents and .claude/agents in the workspace."`
}

// Tasks bounds the conversations that the model starts for parts of the work.
type Tasks struct {
	Parallel int    `yaml:"parallel" min:"1" doc:"Tasks that may run at once."`
	Model    string `yaml:"model" check:"text" doc:"Model of tasks: same = that of the conversation, or provider/id."`
	Window   int    `yaml:"window" check:"chars" doc:"Context window of tasks in tokens; auto = that of the model."`
}

// Jobs bounds the commands that go on in the background.
type Jobs struct {
	Limit   int           `yaml:"limit" min:"1" doc:"Commands that may run in the background at once."`
	Timeout time.Duration `yaml:"timeout" doc:"How long one may run before it is ended; 0 = until the conversation is left."`
}

// Images holds how images are attached to messages.
type Images struct {
	MaxSide int    `yaml:"max_side" check:"chars" doc:"Longest side of an image in pixels, to which a larger one is scaled when it is attached. auto = what the model looks at: 1568 for Claude and on the Messages wire, else 2048."`
	Draw    string `yaml:"draw" enum:"auto,kitty,blocks,never" doc:"How images are drawn: kitty = by the kitty graphics protocol; blocks = in half blocks, with two colors a character; auto = kitty in kitty and Ghostty, elsewhere a line with name, size and weight; never = that line. In tmux, kitty needs allow-passthrough."`
}

// UI holds the appearance of the screen, notifications and key bindings.
type UI struct {
	Theme           string          `yaml:"theme" title:"Theme" check:"theme" doc:"auto (asks the terminal), light, dark, the name of a theme, or the path of a theme file."`
	Mouse           bool            `yaml:"mouse" title:"Mouse" doc:"Use the mouse for scrolling and selecting; otherwise the terminal has it."`
	Motion          string          `yaml:"motion" title:"Motion of the gauge" enum:"auto,on,off" doc:"Whether the gauge moves for 300 ms when a compaction lands: auto = unless over SSH."`
	Panel           string          `yaml:"panel" title:"Panel at the right" enum:"auto,on,off" doc:"The panel at the right of the chat, with what fills the window and what changed: auto = from 150 columns, on = from 110, off = only after its key."`
	Vim             bool            `yaml:"vim" title:"Keys of vi" doc:"The keys of vi in the composer: Esc leaves insert mode, then does what it does in the chat."`
	StatusCommand   string          `yaml:"status_command" title:"Command for the bottom line" doc:"A shell command whose first line of output stands at the bottom in place of the hints; empty = the hints. It runs in the workspace when a conversation opens and when a turn or a compaction ends, for at most 5 seconds, and reads PLIMSOLL_MODEL, _MODE, _USED and _WINDOW (tokens), _COST (US dollars), _TITLE and _CONVERSATION."`
	LeaveTranscript bool            `yaml:"leave_transcript" title:"Leave the last exchange on exit" doc:"Leave the last exchange in the terminal's scrollback on exit."`
	Titles          string          `yaml:"titles" title:"Who names conversations" enum:"model,first-line" doc:"Who names a conversation: model = the model, after the first turn, in one small request (no model on your own machines, whose cache it would displace, and none without known prices), first-line = the first line of your first message, which also stands until the model's title is there."`
	Notify          string          `yaml:"notify" title:"Notifications" enum:"auto,bell,off" doc:"How Plimsoll calls you when the terminal has no focus and a turn of 10 seconds or more ends, a turn fails, or a question waits: auto = a desktop notification where the terminal is known to show one, else the bell; bell = the bell; off = not at all."`
	Keys            map[string]Keys `yaml:"keys" name:"ACTION" names:"word" doc:"Other keys for an action: one key or a list; an empty list unbinds it."`
}

// Keys are the keys bound to one action, such as "ctrl+k". In the file, a single key may be written without a list.
type Keys []string

// Log holds the level of plimsoll.log.
type Log struct {
	Level string `yaml:"level" enum:"debug,info,warn,error" doc:"Least serious kind of line written to the log file."`
}

// Default returns the configuration without any file. Callers may change the result: no two calls share a map or
// slice.
func Default() Config {
	return Config{
		Discovery:   Discovery{Local: true},
		Compaction:  Compaction{Values: preset.DefaultRules().Values},
		ToolResults: ToolResults{KeepFull: true, Ceiling: 8 << 20},
		Permissions: Permissions{Mode: "ask", Sandbox: "auto", Network: "ask", Write: slices.Clone(caches)},
		UI:          UI{Theme: "auto", Mouse: true, Motion: "auto", Panel: "auto", Titles: "model", Notify: "auto"},
		Log:         Log{Level: "info"},
		OnDemand:    OnDemand{Defer: "auto", DeferRatio: 0.1},
		Skills:      Skills{Enabled: true},
		Tasks:       Tasks{Parallel: 3, Model: "same"},
		Images:      Images{Draw: "auto"},
		Jobs:        Jobs{Limit: 8, Timeout: time.Hour},
		Checkpoints: Checkpoints{Enabled: true, Keep: 90 * 24 * time.Hour, Budget: 1e9},
	}
}
