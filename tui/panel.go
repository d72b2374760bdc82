package tui

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/conversation/diff"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/diffview"
	"plimsoll/tui/pane"
)

// On a wide screen a panel stands at the right of the transcript: what fills the window, what comes next, files that were
// changed, the checklist, what runs, and the MCP servers. It follows the events, not the stream: its lines are drawn only when
// what they show has changed, so that tokens and keys cost no more beside it.

// The sizes of the panel.
const (
	panelWidth      = 44
	panelTaken      = panelWidth + 4 // with a rule, a blank, and the gutter
	panelFrom       = 150            // columns from which it stands by itself
	leastWithPanel  = 110            // columns from which a key opens it
	leastPanelLines = 20             // of the screen
	panelList       = 6              // lines of a list, at most
)

// panel is what the panel shows besides the session, and its lines.
type panel struct {
	wanted, chosen bool // a key opened or closed it: wanted counts if chosen

	seen    int                // events that were read
	changed []diff.ChangedFile // in the order of the last change, the newest first
	servers []conversation.MCPServer
	jobs    []conversation.JobStarted

	shown panelShown
	lines []string
	left  string // what stood at the left when joined was made
	both  string
}

// panelShown is what the lines of the panel follow from.
type panelShown struct {
	reading meter.Reading // without costs
	next    string
	seen    int
	height  int
}

// panelOpen reports whether the panel stands at the right of the transcript.
func (c *chat) panelOpen() bool {
	p, from := &c.panel, panelFrom
	if c.env.Panel == "on" || p.chosen {
		from = leastWithPanel
	}
	if !c.session.isOpen || c.area.width < from || c.area.height < leastPanelLines {
		return false
	}
	if p.chosen {
		return p.wanted
	}
	return c.env.Panel != "off"
}

func (c *chat) togglePanel() pane.Action {
	if c.area.width < leastWithPanel || c.area.height < leastPanelLines {
		return refusal(fmt.Sprintf("the panel needs %d columns and %d lines", leastWithPanel, leastPanelLines))
	}
	c.panel.wanted, c.panel.chosen = !c.panelOpen(), true
	return nil
}

// bodyWidth is the width of the transcript.
func (c *chat) bodyWidth() int {
	if c.panelOpen() {
		return c.area.width - panelTaken
	}
	return c.area.width
}

// besidePanel joins what is at the left with the panel, if that is open.
func (c *chat) besidePanel(left string) string {
	if !c.panelOpen() {
		return left
	}
	p, s := &c.panel, c.session
	p.read(s.log)
	now := panelShown{reading: c.metering, next: c.nextSentence(), seen: p.seen, height: strings.Count(left, "\n") + 1}
	now.reading.CostUSD = nil
	if now == p.shown && left == p.left {
		return p.both
	}
	if now != p.shown {
		p.shown, p.lines = now, c.panelLines(now)
	}
	p.left = left
	p.both = strings.Join(pane.Columns(strings.Split(left, "\n"), p.lines, c.styles.rule.Render("│")+" ", c.bodyWidth(), now.height), "\n")
	return p.both
}

// read reads the events that were added.
func (p *panel) read(log []conversation.Event) {
	for _, e := range log[p.seen:] {
		switch b := e.Body.(type) {
		case conversation.ToolResult:
			if f, ok := diff.Parse(b.Detail); ok {
				changed := diff.ChangedFile{Name: f.Name()}
				if i := slices.IndexFunc(p.changed, func(c diff.ChangedFile) bool { return c.Name == changed.Name }); i >= 0 {
					changed = p.changed[i]
					p.changed = slices.Delete(p.changed, i, i+1)
				}
				changed.Diffs = append(changed.Diffs, f)
				p.changed = slices.Insert(p.changed, 0, changed)
			}
		case conversation.MCPServer:
			p.servers = append(slices.DeleteFunc(p.servers, func(s conversation.MCPServer) bool { return s.Server == b.Server }), b)
		case conversation.JobStarted:
			p.jobs = append(p.jobs, b)
		case conversation.JobEnded:
			p.jobs = slices.DeleteFunc(p.jobs, func(j conversation.JobStarted) bool { return j.ID == b.ID })
		}
	}
	p.seen = len(log)
}

// nextSentence is the forecast of the planner less the tokens that were added since; what the gauge says until there is one.
func (c *chat) nextSentence() string {
	f, then := c.session.breakdown.Forecast, c.session.breakdown.Reading
	if f.State == "" || then.LoadLine != c.metering.LoadLine { // not computed yet, or for other rules
		forms := append(c.session.compactionForms(c.metering), "")
		return forms[0]
	}
	f.TokensLeft, f.Cold = max(0, f.TokensLeft-max(0, c.metering.Used-then.Used)), c.session.isCacheCold()
	return f.Text(c.session.cache.coldTimeText(c.env.Now()))
}

// panelLines draws the panel.
func (c *chat) panelLines(shown panelShown) []string {
	st, s, p := c.styles, c.session, &c.panel
	var out []string
	section := func(title, right string, lines []string) {
		if len(lines) == 0 {
			return
		}
		if out != nil {
			out = append(out, "")
		}
		out = append(append(out, st.subtle.Render(pane.Between(title, right, panelWidth))), lines...)
	}
	section("Context", "", c.gauge.List(shown.reading, panelWidth))
	if shown.next != "" {
		section("Next", "", listed(pane.Wrap(plain.Line(shown.next), panelWidth), st.subtle.Render))
	}
	section("Files changed", more(len(p.changed), "/diff"), listed(p.changed, func(f diff.ChangedFile) string {
		return pane.Between(st.subtle.Render(pane.ClipLeft(plain.Line(f.Name), panelWidth-16)), diffview.Stat(f.Stat()), panelWidth)
	}))
	if len(s.todos) > 0 {
		section("Todo", "", c.todoList(s.todos, panelWidth))
	}
	running := listed(s.runningTasks, func(t conversation.TaskStarted) string {
		return st.subtle.Render(pane.Clip("⊖ "+plain.Line(t.Prompt), panelWidth))
	})
	section("Running", more(len(s.runningTasks)+len(p.jobs), "/tasks /jobs"), append(running, listed(p.jobs, func(j conversation.JobStarted) string {
		return st.subtle.Render(pane.Clip("$ "+plain.Line(j.Command), panelWidth))
	})...))
	section("Servers", more(len(p.servers), "/mcp"), listed(p.servers, func(m conversation.MCPServer) string {
		state := m.State
		if m.State == "ready" || m.State == "changed" {
			state = numbers.Count(m.Tools, "tool")
		}
		return pane.Between(st.subtle.Render(pane.Clip(plain.Line(m.Server), panelWidth-16)), plain.Line(state), panelWidth)
	}))
	if len(out) > shown.height {
		out = append(out[:max(0, shown.height-1)], st.subtle.Render("…"))
	}
	return out
}

// listed draws the first items of a list, a line each.
func listed[T any](items []T, draw func(T) string) []string {
	var out []string
	for _, it := range items[:min(len(items), panelList)] {
		out = append(out, draw(it))
	}
	return out
}

// more names the command that shows all items of a list of which some are left out.
func more(items int, command string) string {
	if items > panelList {
		return fmt.Sprintf("%d · %s", items, command)
	}
	return ""
}
