package session

import (
	"plimsoll/agent/core"
	"plimsoll/cli/setup"
	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/tools/hook"
	"plimsoll/tools/sandbox"
)

// hooks are the user's commands at moments of the conversation, by the configuration that it was opened with; nil without any.
func (r *Running) hooks() core.Hooks {
	runner := hook.New(hook.Options{Hooks: HooksByMoment(r.InitialConfig.Hooks), Conversation: r.ID, Workspace: r.Agents.Settings.Workspace,
		Environ: r.Agents.Console.Environ, SecretNames: setup.ToolOptions("", r.InitialConfig).SecretNames, Unwrap: r.Toolbox.Unwrap,
		Confine: func(h config.Hook) (*sandbox.Program, error) {
			return r.Agents.Resources.HookProgram(r.InitialConfig, h)
		}})
	if runner == nil {
		return nil // not an interface with a nil pointer
	}
	return runner
}

// HooksByMoment are the configured hooks, by the moment at which they run.
func HooksByMoment(h config.Hooks) map[string][]config.Hook {
	return map[string][]config.Hook{
		conversation.HookBeforeTool: h.BeforeTool, conversation.HookAfterTool: h.AfterTool, conversation.HookMessage: h.Message,
		conversation.HookBeforeCompaction: h.BeforeCompaction, conversation.HookAfterCompaction: h.AfterCompaction, conversation.HookTurnEnd: h.TurnEnd,
	}
}
