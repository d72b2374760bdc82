package show

import (
	"math"

	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/tools/skill"
)

// SkillWeight is a skill with what it weighs.
type SkillWeight struct {
	Name   string `json:"name"`
	Source string `json:"source"` // the folder in which it was found
	Tokens int    `json:"tokens"` // estimated, of its text
	Loaded bool   `json:"loaded"` // a model got its text in the conversation
}

// Skills weighs skills.
func Skills(skills []skill.Skill, events []conversation.Event) []SkillWeight {
	loaded := map[string]bool{}
	for _, e := range events {
		if b, ok := e.Body.(conversation.SkillLoaded); ok {
			loaded[b.Name] = true
		}
	}
	out := make([]SkillWeight, len(skills))
	for i, s := range skills {
		out[i] = SkillWeight{s.Name, s.Source, int(math.Ceil(meter.Estimate(s.Size()))), loaded[s.Name] && s.Problem == ""}
	}
	return out
}
