package mcp

import (
	"context"
	"encoding/json"
	"net/url"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

//lint:file-ignore SA1019 servers of protocol versions before 2026-07-28 still ask for the roots, and still log.

// client is this program as the server sees it: it tells the workspace, takes progress, changes and log lines, and offers nothing else.
func (s *server) client() *sdk.Client {
	c := sdk.NewClient(&sdk.Implementation{Name: "plimsoll", Version: "1"}, &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{RootsV2: &sdk.RootCapabilities{}},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { s.listAgain() },
		LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) {
			text, _ := json.Marshal(r.Params.Data) // what was decoded encodes again
			s.log.addLine(string(r.Params.Level) + ": " + string(text[:min(len(text), 4*lineChars)]))
		},
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { s.noteProgress(r.Params) },
	})
	if s.options.Dir != "" {
		c.AddRoots(&sdk.Root{URI: (&url.URL{Scheme: "file", Path: s.options.Dir}).String(), Name: "workspace"})
	}
	return c
}
