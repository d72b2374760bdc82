package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"plimsoll/conversation"
)

//lint:file-ignore SA1019 servers of protocol versions before 2026-07-28 still ask for the model, and still log.

// What a server asks of the user and of the model. While the user is asked, the timeouts of calls stand still.

// SampleRequest is what a server asks the model.
type SampleRequest struct {
	System    string
	Messages  []SampleMessage
	MaxTokens int64
}

// SampleMessage is one message of a SampleRequest; the role is user or assistant.
type SampleMessage struct{ Role, Text string }

// SampleReply is the answer of the model. StopReason is endTurn or maxTokens.
type SampleReply struct{ Text, Model, StopReason string }

// elicit shows a form of the server.
func (s *server) elicit(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	if s.options.Elicit == nil || r.Params.Mode != "" && r.Params.Mode != "form" {
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	fields, err := s.formFields(r.Params.RequestedSchema)
	if err != nil {
		return nil, err
	}
	result := &sdk.ElicitResult{}
	err = s.ask(ctx, func(ctx context.Context) (bool, error) {
		values, action, err := s.options.Elicit(ctx, s.config.Name, s.described(r.Params.Message), fields)
		result.Action = action
		if action == "accept" {
			result.Content = values
		}
		return action != "accept", err
	})
	if err != nil {
		return nil, errors.New("the user could not be asked")
	}
	return result, nil
}

// maxFields is the most fields of a form, and arguments of a prompt.
const maxFields = 50

// property is one property of the schema of a form.
type property struct {
	Type, Title, Description, Format string
	Enum, EnumNames                  []string
	OneOf                            []titled
	Items                            *property
	AnyOf                            []titled
	Default                          any
	Minimum, Maximum                 *float64
	MinLength, MaxLength             *float64
	MinItems, MaxItems               *float64
}

type titled struct{ Const, Title string }

// formFields returns the fields of a form, those that are required first, then by name.
func (s *server) formFields(schema any) ([]conversation.FormField, error) {
	data, err := json.Marshal(schema)
	var form struct {
		Properties map[string]property
		Required   []string
	}
	if err == nil {
		err = json.Unmarshal(data, &form)
	}
	if err != nil || len(form.Properties) > maxFields || len(data) > maxSchema {
		return nil, errors.New("the form cannot be shown")
	}
	var fields []conversation.FormField
	for name, p := range form.Properties {
		f := conversation.FormField{Name: name, Title: s.line(cmp.Or(p.Title, name)), Description: s.described(p.Description), Type: p.Type, Format: s.line(p.Format),
			Required: slices.Contains(form.Required, name), Default: p.Default, Min: cmp.Or(p.Minimum, p.MinLength, p.MinItems), Max: cmp.Or(p.Maximum, p.MaxLength, p.MaxItems)}
		choice := p
		if p.Type == "array" && p.Items != nil {
			choice, f.Type = *p.Items, "choices"
		} else if len(p.Enum) > 0 || len(p.OneOf) > 0 {
			f.Type = "choice"
		}
		f.Options = slices.Clone(choice.Enum)
		for i, v := range choice.Enum {
			if len(choice.EnumNames) == len(choice.Enum) {
				v = choice.EnumNames[i]
			}
			f.Labels = append(f.Labels, s.line(v))
		}
		for _, t := range slices.Concat(choice.OneOf, choice.AnyOf) {
			f.Options, f.Labels = append(f.Options, t.Const), append(f.Labels, s.line(cmp.Or(t.Title, t.Const)))
		}
		fields = append(fields, f)
	}
	slices.SortFunc(fields, func(a, b conversation.FormField) int {
		if a.Required != b.Required {
			return map[bool]int{true: -1, false: 1}[a.Required]
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return fields, nil
}

// sample asks the model for the server.
func (s *server) sample(ctx context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
	p := r.Params
	request := SampleRequest{System: s.safe(p.SystemPrompt), MaxTokens: p.MaxTokens}
	for _, m := range p.Messages {
		if m != nil {
			request.Messages = append(request.Messages, SampleMessage{Role: s.line(string(m.Role)), Text: s.safe(contentText(m.Content))})
		}
	}
	var reply SampleReply
	err := s.ask(ctx, func(ctx context.Context) (refused bool, err error) {
		reply, err = s.options.Sample(ctx, s.config.Name, request)
		return err != nil, err
	})
	if err != nil {
		return nil, errors.New("the model was not asked, or gave no answer")
	}
	return &sdk.CreateMessageResult{Content: &sdk.TextContent{Text: reply.Text}, Model: reply.Model, Role: "assistant", StopReason: reply.StopReason}, nil
}
