package mcp

import (
	"context"
	"net/url"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

//lint:file-ignore SA1019 servers of protocol versions before 2026-07-28 still ask for the roots and the model, and still log.

// client returns this program as the server sees it. It names the workspace, receives progress, changes of the tools and log
// lines, and passes questions on to the user and, where the configuration allows it, to the model.
func (s *server) client() *sdk.Client {
	options := &sdk.ClientOptions{
		Capabilities:                &sdk.ClientCapabilities{RootsV2: &sdk.RootCapabilities{}},
		ElicitationHandler:          s.elicit,
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { s.changing.Store(false); s.listAgain() },
		LoggingMessageHandler:       func(_ context.Context, r *sdk.LoggingMessageRequest) { s.noteLog(r.Params) },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { s.noteProgress(r.Params) },
	}
	if s.config.Sampling && s.options.Sample != nil {
		options.CreateMessageHandler = s.sample
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "plimsoll", Version: "1"}, options)
	c.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			return safely(func() (sdk.Result, error) { return next(ctx, method, r) })
		}
	})
	if s.options.Dir != "" {
		c.AddRoots(&sdk.Root{URI: (&url.URL{Scheme: "file", Path: s.options.Dir}).String(), Name: "workspace"})
	}
	return c
}
