package agent_test

import (
	"log/slog"
	"strings"
	"testing"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/preset"
)

// jcliLogs is J-CLI with a log that can be read.
func jcliLogs(b *strings.Builder) func(*core.Options) {
	return func(o *core.Options) {
		o.Rules = preset.RulesOf(preset.JCLI)
		o.Rules.Micro.KeepRecent, o.Rules.Summary.Retries = 2, 0
		o.Logger = slog.New(slog.NewTextHandler(b, nil))
	}
}

func TestJCLILogsHowManyResultsItReplaces(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var b strings.Builder
		r := talk(t, 4, jcliLogs(&b), answers("fine"))
		r.say("go on")
		r.finish()
		// The third turn's reply replaces one result, each one after it one more.
		if log := b.String(); strings.Count(log, `msg="micro_compact triggered" compacted=1`) != 2 || strings.Contains(log, "compacted=2") {
			t.Errorf("the log says %s", log)
		}
	})
}

func TestJCLILogsThatItFailed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var b strings.Builder
		r := talk(t, 4, jcliLogs(&b), agenttest.Fail(&llm.Error{Class: llm.Quota, Message: "the secret plan"}), answers("fine"))
		r.compacts(byProfile("", -1))
		r.say("go on")
		r.finish()
		log := b.String()
		if !strings.Contains(log, `level=ERROR msg="auto_compact failed: quota"`) || strings.Contains(log, "secret") {
			t.Errorf("the log says %s", log)
		}
	})
}
