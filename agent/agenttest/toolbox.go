package agenttest

import (
	"context"
	"slices"
	"sync"

	"plimsoll/conversation"
)

// Tool is a tool of a Toolbox.
type Tool struct {
	Spec   conversation.ToolSpec
	Review conversation.Review // what a call needs; a Need of "" is NeedNothing
	// Run runs a call. Nil: the result is the arguments.
	Run func(ctx context.Context, call conversation.ToolCall, progress func(string)) conversation.Outcome
}

// Reader is a tool that only reads and needs no approval.
func Reader(name string, run func(context.Context, conversation.ToolCall, func(string)) conversation.Outcome) Tool {
	return Tool{
		Spec:   conversation.ToolSpec{Name: name, Parameters: conversation.RawJSON(`{"type":"object"}`), ReadOnly: true},
		Review: conversation.Review{ReadOnly: true, Title: name}, Run: run,
	}
}

// Writer is a tool that changes something and needs approval.
func Writer(name string, run func(context.Context, conversation.ToolCall, func(string)) conversation.Outcome) Tool {
	return Tool{
		Spec:   conversation.ToolSpec{Name: name, Parameters: conversation.RawJSON(`{"type":"object"}`)},
		Review: conversation.Review{Need: conversation.NeedApproval, Title: name}, Run: run,
	}
}

// Allowed is a call of Toolbox.Allow.
type Allowed struct {
	Tool  string
	Grant conversation.Grant
	Rules []string
}

// Toolbox is a fake of the tools. Once Allow was called for a tool, that tool needs no further approval. Its
// methods may be called by several goroutines.
type Toolbox struct {
	AllowErr error // the error that Allow returns

	tools        []Tool
	mu           sync.Mutex // guards all below
	allowed      []Allowed
	calls        []conversation.ToolCall
	running      int
	mostParallel int
}

// NewToolbox returns a toolbox with tools.
func NewToolbox(tools ...Tool) *Toolbox { return &Toolbox{tools: tools} }

// Specs returns the declarations of the tools.
func (b *Toolbox) Specs() []conversation.ToolSpec {
	var specs []conversation.ToolSpec
	for _, t := range b.tools {
		specs = append(specs, t.Spec)
	}
	return specs
}

func (b *Toolbox) tool(name string) (Tool, bool) {
	i := slices.IndexFunc(b.tools, func(t Tool) bool { return t.Spec.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return b.tools[i], true
}

// Review returns the Review of the tool; its Need is NeedNothing once the tool was allowed.
func (b *Toolbox) Review(_ context.Context, call conversation.ToolCall) conversation.Review {
	t, ok := b.tool(call.Name)
	if !ok {
		return conversation.Review{Need: conversation.NeedNothing, ReadOnly: true, Title: call.Name}
	}
	r := t.Review
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.Need == "" || slices.ContainsFunc(b.allowed, func(a Allowed) bool { return a.Tool == call.Name }) {
		r.Need = conversation.NeedNothing
	}
	return r
}

// Run runs a call with the tool's function.
func (b *Toolbox) Run(ctx context.Context, call conversation.ToolCall, progress func(string)) conversation.Outcome {
	b.mu.Lock()
	b.calls = append(b.calls, call)
	b.running++
	b.mostParallel = max(b.mostParallel, b.running)
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		b.running--
		b.mu.Unlock()
	}()
	t, ok := b.tool(call.Name)
	switch {
	case !ok:
		return conversation.Outcome{Status: conversation.ResultError, Text: "there is no tool " + call.Name}
	case t.Run == nil:
		return conversation.Outcome{Status: conversation.ResultOK, Text: call.Arguments}
	}
	return t.Run(ctx, call, progress)
}

// Allow records the grant.
func (b *Toolbox) Allow(_ context.Context, call conversation.ToolCall, g conversation.Grant, rules []string) error {
	if b.AllowErr != nil {
		return b.AllowErr
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.allowed = append(b.allowed, Allowed{Tool: call.Name, Grant: g, Rules: rules})
	return nil
}

// Allowed are the recorded grants.
func (b *Toolbox) Allowed() []Allowed { return copied(&b.mu, &b.allowed) }

// Calls are the calls that ran, in the order they began.
func (b *Toolbox) Calls() []conversation.ToolCall { return copied(&b.mu, &b.calls) }

// Parallel returns the largest number of calls that ran at the same time, and the number of those that run now.
func (b *Toolbox) Parallel() (most, running int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mostParallel, b.running
}
