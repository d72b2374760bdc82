package screen

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tui"
)

// Page returns a text about the program or the conversation.
func (h *Host) Page(ctx context.Context, name, about string) (string, error) {
	switch name {
	case tui.PageResult:
		return h.ExpandPage(ctx, about)
	case tui.PageExport:
		return h.exportPage(ctx, about)
	case tui.PageConnect:
		return connectPage, nil
	case tui.PageDoctor:
		return h.with.Examiner.Text(ctx)
	}
	h.mu.Lock()
	r := h.Running
	h.mu.Unlock()
	if r == nil {
		return "This conversation is read only.", nil
	}
	switch name {
	case tui.PageTools:
		return toolsPage(r), nil
	case tui.PageTodos:
		return todosPage(r), nil
	case tui.PageStatus:
		return statusPage(ctx, &h.with, r)
	case tui.PageCost:
		return h.costPage(ctx, r)
	}
	return "", fmt.Errorf("there is no page %q", name)
}

// toolsPage lists the tools the model can call.
func toolsPage(r *session.Running) string {
	var b strings.Builder
	declared := r.Agent.Declared()
	for _, t := range r.Box.Specs() {
		first, _, _ := strings.Cut(t.Description, ". ")
		access := ""
		if t.ReadOnly {
			access = " (read only)"
		}
		if !slices.Contains(declared, t.Name) {
			access += " (not in this conversation: the window was too small when it began)"
		}
		fmt.Fprintf(&b, "%s%s\n    %s\n", t.Name, access, strings.TrimSuffix(first, "."))
	}
	return b.String()
}

// todosPage is the list the model keeps.
func todosPage(r *session.Running) string {
	list := r.Box.Todos()
	if len(list) == 0 {
		return "No todos. The model keeps a list with its todo tools when a task has several steps."
	}
	var b strings.Builder
	for _, t := range list {
		mark := map[string]string{"completed": "✓", "in_progress": "▸"}[string(t.Status)]
		if mark == "" {
			mark = "·"
		}
		fmt.Fprintf(&b, "%s %s\n", mark, t.Text)
	}
	return b.String()
}

// costPage says what the conversation has cost so far, and by which prices.
func (h *Host) costPage(ctx context.Context, r *session.Running) (string, error) {
	events, _, err := h.with.Resources.Store.Load(ctx, r.ID)
	if err != nil {
		return "No messages yet.", nil
	}
	var requests, unknown, prompt, cached, completion int
	var usd float64
	priced := map[string]bool{}
	for _, e := range events {
		u, ok := e.Body.(conversation.Usage)
		if !ok {
			continue
		}
		requests++
		prompt += max(0, u.Prompt)
		cached += max(0, u.Cached)
		completion += max(0, u.Completion)
		if u.CostUSD == nil {
			unknown++
			continue
		}
		usd += *u.CostUSD
		priced[u.Priced] = true
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s so far: %s\n\n", numbers.Count(requests, "request"), costWords(requests, unknown, usd))
	fmt.Fprintf(&b, "sent       %10s tokens\nof these   %10s from the provider's cache\nreceived   %10s tokens\n",
		numbers.Grouped(prompt), numbers.Grouped(cached), numbers.Grouped(completion))
	for date := range priced {
		if date != "" {
			fmt.Fprintf(&b, "\nprices: %s", date)
		}
	}
	return b.String(), nil
}

// costWords is what requests cost; what has no known price is said so, and not
// counted as nothing.
func costWords(requests, unknown int, usd float64) string {
	switch {
	case unknown == 0:
		return "$" + console.Dollars(usd)
	case unknown == requests:
		return "price unknown"
	}
	return fmt.Sprintf("$%s for %d of them, price unknown for %d", console.Dollars(usd), requests-unknown, unknown)
}

// connectPage says how to reach what the list of providers does not have.
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
