package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"plimsoll/conversation"
)

// Whether a call runs is decided in this order; the first that applies wins:
//
//  1. a deny rule, or approval deny: refused in every mode;
//  2. plan mode and the call changes something: refused;
//  3. a command that a deny rule cannot see through: asked;
//  4. yolo mode: runs;
//  5. an allow rule or a grant: runs;
//  6. approval ask: asked; approval allow: runs, unless it is guarded;
//  7. reading runs unless guarded, edits run in auto-edit mode unless guarded,
//     everything else is asked.

// Approval is what the configuration says about a tool as a whole.
type Approval string

// The values of tools.NAME.approval; the empty one leaves it to the mode.
const (
	ApprovalAllow Approval = "allow"
	ApprovalAsk   Approval = "ask"
	ApprovalDeny  Approval = "deny"
)

// Permissions is what the configuration allows and denies.
type Permissions struct {
	Mode     conversation.Mode   // "": ask
	Allow    []string            // rules: TOOL or TOOL(PATTERN)
	Deny     []string            // rules that win over everything else
	Approval map[string]Approval // by tool
}

type permissions struct {
	persist func(ctx context.Context, rules []string) error

	mu       sync.RWMutex // guards what follows
	mode     conversation.Mode
	allow    []rule
	deny     []rule
	approval map[string]Approval
}

func newPermissions(o Permissions, names []string, persist func(context.Context, []string) error) (*permissions, error) {
	p := &permissions{persist: persist, mode: conversation.ModeAsk, approval: o.Approval}
	if o.Mode != "" {
		p.mode = o.Mode
	}
	if !slices.Contains(conversation.Modes(), p.mode) {
		return nil, fmt.Errorf("there is no permission mode %q; the modes are plan, ask, auto-edit and yolo", p.mode)
	}
	var err error
	if p.allow, err = parseRules("allow", o.Allow, names); err != nil {
		return nil, err
	}
	if p.deny, err = parseRules("deny", o.Deny, names); err != nil {
		return nil, err
	}
	return p, nil
}

func parseRules(list string, texts, names []string) ([]rule, error) {
	rules := make([]rule, len(texts))
	for i, text := range texts {
		r, err := parseRule(text, names)
		if err != nil {
			return nil, fmt.Errorf("permissions.%s: %w", list, err)
		}
		rules[i] = r
	}
	return rules, nil
}

// Mode is the permission mode in force.
func (b *Box) Mode() conversation.Mode {
	b.permissions.mu.RLock()
	defer b.permissions.mu.RUnlock()
	return b.permissions.mode
}

// SetMode changes the permission mode for calls reviewed from now on. A mode
// that does not exist is taken for ask.
func (b *Box) SetMode(m conversation.Mode) {
	if !slices.Contains(conversation.Modes(), m) {
		m = conversation.ModeAsk
	}
	b.permissions.mu.Lock()
	defer b.permissions.mu.Unlock()
	b.permissions.mode = m
}

// judge says what a call needs, and of a refusal why.
func (p *permissions) judge(t touch) (conversation.Need, string) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.approval[t.tool] == ApprovalDeny {
		return conversation.NeedRefusal, t.tool + " is switched off by the user's configuration. Do not try to reach the same another way"
	}
	denied, by := p.denied(t)
	switch {
	case denied == yes:
		return conversation.NeedRefusal, fmt.Sprintf("the user's configuration denies %s. Do not try to reach the same another way", by)
	case p.mode == conversation.ModePlan && !t.readOnly():
		return conversation.NeedRefusal, "plan mode: nothing may be changed now. Look, think and propose a plan; the user leaves plan mode when it is to be carried out"
	case denied == maybe:
		return conversation.NeedApproval, ""
	case p.mode == conversation.ModeYolo, p.allowed(t):
		return conversation.NeedNothing, ""
	case p.approval[t.tool] == ApprovalAsk:
		return conversation.NeedApproval, ""
	case t.guarded():
		return conversation.NeedApproval, ""
	case p.approval[t.tool] == ApprovalAllow:
		return conversation.NeedNothing, ""
	}
	return p.usual(t), ""
}

// usual is what the mode says about a call that no rule speaks of.
func (p *permissions) usual(t touch) conversation.Need {
	switch t.access {
	case accessNone, accessRead:
		return conversation.NeedNothing
	case accessEdit:
		if p.mode == conversation.ModeAutoEdit {
			return conversation.NeedNothing
		}
	}
	return conversation.NeedApproval
}

func (p *permissions) denied(t touch) (verdict, rule) {
	worst, by := no, rule{}
	for _, r := range p.deny {
		if v := r.denies(t); v > worst {
			worst, by = v, r
		}
	}
	return worst, by
}

func (p *permissions) allowed(t touch) bool {
	if t.access == accessCommand {
		return allowScript(p.allow, t.script)
	}
	return slices.ContainsFunc(p.allow, func(r rule) bool { return r.allows(t) })
}

// refuses reports whether a deny rule stops a request; asked for every redirect.
func (p *permissions) refuses(t touch) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	v, _ := p.denied(t)
	return v == yes
}

// Allow records that calls like this one need no further approval; see
// agent.Toolbox. Like means: of an edit every edit of the workspace, of a command
// the same program and subcommand, of a request the same host, of a guarded file
// that file, of anything else the tool.
func (b *Box) Allow(ctx context.Context, call conversation.ToolCall, g conversation.Grant) error {
	if g != conversation.GrantConversation && g != conversation.GrantAlways {
		return nil
	}
	t, err := b.touchOf(ctx, call)
	if err != nil {
		return fmt.Errorf("allow %s: %w", call.Name, err)
	}
	return b.permissions.grant(ctx, grantRules(t), g)
}

func (p *permissions) grant(ctx context.Context, rules []rule, g conversation.Grant) error {
	p.mu.Lock()
	var added []string
	for _, r := range rules {
		if g == conversation.GrantAlways || !slices.Contains(p.allow, r) {
			added = append(added, r.String())
		}
		if !slices.Contains(p.allow, r) {
			p.allow = append(p.allow, r)
		}
	}
	p.mu.Unlock()
	if g != conversation.GrantAlways || len(added) == 0 {
		return nil
	}
	if p.persist == nil {
		return errors.New("allowed for this conversation only: there is no configuration file to write to")
	}
	if err := p.persist(ctx, added); err != nil {
		return fmt.Errorf("allowed for this conversation only: %w", err)
	}
	return nil
}

// grantRules are the rules that cover calls like t.
func grantRules(t touch) []rule {
	with := func(pattern string) rule { return rule{t.tool, pattern, true} }
	switch {
	case t.guarded():
		rules := make([]rule, len(t.paths))
		for i, path := range t.paths {
			rules[i] = with(escapeGlob(path))
		}
		return rules
	case t.access == accessEdit:
		return []rule{{tool: "create_file"}, {tool: "modify_file"}}
	case t.access == accessCommand:
		return commandRules(t.script)
	case t.access == accessRequest:
		pattern := t.request.url.Scheme + "://" + escapeStar(strings.ToLower(t.request.url.Host)) + "/*"
		if t.request.readOnly() {
			pattern = "GET " + pattern
		}
		return []rule{with(pattern)}
	}
	return []rule{{tool: t.tool}}
}

// commandRules cover each command of a script by its program and subcommand. A
// script that is not plain, and programs that run what their arguments say, are
// covered by their exact text only.
func commandRules(s *script) []rule {
	exact := []rule{{"run_command", escapeStar(s.text), true}}
	if !s.plain {
		return exact
	}
	var rules []rule
	for _, call := range s.calls {
		program := call[0].text
		if runsAnything(program) || strings.ContainsAny(program, " \t\n") {
			return exact
		}
		pattern := escapeStar(program)
		if len(call) > 1 && call[1].sure && subcommand(call[1].text) {
			pattern += " " + escapeStar(call[1].text)
		}
		rules = append(rules, rule{"run_command", pattern + " *", true})
	}
	return rules
}

// interpreters run whatever their arguments or files say.
var interpreters = []string{"python", "python2", "python3", "perl", "ruby", "node", "deno", "bun", "php", "lua", "awk", "gawk", "sed",
	"osascript", "powershell", "pwsh", "cmd", "ssh", "eval", "source", ".", "docker", "podman", "kubectl", "npx", "uvx", "make"}

func runsAnything(program string) bool {
	base := program[strings.LastIndexByte(program, '/')+1:]
	return slices.Contains(interpreters, base) || slices.Contains(shells, base) || slices.Contains(wrappers, base)
}

// subcommand reports whether a word reads like one: go test, git log, npm run.
func subcommand(text string) bool {
	for i, r := range text {
		letter := r >= 'a' && r <= 'z'
		if !letter && (i == 0 || (r < '0' || r > '9') && !strings.ContainsRune("-_:", r)) {
			return false
		}
	}
	return text != ""
}

var globEscapes = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)

func escapeGlob(path string) string { return globEscapes.Replace(path) }
