package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/mcp"
)

// A server asks the user of the open conversation, and the model that it uses. A question ends with its conversation.

// userOf returns the open conversation, nil without one in which the server is on, and a context that ends with it, too.
func (s *Servers) userOf(ctx context.Context, server string) (*Running, context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	r := s.running
	s.mu.Unlock()
	if r == nil || r.serverOff(server) {
		cancel()
		return nil, ctx, cancel
	}
	forget := context.AfterFunc(r.lifetime, cancel)
	return r, ctx, func() { forget(); cancel() }
}

// elicit shows a form of a server to the user.
func (s *Servers) elicit(ctx context.Context, server, message string, fields []conversation.FormField) (map[string]any, string, error) {
	r, ctx, done := s.userOf(ctx, server)
	defer done()
	if r == nil {
		return nil, "decline", nil
	}
	answer, ok := r.Agent.AskUser(ctx, conversation.Review{Need: conversation.NeedForm, Title: "The server " + server + " asks", Question: message, Form: fields})
	switch {
	case ctx.Err() != nil:
		return nil, "cancel", nil
	case !ok || answer.Grant == conversation.GrantNo:
		return nil, "decline", nil
	}
	return answer.Values, "accept", nil
}

// Bounds of what a server asks the model: the largest answer if it names none, the largest that it may name, in tokens, and the
// longest question, in bytes.
const (
	defaultSample = 1000
	maxSample     = 100_000
	maxQuestion   = 256 << 10
)

// sample asks the model in use for a server, after the user saw the question and its price, and said yes.
func (s *Servers) sample(ctx context.Context, server string, asked mcp.SampleRequest) (mcp.SampleReply, error) {
	r, ctx, done := s.userOf(ctx, server)
	defer done()
	if r == nil {
		return mcp.SampleReply{}, errors.New("no conversation is open")
	}
	m := r.Current().Model
	request := llm.Request{System: asked.System, MaxTokens: defaultSample}
	if asked.MaxTokens > 0 {
		request.MaxTokens = int(min(asked.MaxTokens, maxSample))
	}
	if m.MaxOut > 0 {
		request.MaxTokens = min(request.MaxTokens, m.MaxOut)
	}
	shown := "system: " + asked.System
	for _, m := range asked.Messages {
		role := projection.RoleUser
		if m.Role == "assistant" {
			role = projection.RoleAssistant
		}
		request.Messages = append(request.Messages, projection.Message{Role: role, Text: m.Text})
		shown += "\n\n" + m.Role + ": " + m.Text
	}
	shown = strings.TrimPrefix(shown, "system: \n\n")
	if len(shown) > maxQuestion {
		return mcp.SampleReply{}, errors.New("the question is too long")
	}
	review := conversation.Review{Need: conversation.NeedApproval, Command: shown, NoReason: true,
		Title: fmt.Sprintf("The server %s asks the model, %s", server, priceOf(m, shown, request.MaxTokens))}
	if answer, ok := r.Agent.AskUser(ctx, review); !ok || answer.Grant == conversation.GrantNo {
		return mcp.SampleReply{}, errors.New("the user did not allow it")
	}
	reply, err := r.Agent.AskModel(ctx, m.Name(), conversation.PurposeServer, request)
	if err != nil {
		return mcp.SampleReply{}, err
	}
	stop := "endTurn"
	if reply.Stop == conversation.StopLength {
		stop = "maxTokens"
	}
	return mcp.SampleReply{Text: reply.Text.String(), Model: m.ID, StopReason: stop}, nil
}

func priceOf(m llm.Model, question string, answer int) string {
	tokens := int(meter.Estimate(conversation.Measure(question)))
	size := fmt.Sprintf("~%s tokens and up to %s of answer", numbers.Grouped(tokens), numbers.Grouped(answer))
	if m.Prices == nil {
		return size + ", price unknown"
	}
	return fmt.Sprintf("%s, about $%.4f at most", size, (float64(tokens)*m.Prices.Input+float64(answer)*m.Prices.Output)/1e6)
}
