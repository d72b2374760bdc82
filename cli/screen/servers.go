package screen

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/cli/session"
	"plimsoll/compact/meter"
	"plimsoll/config"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tools/mcp"
)

// serversPage acts on the MCP servers, and lists them.
func (h *Host) serversPage(ctx context.Context, running *session.Running, argument string) (string, error) {
	servers := h.deps.Servers
	action, name, _ := strings.Cut(strings.TrimSpace(argument), " ")
	name = strings.TrimSpace(name)
	known := servers.States(running)
	if action != "" && action != "declare" && !slices.ContainsFunc(known, func(s session.ServerState) bool { return s.Name == name }) {
		return "", fmt.Errorf("there is no server %q; write /mcp restart NAME, log NAME, on NAME, off NAME, or declare", name)
	}
	switch action {
	case "":
	case "declare":
		running.Agent.DeclareServerTools()
		return "The tools that the servers offer now are declared. The next request is read anew in full.", nil
	case "log":
		var b strings.Builder
		servers.WriteLog(&b, name)
		return cmp.Or(b.String(), name+" has logged nothing."), nil
	case "restart":
		if err := servers.Restart(ctx, name); err != nil {
			return "", err
		}
	case "on", "off":
		if err := running.Configure(ctx, map[string]string{config.Path("mcp", name, "enabled"): strconv.FormatBool(action == "on")}); err != nil {
			return "", err
		}
	default:
		return "", fmt.Errorf("/mcp has no %q; it has restart, log, on, off and declare", action)
	}
	known = servers.States(running)
	if len(known) == 0 {
		return "No MCP server yet. A server gives the model more tools, such as a browser or a database; it stands here with its state, its tools and what they take.\n\nIn a shell:\nplimsoll mcp add NAME -- COMMAND\n    adds a program\nplimsoll mcp add NAME --url URL\n    adds an address", nil
	}
	var b strings.Builder
	for _, s := range known {
		fmt.Fprintf(&b, "%s  %s\n", plain.Line(s.Name), plain.Line(describeServer(s)))
		for _, t := range running.Toolbox.ServerTools() {
			if t.Server == s.Name {
				fmt.Fprintf(&b, "    %s  ~%s tokens\n", plain.Line(t.Name), numbers.Grouped(int(meter.Estimate(mcp.Tool(t).Size()))))
			}
		}
	}
	return b.String(), nil
}

func describeServer(s session.ServerState) string {
	words := string(s.Phase)
	switch {
	case s.Off:
		return "off in this conversation"
	case s.Phase == mcp.Idle:
		words = "starts with the first message"
	case s.Error != "":
		words += ": " + s.Error
	case s.Phase == mcp.Ready:
		words += ", " + numbers.Count(s.Tools, "tool")
	}
	if s.Version != "" {
		words += ", calls itself " + s.Version
	}
	if s.Confined != "" {
		words += ", sandbox: " + s.Confined
	}
	return words
}
