package core

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// Tools of servers are declared when the servers have started: after the first message, before the first request. Rules:
//
//   - A conversation of which a model has seen a request keeps its tools, so that the provider's cache stays valid. What it lacks
//     is said once, and DeclareTools adds it when the user asks for it.
//   - Whatever changes the declarations is recorded in the log before the next request.

// unknownWindow is assumed, in tokens, where the size of a window is unknown and nothing else is assumed.
const unknownWindow = 128_000

// ServerTools starts the servers, and returns their declarations for this conversation. It may run on any goroutine; the journal
// only gives it copies.
func (j *Journal) ServerTools(servers ToolServers) func(context.Context) []conversation.ToolSpec {
	s := &j.settings
	window := cmp.Or(s.Model.Window.Tokens, s.assumedWindow, unknownWindow)
	measured := *s // the function runs on another goroutine
	tokens := func(specs []conversation.ToolSpec) int {
		text, err := EncodeTools(specs)
		if err != nil {
			return window // a schema that is not JSON is never declared
		}
		return int(measured.formTokens(declaration{text: text}))
	}
	own := ownTools(s.Tools)
	return func(ctx context.Context) []conversation.ToolSpec { return servers.Declare(ctx, own, window, tokens) }
}

// DeclareServerTools declares the tools of servers, in place of those declared before. In a conversation of which a model has
// seen a request it does so only if asked, and else returns a notice about the tools that are not declared, or nil.
func (j *Journal) DeclareServerTools(specs []conversation.ToolSpec, asked bool) ([]conversation.Body, error) {
	s := &j.settings
	text, err := EncodeTools(append(ownTools(s.Tools), specs...))
	if err != nil {
		return nil, fmt.Errorf("declaring the tools of servers: %w", err)
	}
	switch {
	case text == s.toolText:
		return nil, nil
	case j.hasRequest() && !asked:
		return s.undeclaredNotice(specs), nil
	}
	if s.Tools, err = DecodeTools(text); err != nil {
		return nil, fmt.Errorf("declaring the tools of servers: %w", err)
	}
	s.toolText, s.PromptBlobs, s.forms = text, nil, s.forms[:1]
	j.meter = j.meter.WithPrompt(s.PromptSizes())
	j.updateKeptOut()
	return nil, nil
}

// ownTools are the declarations that are not of servers.
func ownTools(declared []conversation.ToolSpec) []conversation.ToolSpec {
	return slices.DeleteFunc(slices.Clone(declared), conversation.ToolSpec.OfServer)
}

// hasRequest reports whether a model has seen a request of the conversation.
func (j *Journal) hasRequest() bool {
	return slices.ContainsFunc(j.log.Events(), func(e conversation.Event) bool {
		switch b := e.Body.(type) {
		case conversation.AssistantMessage:
			return true
		case conversation.Usage:
			return b.Purpose == conversation.PurposeReply
		}
		return false
	})
}

// undeclaredNotice says which tools of servers the conversation does not declare, nil if it declares all.
func (s *Settings) undeclaredNotice(specs []conversation.ToolSpec) []conversation.Body {
	missing := 0
	for _, t := range specs {
		if !conversation.HasTool(s.Tools, t.Name) {
			missing++
		}
	}
	if missing == 0 {
		return nil
	}
	return []conversation.Body{conversation.Notice{Level: conversation.NoticeInfo, Text: fmt.Sprintf(
		"Servers offer %d tools that this conversation began without. It keeps the tools it has; /mcp declare adds these, and the next request is then read anew in full.", missing)}}
}

// KeptOut is how many tokens the declarations of the servers would take that the newest requests leave to be looked up, 0 if they
// are declared.
func KeptOut(log []conversation.Event, declared []conversation.ToolSpec) int {
	if !conversation.HasTool(declared, conversation.ToolFindTools) {
		return 0
	}
	newest, off := map[string]int{}, map[string]bool{}
	for i := range log {
		switch b := log[i].Body.(type) {
		case conversation.MCPServer:
			if b.Tools > 0 {
				newest[b.Server] = int(meter.Estimate(b.Size))
			} else if b.State == "ready" {
				delete(newest, b.Server)
			}
		case conversation.ConfigChanged:
			for key, value := range b.Set {
				if name, ok := strings.CutPrefix(key, "mcp."); ok && strings.HasSuffix(name, ".enabled") {
					off[strings.TrimSuffix(name, ".enabled")] = value == "false"
				}
			}
		}
	}
	total := 0
	for server, n := range newest {
		if !off[server] {
			total += n
		}
	}
	return total
}
