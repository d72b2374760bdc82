package session

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// A past request is rebuilt from the events before it, their blobs, and the wire format that its client recorded. Rules:
//
//   - it counts as the same only if its hash equals the recorded one
//   - no log makes this fail or panic: the rest of a request is returned with the reason why it is not complete
//   - nothing is sent, and no key is needed

// RequestRef is a request in a stored conversation, with the conversation's store and events.
type RequestRef struct {
	Store  *storage.Store
	ID     string
	Events []conversation.Event
	inspect.SentRequest
}

// Rebuild rebuilds a request. The error is that of ctx; all other failures are described in Why.
func (c *Conversations) Rebuild(ctx context.Context, r RequestRef) (inspect.RebuiltRequest, error) {
	b := inspect.RebuiltRequest{SentRequest: r.SentRequest}
	if err := c.rebuildBody(ctx, r, &b); err != nil {
		if ctx.Err() != nil {
			return b, ctx.Err()
		}
		b.Why = err.Error()
		return b, nil
	}
	b.Hash = conversation.ContentHash(string(b.Body))
	switch sentHash := r.Usage.BodyHash; {
	case sentHash == "":
		b.Why = "no hash of what was sent was recorded, so it cannot be verified"
	case sentHash != b.Hash:
		b.Why = "it differs from what was sent, whose hash is " + sentHash
	default:
		b.MatchesSent = true
	}
	return b, nil
}

// rebuildBody sets the messages, prompt and tools of a request, then its body. The error names the missing part.
func (c *Conversations) rebuildBody(ctx context.Context, r RequestRef, b *inspect.RebuiltRequest) error {
	if r.Through == 0 {
		return errors.New("what the request was built from was not recorded")
	}
	log := r.Events[:sort.Search(len(r.Events), func(i int) bool { return r.Events[i].Seq > r.Through })]
	provider, model, err := modelAt(log, r.Usage.Model)
	if err != nil {
		return err
	}
	choice := c.Providers.ChoiceAt(provider, model)
	client := openai.New(c.Providers.Endpoint(choice))
	caps := c.Models.Model(ctx, choice).Caps
	messages, hardenErr := projection.Harden(projection.Project(log), caps)
	b.Messages = messages
	if err := r.readPrompt(ctx, log, b); err != nil {
		return err
	}
	if caps.NoTools {
		b.Tools = nil
	}
	if hardenErr != nil && (len(messages) == 0 || r.Usage.BodyHash == "") { // a request may end with a paused reply
		return fmt.Errorf("no request can be built from the messages up to then: %w", hardenErr)
	}
	request := llm.Request{Model: model, System: b.System, Messages: messages, Tools: b.Tools, MaxTokens: r.Usage.MaxTokens, Conversation: r.ID}
	if !caps.NoImages {
		request.PDFs = caps.PDFs
		request.LoadImage = func(ctx context.Context, blob string) (string, error) { return r.Store.Blob(ctx, r.ID, blob) }
	}
	if request, err = request.WithImages(ctx); err == nil {
		b.Body, err = client.Body(request, r.Usage.WireForm)
	}
	return err
}

// modelAt returns the provider and the id of the model that a request went to.
func modelAt(log []conversation.Event, name string) (provider, id string, err error) {
	if m, ok := conversation.Newest[conversation.ModelChanged](log); ok && (name == "" || m.Name() == name) && m.Model != "" {
		return m.Provider, m.Model, nil
	}
	provider, id, ok := strings.Cut(name, "/")
	if !ok || id == "" {
		return "", "", fmt.Errorf("the model it went to was not recorded: %q names none", name)
	}
	return provider, id, nil
}

// readPrompt reads the system prompt and the tools of the next request after a log.
func (r RequestRef) readPrompt(ctx context.Context, log []conversation.Event, b *inspect.RebuiltRequest) error {
	in, ok := conversation.Newest[conversation.Instructions](log)
	if !ok {
		return nil // imported from another program, without prompt and tools
	}
	var tools string
	for partName, part := range map[string]struct {
		blob string
		to   *string
	}{"system prompt": {in.System, &b.System}, "tools": {in.Tools, &tools}} {
		if part.blob == "" {
			continue
		}
		text, err := r.Store.Blob(ctx, r.ID, part.blob)
		if err != nil {
			return fmt.Errorf("reading the %s that it carried: %w", partName, err)
		}
		*part.to = text
	}
	if tools == "" {
		return nil
	}
	var err error
	if b.Tools, err = core.DecodeTools(tools); err != nil {
		return fmt.Errorf("reading the tools that it carried: %w", err)
	}
	return nil
}
