package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

//lint:file-ignore SA1019 servers of protocol versions before 2026-07-28 still ask for the model.

// harbour is an MCP server that uses what else a client offers: prompts, resources, forms, and the model.
func harbour(t *testing.T) (url string) {
	s := sdk.NewServer(&sdk.Implementation{Name: "harbour", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "load"}, func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		form, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "How is it loaded?", RequestedSchema: json.RawMessage(
			`{"type":"object","required":["owner"],"properties":{"owner":{"type":"string","title":"Owner"},"line":{"type":"string","enum":["summer","winter"]}}}`)})
		if err != nil {
			return nil, nil, err
		}
		advice, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 50, SystemPrompt: "Be a pilot.",
			Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "Which tide?"}}}})
		words := "nobody"
		if err == nil {
			words = advice.Content.(*sdk.TextContent).Text
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf("%s %v %v, advised by %s", form.Action, form.Content["owner"], form.Content["line"], words)}}}, nil, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "inspect", Description: "Looks at a ship", Arguments: []*sdk.PromptArgument{{Name: "ship", Required: true}}},
		func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Inspect the " + r.Params.Arguments["ship"] + "."}}}}, nil
		})
	s.AddResource(&sdk.Resource{URI: "port://rules", Name: "rules", Size: 40}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "port://rules", Text: "No ship above its line."}}}, nil
	})
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(web.Close)
	return web.URL
}

// What a server offers and asks besides its tools reaches the user, and nothing of it is sent without a yes.
func TestServerOffersPromptsAndResourcesAndAsks(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, project)
	p.writeFile(".cursor/mcp.json", `{"mcpServers":{"tides":{"command":"tides"}}}`)
	s := newServer(t, textReply("Hello."), textReply("Shipshape."), callReply("c1", "mcp__harbour__load", object{}), textReply("High tide."), textReply("Loaded."))
	term := p.startChat(defaultSize, s, "--cfg", "mcp.harbour.url="+harbour(t), "--cfg", "mcp.harbour.sampling=true", "--cfg", "permissions.allow=[mcp__harbour]")
	term.awaitText("(tides);") // a long path before it may break the line anywhere else
	term.sendMessage("/new")
	term.sendMessage("hello")
	if term.awaitIdle("Hello.").has("tides") {
		t.Error("servers of another client are offered again")
	}

	term.typeText("/harb")
	term.awaitText("harbour:inspect", "server · Looks at a ship")
	term.press("tab")
	term.typeText("Great Eastern")
	term.press("enter")
	term.awaitIdle("Shipshape.")
	if sent := s.request(-1); !strings.Contains(sent, "Inspect the Great Eastern.") {
		t.Errorf("the prompt is not what was sent: %s", sent)
	}

	term.typeText("load by @harb")
	term.awaitText("harbour:port://rules")
	term.press("tab")
	term.press("enter")
	form := term.awaitQuestion("The server harbour asks", "How is it loaded?", "Owner *", "line")
	if sent := s.request(-1); !strings.Contains(sent, "No ship above its line.") {
		t.Errorf("the resource is not sent: %s", sent)
	}
	if form.has("Which tide?") {
		t.Error("the second question covers the first")
	}
	term.press("enter")
	term.awaitText("Owner *: it is needed")
	term.typeText("Brunel")
	term.press("down", "right", "enter")
	term.awaitQuestion("Allow this?", "The server harbour asks the model", "tokens and up to 50 of answer, price unknown", "system: Be a pilot.", "user: Which tide?")
	if n := s.requestCount(); n != 3 {
		t.Errorf("%d requests were made before the yes", n)
	}
	term.typeText("y")
	term.awaitIdle("Loaded.")
	if sent := s.request(-1); !strings.Contains(sent, "accept Brunel summer, advised by High tide.") {
		t.Errorf("the answers did not reach the server: %s", sent)
	}
	term.sendMessage("/tools")
	term.awaitText("Declarations take ~", "Calls of all conversations are counted.")
	term.press("end")
	term.awaitText("mcp__harbour__load · ~", "called 1 time here, ~")
	term.press("q")
	term.awaitIdle("Loaded.")
	p.quit(term)
}
