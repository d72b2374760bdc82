package inspect_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/inspect"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// The source's example shows keep_recent=3 with two of three results replaced,
// which its own rule (compact what is older than the newest keep_recent) leaves
// alone. The rule wins; with nothing kept the example's outcome is the rule's.
func TestJCLIMicroExample(t *testing.T) {
	t.Parallel()
	const ok = conversation.ResultOK
	l := (&compacttest.LogBuilder{}).User("find it").Call("Bash", "{}", ok, strings.Repeat("x", 1500)).
		Call("Read", "{}", ok, strings.Repeat("x", 2000)).Call("LoadSkill", "{}", ok, strings.Repeat("x", 3000))
	for keep, want := range map[int]string{
		3: "1500 bytes, 2000 bytes, 3000 bytes",
		2: "[Previous: used Bash], 2000 bytes, 3000 bytes",
		0: "[Previous: used Bash], [Previous: used Read], 3000 bytes",
	} {
		rules := preset.RulesOf(preset.JCLI)
		rules.Micro.KeepRecent = keep
		v, err := inspect.PresetView(l.Events(), edit.Inputs{Now: compacttest.Noon}, rules)
		conversationtest.Must(t, err)
		var got []string
		for _, m := range v.Messages {
			switch {
			case m.Role != projection.RoleTool:
			case strings.Trim(m.Text, "x") == "":
				got = append(got, fmt.Sprint(len(m.Text), " bytes"))
			default:
				got = append(got, m.Text)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%d kept: %q, want %q", keep, got, want)
		}
	}
}
