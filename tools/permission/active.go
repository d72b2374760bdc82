package permission

import (
	"slices"
	"sync"
	"time"
)

// The allow rules in force are those of the configuration, which hold everywhere,
// and those that the user granted in this workspace. A granted rule that this
// version cannot read grants nothing.

// activeRule is an allow rule in force.
type activeRule struct {
	rule
	grant string // ID of the grant it comes from, "" for the configuration's
}

// allowed reports whether rules let all of a call pass, and which did.
func allowed(rules []activeRule, t Effect) (by []activeRule, ok bool) {
	if t.access == AccessCommand {
		return allowScript(rules, t.script)
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
		i := slices.IndexFunc(rules, func(r activeRule) bool { return r.allows(one) })
		if i < 0 {
			return nil, false
		}
		by = append(by, rules[i])
	}
	return by, true
}

// useTimes is when rules were last used in this run.
type useTimes struct {
	mu sync.Mutex // guards at
	at map[rule]time.Time
}

func (u *useTimes) note(r rule) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.at == nil {
		u.at = map[rule]time.Time{}
	}
	u.at[r] = time.Now()
}

func (u *useTimes) last(r rule) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.at[r]
}

// asked is the call that was last reviewed as needing approval.
type asked struct {
	callID  string
	effect  Effect
	inForce []activeRule // the rules that were in force then
}
