// Package hook runs the user's commands at moments of a conversation. A command gets one JSON object on its standard input, and
// answers by its exit code and its output (docs/hooks.md).
//
// # Guarantees
//
//   - Hooks of a moment run one after the other, in the order of the configuration; the first that refuses is the last.
//   - A hook runs as a command of the model does: in the workspace, in the sandbox that Confine opens, in a process group of its
//     own, without API keys in its environment. It ends with its timeout, and with the turn, and so does all that it started.
//   - A hook that fails changes nothing but the record of it.
//   - What a hook writes is bounded, and is text that is safe to store; the code that shows it sanitises it.
package hook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/tools/sandbox"
	"plimsoll/tools/shell"
)

const (
	// DefaultTimeout is how long a hook may run unless its entry says otherwise.
	DefaultTimeout = 10 * time.Second

	outputBytes = 64 << 10 // of each stream of a hook
	reasonChars = 2000     // code points of a reason
	keepMost    = 20       // texts to keep that one hook may name
	keepChars   = 500      // code points of each
	refusal     = 2        // the exit code that refuses
)

// Options say which hooks run, and where.
type Options struct {
	Hooks        map[string][]config.Hook // by moment
	Conversation string                   // its ID
	Workspace    string
	Environ      []string // as os.Environ
	SecretNames  []string // variables that hold keys, besides those that look like it
	// Confine opens the place of a hook, which is closed when the hook has ended. nil: hooks are not confined.
	Confine func(config.Hook) (*sandbox.Program, error)
	// Unwrap returns the call that a call of call_tool holds, and any other call as it is. Nil: no call holds another.
	Unwrap func(conversation.ToolCall) conversation.ToolCall
}

// Runner runs the hooks of a conversation. Several goroutines may use it at once.
type Runner struct {
	Options
	environ []string
}

// New returns the runner of the hooks, nil without any.
func New(o Options) *Runner {
	for _, list := range o.Hooks {
		if len(list) > 0 {
			return &Runner{Options: o, environ: shell.Environment(o.Environ, o.SecretNames)}
		}
	}
	return nil
}

// question is what a hook reads.
type question struct {
	Moment       string          `json:"moment"`
	Conversation string          `json:"conversation"`
	Workspace    string          `json:"workspace"`
	Turn         int             `json:"turn"`
	Tool         string          `json:"tool,omitempty"`
	Arguments    json.RawMessage `json:"arguments,omitempty"`
	Status       string          `json:"status,omitempty"`
	Result       *string         `json:"result,omitempty"`
	Message      *string         `json:"message,omitempty"`
	Compaction   *compaction     `json:"compaction,omitempty"`
	Reason       string          `json:"reason,omitempty"`
}

type compaction struct {
	Source   string `json:"source"`
	Trigger  string `json:"trigger"`
	FromTurn *int   `json:"from_turn"`
	ToTurn   *int   `json:"to_turn"`
	Before   int    `json:"before"`
	After    *int   `json:"after,omitempty"`
	Focus    string `json:"focus,omitempty"`
}

// answer is what a hook may write.
type answer struct {
	Refuse *string  `json:"refuse"`
	Add    string   `json:"add"`
	Keep   []string `json:"keep"`
}

// Run runs the hooks of a moment until one refuses or ctx ends.
func (r *Runner) Run(ctx context.Context, in conversation.HookInput) conversation.HookOutput {
	var out conversation.HookOutput
	ofTool := in.Moment == conversation.HookBeforeTool || in.Moment == conversation.HookAfterTool
	if ofTool && r.Unwrap != nil {
		in.Call = r.Unwrap(in.Call)
	}
	var text []byte
	for _, h := range r.Hooks[in.Moment] {
		if ofTool && !matches(h.Match, in.Call.Name) {
			continue
		}
		if ctx.Err() != nil || out.Refused {
			break
		}
		if text == nil {
			text = r.question(in)
		}
		began := time.Now()
		a, err := r.ask(ctx, h, in.Moment, text)
		ran := conversation.HookRan{Moment: in.Moment, Command: h.Command, Duration: time.Since(began).Milliseconds(), Keep: a.Keep}
		switch {
		case err != nil:
			ran.Failed, ran.Reason, ran.Keep = true, oneReason(err.Error()), nil
		case a.Refuse != nil:
			ran.Refused, ran.Reason = true, cmp.Or(oneReason(*a.Refuse), "no reason given")
			out.Refused, out.Reason = true, ran.Reason
		case a.Add != "":
			ran.Added = conversation.Measure(a.Add)
			out.Added = append(out.Added, conversation.HookText{Command: h.Command, Text: a.Add})
		}
		out.Ran = append(out.Ran, ran)
	}
	return out
}

// ask runs one hook and reads its answer. The error says how it failed.
func (r *Runner) ask(ctx context.Context, h config.Hook, moment string, text []byte) (answer, error) {
	limit := cmp.Or(h.Timeout, DefaultTimeout)
	var confined *sandbox.Program
	if r.Confine != nil {
		var err error
		if confined, err = r.Confine(h); err != nil {
			return answer{}, err
		}
	}
	defer func() { _ = confined.Close() }() // it has no sandbox of its own
	f, err := shell.Filter(ctx, r.Workspace, r.environ, h.Command, text, limit, outputBytes, confined.Start)
	switch {
	case err != nil && ctx.Err() != nil:
		return answer{}, errors.New(conversation.HookStopped)
	case err != nil:
		return answer{}, err
	case f.TimedOut:
		return answer{}, withHint(fmt.Sprintf("it was ended after %s, its timeout", limit), confined.KeptFrom(f.Err))
	case f.Code == refusal:
		return refusedAt(moment, cmp.Or(strings.TrimSpace(f.Err), strings.TrimSpace(f.Out)))
	case f.Code != 0:
		complaint := strings.TrimSpace(f.Err)
		lastLine := complaint[strings.LastIndexByte(complaint, '\n')+1:]
		return answer{}, withHint(strings.TrimSuffix(f.HowItEnded+": "+lastLine, ": "), confined.KeptFrom(f.Err+"\n"+f.Out))
	}
	a, err := read(f, moment)
	if a.Refuse != nil {
		return refusedAt(moment, *a.Refuse)
	}
	return a, err
}

func withHint(failure, hint string) error {
	return errors.New(strings.TrimSuffix(failure+"; "+hint, "; "))
}

// refusedAt is the answer of a hook that refuses. After a tool nothing is left to refuse: its reason is added to the result.
func refusedAt(moment, reason string) (answer, error) {
	switch moment {
	case conversation.HookAfterTool:
		return answer{Add: reason}, nil
	case conversation.HookAfterCompaction, conversation.HookTurnEnd:
		return answer{}, errors.New("it refused, but nothing can be refused at this moment")
	}
	return answer{Refuse: &reason}, nil
}

// read reads what a hook wrote. A text that is no JSON object is added where texts can be added, and ignored elsewhere.
func read(f shell.Filtered, moment string) (answer, error) {
	text := strings.TrimSpace(conversation.Clean(f.Out))
	adds := moment == conversation.HookAfterTool || moment == conversation.HookMessage // any text
	var a answer
	if strings.HasPrefix(text, "{") {
		if f.Cut {
			return a, fmt.Errorf("it wrote more than %d bytes", outputBytes)
		}
		switch err := json.Unmarshal([]byte(text), &a); {
		case err == nil:
			if !adds && moment != conversation.HookBeforeTool {
				a.Add = ""
			}
			a.Add, a.Keep = strings.TrimSpace(conversation.Clean(a.Add)), kept(a.Keep, moment)
			return a, nil
		case json.Valid([]byte(text)):
			return answer{}, errors.New("its answer is not as expected: " + err.Error())
		}
		a = answer{}
	}
	if adds {
		a.Add = text
	}
	return a, nil
}

// kept are the texts that a compaction has to keep, bounded.
func kept(texts []string, moment string) []string {
	if moment != conversation.HookBeforeCompaction {
		return nil
	}
	var out []string
	for _, text := range texts {
		if text = conversation.OneLine(conversation.Clean(text), keepChars); text != "" && len(out) < keepMost {
			out = append(out, text)
		}
	}
	return out
}

func oneReason(text string) string {
	return conversation.OneLine(conversation.Clean(text), reasonChars)
}

// question is the JSON object for the hooks of a moment, on one line.
func (r *Runner) question(in conversation.HookInput) []byte {
	q := question{Moment: in.Moment, Conversation: r.Conversation, Workspace: r.Workspace, Turn: in.Turn, Reason: in.Reason}
	switch in.Moment {
	case conversation.HookBeforeTool, conversation.HookAfterTool:
		arguments, _ := conversation.RepairArguments(in.Call.Arguments)
		q.Tool, q.Arguments = in.Call.Name, json.RawMessage(arguments)
		if in.Moment == conversation.HookAfterTool {
			q.Status, q.Result = string(cmp.Or(in.Status, conversation.ResultOK)), &in.Text
		}
	case conversation.HookMessage:
		q.Message = &in.Text
	case conversation.HookBeforeCompaction, conversation.HookAfterCompaction:
		c := in.Compaction
		q.Compaction = &compaction{Source: string(c.Source), Trigger: c.Trigger, Before: c.Before, Focus: c.Focus}
		if c.FromTurn >= 0 {
			q.Compaction.FromTurn, q.Compaction.ToTurn = &c.FromTurn, &c.ToTurn
		}
		if in.Moment == conversation.HookAfterCompaction {
			q.Compaction.After = &c.After
		}
	}
	text, err := conversation.EncodeJSON(q)
	if err != nil { // the arguments are valid JSON, and all else encodes
		text = []byte("{}")
	}
	return append(bytes.TrimRight(text, "\n"), '\n')
}

// matches reports whether a pattern with * matches the name of a tool.
func matches(pattern, name string) bool {
	exact := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
	return pattern == "" || regexp.MustCompile("^"+exact+"$").MatchString(name)
}
