package screen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"plimsoll/cli/console"
	"plimsoll/cli/doctor"
	"plimsoll/cli/page"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/cli/show"
	"plimsoll/cli/transfer"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/storage"
	"plimsoll/tui"
	"plimsoll/tui/breakdown"
)

// Page returns a text about the program or the conversation.
func (h *Host) Page(ctx context.Context, name, argument string) (string, error) {
	switch name {
	case tui.PageResult:
		return h.ExpandPage(ctx, argument)
	case tui.PageExport:
		return h.exportPage(ctx, argument, "", page.Omit{page.Home: true})
	case tui.PageShare:
		without, file, _ := strings.Cut(argument, " ")
		omit, err := page.Omissions(without)
		if err != nil {
			return "", err
		}
		return h.exportPage(ctx, file, transfer.ExportHTML, omit)
	case tui.PageConnect:
		return connectPage, nil
	case tui.PageDoctor:
		found, err := (&doctor.Examiner{Parts: h.deps.Parts}).Diagnose(ctx, false, nil)
		return found.Text, err
	}
	running := h.running()
	if running == nil {
		return "This conversation is read only.", nil
	}
	switch name {
	case tui.PageTools:
		return toolsPage(ctx, h, running), nil
	case tui.PageMCP:
		return h.serversPage(ctx, running, argument)
	case tui.PageSkill:
		return h.skillPage(running.Toolbox.Skills(), argument)
	case tui.PageAgents:
		return h.agentsPage(running)
	case tui.PageTodos:
		return todosPage(ctx, h, running), nil
	case tui.PageStatus, tui.PageCost:
		return h.statusPage(ctx, running, name == tui.PageCost)
	}
	return "", fmt.Errorf("there is no page %q", name)
}

// toolsPage lists the tools that the model can call, with what their declarations take of each request, how often they were
// called, and what their calls and results took, in this conversation and in all.
func toolsPage(ctx context.Context, h *Host, running *session.Running) string {
	events := h.storedEvents(ctx, running)
	declared, total := running.Agent.DeclaredTools()
	specs := slices.Clone(declared)
	add := func(t conversation.ToolSpec) {
		if !conversation.HasTool(specs, t.Name) {
			specs = append(specs, t)
		}
	}
	for _, t := range running.Toolbox.Specs() {
		add(t)
	}
	for _, t := range running.Toolbox.ServerTools() {
		add(t.Spec())
	}
	uses, everywhere, sum := map[string]inspect.ToolUse{}, map[string]inspect.ToolUse{}, 0
	for i, u := range inspect.ToolUses(events, specs) {
		if uses[u.Name] = u; i < len(declared) {
			sum += u.Tokens
		}
	}
	read, found := h.uses.add(ctx, h.deps.Resources.Store, everywhere)
	var b strings.Builder
	for _, t := range specs {
		about, _, _ := strings.Cut(strings.TrimSuffix(t.Description, "."), ". ")
		u := uses[t.Name]
		notes := []string{"~" + numbers.Tokens(u.Tokens*total/max(sum, 1)) + " tokens"} // the declared ones add up to total
		switch {
		case conversation.HasTool(declared, t.Name):
		case t.OfServer() && conversation.HasTool(declared, conversation.ToolFindTools):
			notes = append(notes, "looked up when it is needed")
		case t.OfServer():
			notes = append(notes, "not declared in this conversation; /mcp declare adds it")
		default:
			notes = append(notes, "not in this conversation: the window was too small when it began")
		}
		if t.ReadOnly {
			notes = append(notes, "read only")
		}
		if u.Uses > 0 {
			about += fmt.Sprintf(" · called %s here, ~%s tokens", numbers.Count(u.Uses, "time"), numbers.Tokens(u.Spent))
		}
		if all := everywhere[t.Name]; all.Uses > u.Uses {
			about += fmt.Sprintf(" · called %s in all, ~%s tokens", numbers.Count(all.Uses, "time"), numbers.Tokens(all.Spent))
		}
		fmt.Fprintf(&b, "%s · %s\n    %s\n", plain.Line(t.Name), strings.Join(notes, " · "), plain.Line(about))
	}
	all := "Calls of all conversations are counted"
	if read < found {
		all = fmt.Sprintf("Calls of the %[2]d newest of %[1]d conversations are counted", found, read)
	}
	return fmt.Sprintf("Declarations take ~%s tokens of each request. %s.\n\n%s", numbers.Tokens(total), all, b.String())
}

// toolUses keeps the uses of tools of stored conversations, which are read again when they have grown.
type toolUses struct {
	mu   sync.Mutex // guards what follows
	kept map[string]storedUses
}

type storedUses struct {
	events int
	uses   []inspect.ToolUse
}

// countTimeout is how long the uses of tools are counted for a page.
const countTimeout = 5 * time.Second

// add sums the uses of tools in the stored conversations, the newest first, as far as it gets in countTimeout. It returns how
// many it counted, and how many there are.
func (t *toolUses) add(ctx context.Context, store *storage.Store, uses map[string]inspect.ToolUse) (read, found int) {
	ctx, cancel := context.WithTimeout(ctx, countTimeout)
	defer cancel()
	t.mu.Lock()
	defer t.mu.Unlock()
	entries, _ := store.List(ctx, storage.Filter{Tasks: true}) // without the list nothing is counted
	for _, e := range entries {
		of, known := t.kept[e.ID]
		if !known || of.events != e.Events {
			events, _, _ := store.Load(ctx, e.ID) // doctor reports what cannot be read
			if ctx.Err() != nil {
				break
			}
			of = storedUses{e.Events, inspect.ToolUses(events, nil)}
			t.kept[e.ID] = of
		}
		read++
		for _, u := range of.uses {
			sum := uses[u.Name]
			sum.Uses, sum.Spent = sum.Uses+u.Uses, sum.Spent+u.Spent
			uses[u.Name] = sum
		}
	}
	return read, len(entries)
}

// todosPage is the model's list of todos, without what an undone turn wrote.
func todosPage(ctx context.Context, h *Host, running *session.Running) string {
	events := h.storedEvents(ctx, running)
	list := conversation.ParseTodos(conversation.LastTodos(events))
	if len(list) == 0 {
		return "No todos. The model keeps a list with its todo tools when a task has several steps."
	}
	var b strings.Builder
	for _, t := range list {
		mark := map[conversation.TodoStatus]string{conversation.TodoDone: "✓", conversation.TodoInProgress: "▸"}[t.Status]
		fmt.Fprintf(&b, "%s %s\n", cmp.Or(mark, "·"), t.Text)
	}
	return b.String()
}

// statusPage is the status of an open conversation: model and endpoint, what compaction will do, the files that were read,
// and the cost; or the cost alone.
func (h *Host) statusPage(ctx context.Context, running *session.Running, costsOnly bool) (string, error) {
	events := h.storedEvents(ctx, running)
	conn, workspace, rules := running.Current(), h.deps.Settings.Workspace, running.Config().Rules()
	m := conn.Model
	if last := setup.LastModel(events); last.Name() == m.Name() && last.Window > 0 { // the newest one by the server or the user
		m.Window = meter.Window{Tokens: last.Window, Source: meter.WindowSource(last.Source)}
	}
	measured := session.BreakdownOf(rules, session.NewSnapshot(ctx, h.deps.Resources.Store, running.ID, events), m)
	var b strings.Builder
	if costsOnly {
		if len(events) == 0 {
			return "No messages yet.", nil
		}
		show.WriteCosts(&b, m, measured.Costs)
		return b.String(), nil
	}
	writeRow := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s"+format+"\n", append([]any{name}, args...)...)
	}
	model := m.Name()
	if m.Badge != "" {
		model += ", " + m.Badge
	}
	if m.Effort != "" {
		model += ", effort " + m.Effort
	}
	writeRow("model", "%s", plain.Line(model))
	writeRow("endpoint", "%s", plain.Line(conn.Choice().DisplayAddress()))
	if w := measured.Reading; w.Window.IsKnown() {
		writeRow("window", "%s tokens (%s)", numbers.Grouped(w.Window.Tokens), breakdown.WindowNote(w.Window.Source))
		writeRow("", "load line %s (%s), hard line %s, %s kept free for the reply",
			numbers.Grouped(w.LoadLine), console.WindowShare(w, w.LoadLine), numbers.Grouped(w.HardLine), numbers.Grouped(w.Reserve))
	} else {
		writeRow("window", "unknown; set it with /window 128k")
	}
	words := measured.Forecast.Rule
	if p, ok := rules.Profiles[rules.DefaultProfile]; ok {
		words += "; /compact: " + rules.DefaultProfile + " (" + profileNote(p) + ")"
	}
	b.WriteByte('\n')
	writeRow("compaction", "%s", plain.Line(words))
	b.WriteByte('\n')
	writeRow("project", "%s", cmp.Or(plain.Line(session.InstructionNames(h.deps.Settings)), "no instructions"))
	writeRow("settings", "%s", h.settingsSources())
	writeRow("approvals", "%s; /permissions changes it", running.Toolbox.Mode())
	for i, line := range strings.Split(strings.TrimSuffix(h.deps.Resources.Sandbox(running.InitialConfig).State().String(), "\n"), "\n") {
		name := ""
		if i == 0 {
			name = "commands"
		}
		writeRow(name, "%s", plain.Line(line))
	}
	for i, line := range show.Hooks(running.InitialConfig.Hooks, events) {
		name := ""
		if i == 0 {
			b.WriteByte('\n')
			name = "hooks"
		}
		writeRow(name, "%s", line)
	}
	b.WriteByte('\n')
	writeRow("chat", "%s in %s", running.ID, plain.Line(workspace))
	if len(events) > 0 {
		show.WriteCosts(&b, m, measured.Costs)
	}
	return b.String(), nil
}

// settingsSources names the files that the configuration was read from.
func (h *Host) settingsSources() string {
	var files []string
	loaded := h.deps.Settings.Loaded.Load()
	for _, s := range loaded.Sources {
		if s.Found && s.Path != "" {
			files = append(files, plain.Line(s.Path))
		}
	}
	words := cmp.Or(strings.Join(files, ", "), "the defaults")
	if n := len(loaded.Refused); n > 0 {
		words += fmt.Sprintf("; %s of the workspace's file not applied", numbers.Count(n, "key"))
	}
	return words
}

// exportPage exports the conversation on the screen to a file, and returns a message. Without a format the ending of the file
// decides it; without a name it is one in the current folder. An existing file is not touched.
func (h *Host) exportPage(ctx context.Context, file string, format transfer.ExportFormat, omit page.Omit) (string, error) {
	id, _ := h.openID()
	path := cmp.Or(file, "plimsoll-"+id+"."+string(cmp.Or(format, transfer.ExportMarkdown)))
	for n := 2; file == ""; n++ {
		if _, err := os.Lstat(filepath.Join(h.deps.Console.Dir, path)); err != nil {
			break
		}
		path = fmt.Sprintf("plimsoll-%s-%d.%s", id, n, cmp.Or(format, transfer.ExportMarkdown))
	}
	path = h.deps.Console.Expand(path, h.deps.Console.Dir)
	var notes []string
	err := console.WriteNew(path, false, func(w io.Writer) error {
		var err error
		notes, err = (&transfer.Exporter{Parts: h.deps.Parts}).Write(ctx, w, id, cmp.Or(format, transfer.FormatOf(path)), omit)
		return err
	})
	if errors.Is(err, storage.ErrNotFound) {
		return "", errors.New("nothing to export yet")
	}
	if err != nil {
		return "", err
	}
	if cmp.Or(format, transfer.FormatOf(path)) == transfer.ExportHTML {
		notes = append(notes, "Read the page in a browser before you share it.")
	}
	return strings.Join(append([]string{"Written to " + h.deps.Console.Home(path) + "."}, notes...), "\n"), nil
}

// connectPage says how to use endpoints that are not in the list of providers.
const connectPage = `Any endpoint that speaks OpenAI's chat completions:
  plimsoll --base-url URL          for once; PLIMSOLL_API_KEY holds its key, if it wants one

Permanently, in the configuration (plimsoll config init):
  model: myserver/id
  providers:
    myserver: {base_url: "http://host:8000/v1", api_key_env: MYSERVER_KEY}

A server on this machine is found automatically: start it (ollama serve), then /connect.

A key in the environment (export ANTHROPIC_API_KEY=...) is used before a stored one.
plimsoll connect PROVIDER stores a key outside the chat, plimsoll disconnect PROVIDER removes it.
`
