package show

import (
	"fmt"
	"math"
	"strings"
	"time"

	"plimsoll/cli/session"
	"plimsoll/compact/meter"
	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tools/skill"
)

// moments are the moments at which hooks run, in the order of the configuration.
var moments = []string{conversation.HookBeforeTool, conversation.HookAfterTool, conversation.HookMessage,
	conversation.HookBeforeCompaction, conversation.HookAfterCompaction, conversation.HookTurnEnd}

// hookRuns counts the runs of a hook in a conversation, and their time.
type hookRuns struct {
	count, refused, failed int
	all, slowest           time.Duration
}

// Hooks lists the configured hooks and those that ran, with how often and how long they ran in a conversation.
func Hooks(hooks config.Hooks, events []conversation.Event) []string {
	type key struct{ moment, command string }
	runs := map[key]*hookRuns{}
	order := map[string][]key{}
	at := func(moment, command string) *hookRuns {
		k := key{moment, command}
		if runs[k] == nil {
			runs[k] = &hookRuns{}
			order[moment] = append(order[moment], k)
		}
		return runs[k]
	}
	for moment, list := range session.HooksByMoment(hooks) {
		for _, h := range list {
			at(moment, h.Command)
		}
	}
	for _, e := range events {
		if b, ok := e.Body.(conversation.HookRan); ok {
			at(b.Moment, b.Command).add(b)
		}
	}
	var lines []string
	for _, moment := range moments {
		for _, k := range order[moment] {
			lines = append(lines, plain.Line(moment+": "+conversation.CommandName(k.command))+": "+runs[k].String())
		}
	}
	return lines
}

func (r *hookRuns) add(b conversation.HookRan) {
	took := time.Duration(b.Duration) * time.Millisecond
	r.count, r.all, r.slowest = r.count+1, r.all+took, max(r.slowest, took)
	if b.Refused {
		r.refused++
	}
	if b.Failed {
		r.failed++
	}
}

// String is "12 times, 340ms in all, slowest 80ms, 2 refused".
func (r *hookRuns) String() string {
	if r.count == 0 {
		return "not run yet"
	}
	words := []string{fmt.Sprintf("%s, %s in all, slowest %s", numbers.Count(r.count, "time"), r.all, r.slowest)}
	if r.refused > 0 {
		words = append(words, fmt.Sprintf("%d refused", r.refused))
	}
	if r.failed > 0 {
		words = append(words, fmt.Sprintf("%d failed", r.failed))
	}
	return strings.Join(words, ", ")
}

// SkillTokens is a skill with its tokens in a request.
type SkillTokens struct {
	Name   string `json:"name"`
	Source string `json:"source"` // the folder in which it was found
	Tokens int    `json:"tokens"` // estimated, of its text
	Loaded bool   `json:"loaded"` // a model got its text in the conversation
}

// Skills returns the tokens of skills, and says which the conversation has loaded.
func Skills(skills []skill.Skill, events []conversation.Event) []SkillTokens {
	loaded := map[string]bool{}
	for _, e := range events {
		if b, ok := e.Body.(conversation.SkillLoaded); ok {
			loaded[b.Name] = true
		}
	}
	out := make([]SkillTokens, len(skills))
	for i, s := range skills {
		out[i] = SkillTokens{s.Name, s.Source, int(math.Ceil(meter.Estimate(s.Size()))), loaded[s.Name] && s.Problem == ""}
	}
	return out
}
