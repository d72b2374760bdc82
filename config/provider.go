package config

import "time"

// Provider is one endpoint. Empty fields of a built-in provider keep the built-in value.
type Provider struct {
	BaseURL    string           `yaml:"base_url" check:"url" doc:"Address up to and without /chat/completions or /messages, such as http://localhost:8080/v1."`
	APIKeyEnv  string           `yaml:"api_key_env" check:"env" doc:"Name of the environment variable that holds the key; the key itself is never in a file."`
	KeyCommand []string         `yaml:"key_command" check:"text" doc:"Program with its arguments that prints a key, for keys that expire. It runs without a shell, within 10 seconds; the key stays in memory."`
	KeyTTL     time.Duration    `yaml:"key_ttl" doc:"How long a key of key_command is used; 0 = until the server refuses it."`
	Headers    Headers          `yaml:"headers" name:"HEADER" names:"header" check:"header" doc:"Further HTTP headers for every request. Values are hidden wherever the configuration is printed."`
	Wire       string           `yaml:"wire" enum:",chat,responses,messages" doc:"Protocol: chat = chat completions, responses = the Responses API, messages = Anthropic's Messages API; empty = what the provider and the model need."`
	Body       Body             `yaml:"body" check:"body" doc:"Fields merged into the body of every request, such as temperature, service_tier or chat_template_kwargs. What Plimsoll sets itself is refused."`
	Models     map[string]Model `yaml:"models" name:"ID" names:"text" doc:"What is known about single models; wins over the catalog."`
}

// RequestOptions holds additional fields of the requests to one model.
type RequestOptions struct {
	Body Body `yaml:"body" check:"body" doc:"Fields merged into the body of requests to the model; wins over those of its provider."`
}

// Body holds fields of a request's JSON body.
type Body map[string]any

// maxBody is the largest Body in bytes of JSON. It is small because every request records it.
const maxBody = 4 << 10

// reservedFields are the fields of requests that Plimsoll sets itself, each with the hint for the user.
var reservedFields = map[string]string{
	"model": "--model chooses it", "messages": "they are the conversation", "input": "it is the conversation", "instructions": "they are the system prompt",
	"system": "it is the system prompt", "tools": "they are recorded with the conversation", "functions": "tools are recorded with the conversation",
	"stream": "replies are always streamed", "stream_options": "usage is always asked for", "n": "one reply is read",
	"max_tokens": "set max_output of the model", "max_completion_tokens": "set max_output of the model", "max_output_tokens": "set max_output of the model",
	"store": "nothing is stored at the provider", "include": "reasoning is always asked for", "previous_response_id": "nothing is stored at the provider",
	"conversation": "nothing is stored at the provider", "background": "replies are always streamed",
	"prompt_cache_key": "it names the conversation", "prompt_cache_retention": "set cache_ttl of the model", "cache_control": "set cache_ttl of the model",
	"return_progress": "it is asked for where the server can tell", "logprobs": "nothing reads them",
	"context_management": "Plimsoll compacts the conversation", "truncation": "the server would cut the conversation unseen",
	"transforms": "the server would cut the conversation unseen", "truncate_prompt_tokens": "the server would cut the conversation unseen",
	"tool_choice": "the model decides what it calls", "function_call": "the model decides what it calls",
	"prompt": "it would replace the system prompt", "betas": "set the header anthropic-beta of the provider",
}

// Model holds the user's settings of one model. A zero field is discovered from the server or the catalog.
type Model struct {
	ContextWindow int           `yaml:"context_window" doc:"Context window in tokens; 0 = discovered."`
	MaxInput      int           `yaml:"max_input" doc:"Largest request in tokens, if smaller than the window; 0 = the window."`
	MaxOutput     int           `yaml:"max_output" doc:"Largest reply in tokens, sent with each request as its limit; 0 = from the catalog, and nothing is sent."`
	Effort        string        `yaml:"effort" title:"How much it reasons" enum:",none,minimal,low,medium,high,xhigh,max" doc:"How much the model reasons; empty = the model decides. Not every model knows every level."`
	Prices        Prices        `yaml:"prices"`
	CacheTTL      time.Duration `yaml:"cache_ttl" doc:"How long the provider keeps a cached prefix after its last use. Claude is asked for 5m, or for an hour from 1h on, at twice the price of input; unset, the cheaper one is chosen by your pauses. Of others it is assumed: 5m where writing costs 1.25 times the input (OpenAI: 30m), else an hour."`
}

// Prices are in US dollars per million tokens. nil means unknown; 0 means free.
type Prices struct {
	Input      *float64 `yaml:"input" doc:"Dollars per million input tokens."`
	Cached     *float64 `yaml:"cached" doc:"Dollars per million input tokens read from the provider's cache."`
	CacheWrite *float64 `yaml:"cache_write" doc:"Dollars per million input tokens written to the provider's cache."`
	Output     *float64 `yaml:"output" doc:"Dollars per million output tokens."`
}

// Tool holds the user's settings of one tool. Nil and empty fields inherit from the tool's own defaults or the profile.
type Tool struct {
	Enabled     *bool    `yaml:"enabled" doc:"false takes the tool away from the model; unset = enabled."`
	Approval    string   `yaml:"approval" enum:",allow,ask,deny" doc:"Whether a call runs, asks or is refused; empty = the permission mode decides."`
	Compaction  Hints    `yaml:"compaction"`
	Identifiers []string `yaml:"identifiers" check:"text" doc:"Arguments that tell calls of this tool apart; unset = the tool's own."`
	Exempt      *bool    `yaml:"exempt" doc:"true keeps the tool's results from ever being masked, and its calls from being stripped unless a hint says so; unset = the tool's own default."`

	Command     string               `yaml:"command" doc:"Makes a tool of your own of a shell command, with {NAME} for each parameter. The argument is quoted as one word; a word whose argument is not given is left out."`
	Description string               `yaml:"description" doc:"What the model is told of your tool; empty = the command."`
	Parameters  map[string]Parameter `yaml:"parameters" name:"PARAMETER" names:"word" doc:"Arguments that the model may give to your tool."`
	Timeout     time.Duration        `yaml:"timeout" doc:"How long your tool may run; 0 = 2 minutes."`
}

// Parameter is an argument of a tool of the user's own.
type Parameter struct {
	Type        string   `yaml:"type" enum:",string,integer,boolean,array" doc:"What the argument is, an array of strings; empty = string."`
	Description string   `yaml:"description" doc:"What the model is told of it."`
	Required    bool     `yaml:"required" doc:"Whether a call must give it."`
	Enum        []string `yaml:"enum" check:"text" doc:"The only values allowed; unset = any."`
	Flag        string   `yaml:"flag" doc:"Option written in front of the value, such as --filter or --filter=; of a boolean, in place of the value true."`
}

// Hints say what compaction does with a tool's calls (JP's RFD 064 and D17). An empty field inherits from the tool's own hint, or
// else from the profile.
type Hints struct {
	Request  string `yaml:"request" enum:",keep,strip" doc:"What compaction does with the arguments; empty = the tool's own hint, or else what the profile says."`
	Response string `yaml:"response" enum:",keep,strip" doc:"What compaction does with the result; empty = the tool's own hint, or else what the profile says."`
}
