// Package hook runs the user's commands at moments of a conversation.
//
// A command gets one JSON object on its standard input. Exit status 0 lets things go on: a JSON object on standard output may say
// {"add": TEXT, "keep": [TEXT], "refuse": REASON}; other text counts as "add". Exit status 2 refuses, with standard error as the
// reason. A command that fails otherwise, or takes too long, is reported and changes nothing.
package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tools/shell"
)

// Hook is one command.
type Hook struct {
	Moment  conversation.HookMoment
	Match   string // of a tool's name, with * for any characters; "" matches every one
	Command string
	Timeout time.Duration // 0: 10 s
}

const (
	defaultTimeout = 10 * time.Second
	maxOutput      = 64 << 10 // bytes of each stream
	maxReason      = 500      // characters
)

// Runner runs hooks. It is safe for concurrent use.
type Runner struct {
	Hooks        []Hook
	Dir          string   // workspace
	Environ      []string // of the user; commands get it without keys
	SecretNames  []string // names of further variables that they do not get
	Conversation string   // its ID
}

// Has reports whether a hook is there for a moment.
func (r *Runner) Has(m conversation.HookMoment) bool {
	for _, h := range r.Hooks {
		if h.Moment == m {
			return true
		}
	}
	return false
}

// input is what a command gets on its standard input.
type input struct {
	Moment       conversation.HookMoment `json:"moment"`
	Conversation string                  `json:"conversation"`
	Workspace    string                  `json:"workspace"`
	Tool         string                  `json:"tool,omitempty"`
	Arguments    json.RawMessage         `json:"arguments,omitempty"`
	Status       string                  `json:"status,omitempty"`
	Result       string                  `json:"result,omitempty"`
	Message      string                  `json:"message,omitempty"`
	Before       int                     `json:"tokens_before,omitempty"`
	After        int                     `json:"tokens_after,omitempty"`
	Reason       string                  `json:"reason,omitempty"`
}

// Run runs the hooks of a moment in their order, until one refuses.
func (r *Runner) Run(ctx context.Context, in conversation.HookInput) conversation.HookOutput {
	var out conversation.HookOutput
	for _, h := range r.Hooks {
		if h.Moment != in.Moment || h.Match != "" && in.Tool != "" && !matches(h.Match, in.Tool) {
			continue
		}
		r.runOne(ctx, h, in, &out)
		if out.Refused {
			break
		}
	}
	return out
}

func matches(pattern, tool string) bool {
	ok, err := path.Match(pattern, tool)
	return ok && err == nil
}

// answer is the JSON that a command may write.
type answer struct {
	Add    string   `json:"add"`
	Keep   []string `json:"keep"`
	Refuse string   `json:"refuse"`
}

func (r *Runner) runOne(ctx context.Context, h Hook, in conversation.HookInput, out *conversation.HookOutput) {
	given := input{Moment: in.Moment, Conversation: r.Conversation, Workspace: r.Dir, Tool: in.Tool, Status: in.Status, Result: in.Result,
		Message: in.Message, Before: in.Before, After: in.After, Reason: in.Reason}
	if json.Valid([]byte(in.Arguments)) {
		given.Arguments = json.RawMessage(in.Arguments)
	}
	text, err := conversation.EncodeJSON(given)
	ran := conversation.HookRan{Moment: string(h.Moment), Command: h.Command}
	began := time.Now()
	var a answer
	if err == nil {
		a, err = r.start(ctx, h, text)
	}
	ran.Duration = time.Since(began).Milliseconds()
	switch {
	case err != nil:
		ran.Failed, ran.Reason = true, oneLine(err.Error())
	case a.Refuse != "":
		ran.Refused, ran.Reason = true, oneLine(a.Refuse)
		out.Refused, out.Reason = true, ran.Reason
	default:
		a.Add = strings.TrimSpace(plain.Text(conversation.Clean(a.Add)))
		if a.Add != "" {
			added := fmt.Sprintf("[%s added:]\n%s", oneLine(h.Command), a.Add)
			ran.Added = conversation.Measure(added)
			out.Add = strings.TrimPrefix(out.Add+"\n\n"+added, "\n\n")
		}
		for _, k := range a.Keep {
			if k = oneLine(k); k != "" {
				out.Keep = append(out.Keep, k)
			}
		}
	}
	out.Ran = append(out.Ran, ran)
}

// start runs a command and reads its answer.
func (r *Runner) start(ctx context.Context, h Hook, in []byte) (answer, error) {
	limit := h.Timeout
	if limit <= 0 {
		limit = defaultTimeout
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var out, errs bounded
	code, err := shell.RunHook(timed, h.Command, r.Dir, shell.Environment(r.Environ, r.SecretNames), in, &out, &errs)
	var a answer
	switch {
	case ctx.Err() != nil:
		return a, ctx.Err()
	case timed.Err() != nil:
		return a, fmt.Errorf("it took longer than %s", limit)
	case err != nil:
		return a, err
	case code == 2:
		a.Refuse = errs.text()
		if a.Refuse == "" {
			a.Refuse = "without a reason"
		}
		return a, nil
	case code != 0:
		return a, errors.New(strings.TrimSuffix(fmt.Sprintf("exit status %d: %s", code, errs.text()), ": "))
	}
	text := strings.TrimSpace(string(out.kept))
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &a) == nil {
		return a, nil
	}
	return answer{Add: text}, nil
}

// bounded keeps the first bytes that are written to it.
type bounded struct{ kept []byte }

func (b *bounded) Write(p []byte) (int, error) {
	b.kept = append(b.kept, p[:min(maxOutput-len(b.kept), len(p))]...)
	return len(p), nil
}

func (b *bounded) text() string { return oneLine(string(b.kept)) }

func oneLine(text string) string {
	return conversation.OneLine(plain.Line(conversation.Clean(strings.TrimSpace(text))), maxReason)
}
