// Package permission decides whether a call of a tool runs, is refused or needs approval,
// from its [Effect], the configured rules and the granted rules.
//
// The first of these that applies decides:
//
//  1. a deny rule, or approval deny: refused in every mode;
//  2. plan mode and the call changes something: refused;
//  3. a command that may be denied but cannot be fully parsed: asked;
//  4. yolo mode: runs;
//  5. an allow rule or a grant: runs;
//  6. approval ask: asked; approval allow: runs, unless it is guarded;
//  7. reading runs unless guarded, edits run in edits and auto mode unless guarded,
//     commands run in auto mode if they are wholly confined, everything else is asked.
package permission

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"plimsoll/conversation"
	"plimsoll/tools/grants"
)

// Approval is the configured decision about all calls of a tool.
type Approval string

// The values of tools.NAME.approval; the empty one leaves it to the mode.
const (
	ApprovalAllow Approval = "allow"
	ApprovalAsk   Approval = "ask"
	ApprovalDeny  Approval = "deny"
)

// Config holds the configured mode and rules.
type Config struct {
	Mode     conversation.Mode // "": ask
	Allow    []string          // rules: TOOL or TOOL(PATTERN)
	Hosts    []string          // HOST or HOST:PORT that commands may reach, as in rules for the network
	Deny     []string          // rules that win over everything else
	Confined func() bool       // commands run in a sandbox; nil: they do not
	Whole    func() bool       // it keeps them from all that it promises; nil: as Confined. Asked when auto mode decides by it
	// AllowsYolo lets the mode become yolo where nothing confines commands; Mode yolo does, too.
	AllowsYolo bool
	Approval   map[string]Approval // by tool, or by mcp__SERVER for all tools of a server
	// Where returns the file and line of a rule of a list ("allow", "deny").
	// nil: not known.
	Where func(list, rule string) string
}

// Policy decides what calls need. It is safe for concurrent use.
type Policy struct {
	tools     []Tool // that rules can name
	workspace string // absolute; grants for it are used
	grants    *grants.Store
	where     func(list, rule string) string
	allow     []rule
	deny      []rule
	approval  map[string]Approval
	confined  func() bool
	whole     func() bool

	allowsYolo bool // whether commands are confined or not

	mu    sync.RWMutex // guards what follows
	mode  conversation.Mode
	asked map[string]asked // reviewed as needing approval, by the ID of the call

	outside []conversation.Rule // commands that run outside the sandbox
}

// asked is a call that was reviewed as needing approval.
type asked struct {
	effect Effect
	held   []rule    // allow rules in force at that review
	past   []*script // other commands of the conversation, for a command
}

// maxAsked is how many calls wait for an answer at most.
const maxAsked = 64

// New parses the configured rules. tools are those that rules can name; store holds
// the granted rules; nil: an empty store in memory.
func New(o Config, tools []Tool, workspace string, store *grants.Store) (*Policy, error) {
	if store == nil {
		store = grants.New("")
	}
	p := &Policy{tools: tools, workspace: workspace, grants: store, where: o.Where, mode: conversation.ModeAsk, approval: o.Approval, asked: map[string]asked{}}
	if o.Mode != "" {
		p.mode = o.Mode
	}
	p.allowsYolo = o.AllowsYolo || p.mode == conversation.ModeYolo
	if p.confined = o.Confined; p.confined == nil {
		p.confined = func() bool { return false }
	}
	if p.whole = o.Whole; p.whole == nil {
		p.whole = p.confined
	}
	if !slices.Contains(conversation.Modes(), p.mode) {
		return nil, fmt.Errorf("there is no permission mode %q; the modes are plan, ask, edits, auto and yolo", p.mode)
	}
	var err error
	if p.allow, err = parseRules("allow", o.Allow, tools); err != nil {
		return nil, err
	}
	var hosts []string
	for _, h := range o.Hosts {
		hosts = append(hosts, Network+"("+h+")")
	}
	reached, err := parseRules("hosts", hosts, tools)
	if err != nil {
		return nil, err
	}
	p.allow = append(p.allow, reached...)
	if p.deny, err = parseRules("deny", o.Deny, tools); err != nil {
		return nil, err
	}
	names := toolNames(tools)
	for _, name := range slices.Sorted(maps.Keys(o.Approval)) {
		if !slices.Contains(names, name) && !strings.HasPrefix(name, conversation.ServerPrefix) { // a misspelt name would deny nothing
			return nil, fmt.Errorf("tools.%s.approval: %w", name, NoTool(name, tools))
		}
	}
	return p, nil
}

func parseRules(list string, texts []string, tools []Tool) ([]rule, error) {
	rules := make([]rule, len(texts))
	for i, text := range texts {
		r, err := parseRule(text, tools)
		if err != nil {
			return nil, fmt.Errorf("permissions.%s: %w", list, err)
		}
		rules[i] = r
	}
	return rules, nil
}

// Mode returns the permission mode in force.
func (p *Policy) Mode() conversation.Mode {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.mode
}

// SetMode changes the permission mode for later calls. An unknown mode becomes
// ask; yolo where it is not allowed changes nothing.
func (p *Policy) SetMode(m conversation.Mode) {
	if !slices.Contains(conversation.Modes(), m) {
		m = conversation.ModeAsk
	}
	if m == conversation.ModeYolo && !p.AllowsYolo() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = m
}

// Confined reports whether commands run in a sandbox.
func (p *Policy) Confined() bool { return p.confined() }

// AllowsYolo reports whether SetMode switches to yolo: commands are confined, or the configuration allows it.
func (p *Policy) AllowsYolo() bool { return p.allowsYolo || p.confined() }

// Need returns what a call needs before it runs, and the reason of a refusal.
func (p *Policy) Need(t Effect) (conversation.Need, string) {
	approval := cmp.Or(p.approval[t.Tool], p.approval[t.server])
	if approval == ApprovalDeny {
		return conversation.NeedRefusal, t.Tool + " is switched off by the user's configuration. Do not try to reach the same another way"
	}
	denied, by := p.denied(t)
	mode := p.Mode()
	switch {
	case denied == yes:
		return conversation.NeedRefusal, fmt.Sprintf("the user's configuration denies %s. Do not try to reach the same another way", by)
	case mode == conversation.ModePlan && !t.ReadOnly():
		return conversation.NeedRefusal, "plan mode: nothing may be changed now. Look, think and propose a plan; the user leaves plan mode when it is to be carried out"
	case denied == maybe:
		return conversation.NeedApproval, ""
	case mode == conversation.ModeYolo, allowed(p.inForce(), t), t.access == AccessCommand && p.IsOutside(t.Command()):
		return conversation.NeedNothing, ""
	case approval == ApprovalAsk, t.guarded():
		return conversation.NeedApproval, ""
	case approval == ApprovalAllow, t.access == AccessNone, t.access == AccessRead,
		t.access == AccessEdit && (mode == conversation.ModeEdits || mode == conversation.ModeAuto),
		t.access == AccessCommand && mode == conversation.ModeAuto && p.whole():
		return conversation.NeedNothing, ""
	}
	return conversation.NeedApproval, ""
}

func (p *Policy) denied(t Effect) (verdict, rule) {
	worst, by := no, rule{}
	for _, r := range p.deny {
		if v := r.denies(t); v > worst {
			worst, by = v, r
		}
	}
	return worst, by
}

// Refuses reports whether a deny rule certainly covers a call; used for every redirect.
func (p *Policy) Refuses(t Effect) bool {
	v, _ := p.denied(t)
	return v == yes
}

// Hides reports whether a deny rule forbids reading a file. grep_files calls it for
// every file of a folder, so that a search does not show the content of a file
// that is denied by name.
func (p *Policy) Hides(rel string) bool {
	return slices.ContainsFunc([]string{"read_file", "grep_files"}, func(tool string) bool {
		return p.Refuses(Effect{Tool: tool, access: AccessRead, paths: []string{rel}})
	})
}

// inForce lists the allow rules: those of the configuration, which hold everywhere, and those that the user granted in this
// workspace. A granted rule that this version cannot read, or a file of grants that cannot be read, grants nothing.
func (p *Policy) inForce() []rule {
	out := slices.Clone(p.allow)
	granted, _ := p.grants.In(p.workspace) // Rules returns this error to the user
	for _, g := range granted {
		if r, err := parseRule(g.Rule, p.tools); err == nil {
			out = append(out, r)
		}
	}
	return out
}

// allowed reports whether rules cover a call: its whole command, or each of its paths.
func allowed(rules []rule, t Effect) bool {
	if t.access == AccessCommand {
		return allowScript(rules, t)
	}
	paths := t.paths
	if len(paths) == 0 {
		paths = []string{""}
	}
	for _, path := range paths {
		one := t
		if path != "" {
			one.paths = []string{path}
		}
		if !slices.ContainsFunc(rules, func(r rule) bool { return r.allows(one) }) {
			return false
		}
	}
	return true
}
