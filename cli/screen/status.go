package screen

import (
	"context"
	"fmt"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/cli/show"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

// The status on one page: what the next request goes to, what compaction will do, what
// was read for it, and what the conversation has cost.

// statusPage is the status of a running conversation.
func statusPage(ctx context.Context, with *Needs, r *session.Running) (string, error) {
	events, _, err := with.Resources.Store.Load(ctx, r.ID)
	if err != nil {
		events = nil // nothing is stored yet
	}
	link := r.Current()
	m := asRecorded(link.Model, events)
	rules := r.Config().Rules()
	reading := session.NewReading(ctx, with.Resources.Store, r.ID, events)
	account := session.AccountOf(rules, reading, m)
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s"+format+"\n", append([]any{name}, args...)...)
	}
	line("model", "%s", modelWords(m))
	line("endpoint", "%s", plain.Line(link.Choice().Place()))
	for i, words := range windowWords(account.Reading) {
		line([]string{"window", "", ""}[i], "%s", words)
	}
	b.WriteByte('\n')
	line("compaction", "%s", compactionWords(account.Forecast.Rule, rules))
	b.WriteByte('\n')
	line("project", "%s", instructionWords(with.Settings.Workspace))
	line("settings", "%s", settingsWords(with.Settings.Loaded.Load()))
	line("approvals", "%s; /permissions changes it", r.Box.Mode())
	b.WriteByte('\n')
	line("chat", "%s in %s", r.ID, plain.Line(with.Settings.Workspace))
	if len(events) > 0 {
		show.WriteCosts(&b, m, account.Costs)
	}
	return b.String(), nil
}

// asRecorded is a model with the window that the conversation recorded of it: the newest
// that the server or the user said.
func asRecorded(m llm.Model, events []conversation.Event) llm.Model {
	if last := setup.LastModel(events); last.Name() == m.Name() && last.Window > 0 {
		m.Window = meter.Window{Tokens: last.Window, Source: meter.WindowSource(last.Source)}
	}
	return m
}

func modelWords(m llm.Model) string {
	words := plain.Line(m.Name())
	if m.Badge != "" {
		words += ", " + plain.Line(m.Badge)
	}
	if m.Effort != "" {
		words += ", effort " + plain.Line(m.Effort)
	}
	return words
}

// windowWords are the window, where its size came from, and its lines. How much of it is used the gauge below the page
// says, which follows a reply as it arrives.
func windowWords(r meter.Reading) []string {
	if !r.Window.Known() {
		return []string{"unknown; set it with /window 128k"}
	}
	return []string{
		fmt.Sprintf("%s tokens (%s)", numbers.Grouped(r.Window.Tokens), show.WindowSource(r.Window.Source)),
		fmt.Sprintf("load line %s (%s), hard line %s, %s kept free for the reply",
			numbers.Grouped(r.LoadLine), console.WindowShare(r, r.LoadLine), numbers.Grouped(r.HardLine), numbers.Grouped(r.Reserve)),
	}
}

// compactionWords are the rules in force.
func compactionWords(rule string, r preset.Rules) string {
	words := plain.Line(rule)
	if p, ok := r.Profiles[r.DefaultProfile]; ok {
		words += "; by hand: profile " + plain.Line(r.DefaultProfile) + ", " + profileNote(p)
	}
	return words
}

// instructionWords name the file that is read as the project's instructions.
func instructionWords(workspace string) string {
	name, text := session.ProjectInstructions(workspace)
	if name == "" {
		return "no instructions; Plimsoll reads the first it finds of " + strings.Join(session.ProjectFiles(), ", ")
	}
	return fmt.Sprintf("%s, ~%s tokens, read as instructions at the start", name, numbers.Grouped(int(meter.Estimate(conversation.Measure(text)))))
}

// settingsWords name the files that the configuration was read from.
func settingsWords(loaded *config.Loaded) string {
	var files []string
	for _, s := range loaded.Sources {
		if s.Found && s.Path != "" {
			files = append(files, plain.Line(s.Path))
		}
	}
	words := "the defaults"
	if len(files) > 0 {
		words = strings.Join(files, ", ")
	}
	if n := len(loaded.Refused); n > 0 {
		words += fmt.Sprintf("; %s of the workspace's file not applied", numbers.Count(n, "key"))
	}
	return words
}
