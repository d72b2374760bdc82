package openai_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
	"testing"

	goopenai "github.com/sashabaranov/go-openai"

	"plimsoll/agent/anthropic/anthropictest"
	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
	"plimsoll/tools/picture"
)

// photograph is a JPEG of 12 megapixels, in short mode of fewer but still more than any model looks at.
func photograph(t *testing.T) []byte {
	t.Helper()
	width := 4000
	if testing.Short() {
		width = 2100
	}
	m := image.NewYCbCr(image.Rect(0, 0, width, width*3/4), image.YCbCrSubsampleRatio420)
	for i := range m.Y {
		m.Y[i] = byte(i*i>>7 ^ i>>5)
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = byte(i>>8), byte(i>>4)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// attached returns a log with a message that has an image, and the base64 text of its blob.
func attached(t *testing.T, file []byte, side int) ([]conversation.Event, string) {
	t.Helper()
	p, err := picture.Prepare(t.Context(), file, side)
	if err != nil {
		t.Fatal(err)
	}
	data := base64.StdEncoding.EncodeToString(p.Data)
	var l conversation.Log
	err = l.Commit(l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: "what is in @big.jpg?",
		Images: []conversation.Image{{Blob: "b1", Media: p.Media, Name: "big.jpg", Width: p.Width, Height: p.Height, Bytes: len(p.Data)}}}))
	if err != nil {
		t.Fatal(err)
	}
	return l.Events(), data
}

// wireCase is a wire, the model's rule and what checks its bodies.
type wireCase struct {
	name     string
	options  openai.Options
	model    string
	tokens   float64 // of an image of 4 to 3, by the published rule
	problems func(t *testing.T, body []byte) (url string)
}

func wireCases() []wireCase {
	return []wireCase{
		{"chat", openai.Options{Provider: "openai", Wire: openai.WireChat}, "gpt-4o", 85 + 4*170, chatImage},
		{"responses", openai.Options{Provider: "openai", Wire: openai.WireResponses}, "gpt-5.5", 85 + 4*170, responsesImage},
		{"messages", openai.Options{Provider: "anthropic"}, "claude-sonnet-4-5", 1568 * 1176 / 750.0, messagesImage},
	}
}

// chatImage checks a body by the library's types and the reference of chat completions.
func chatImage(t *testing.T, body []byte) string {
	var r goopenai.ChatCompletionRequest
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	parts := r.Messages[0].MultiContent
	if len(parts) != 2 || parts[0].Type != goopenai.ChatMessagePartTypeImageURL || parts[0].ImageURL == nil ||
		parts[1].Type != goopenai.ChatMessagePartTypeText || parts[1].Text != "what is in @big.jpg?" {
		t.Fatalf("the parts are %.300s", body)
	}
	return parts[0].ImageURL.URL
}

// responsesImage checks a body by the reference of the Responses API.
func responsesImage(t *testing.T, body []byte) string {
	var r struct {
		Input []struct {
			Role    string
			Content []struct{ Type, Detail, Text, Image_URL string }
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	c := r.Input[0].Content
	if r.Input[0].Role != "user" || len(c) != 2 || c[0].Type != "input_image" || c[0].Detail != "auto" || c[1].Type != "input_text" ||
		c[1].Text != "what is in @big.jpg?" {
		t.Fatalf("the content is %.300s", body)
	}
	return c[0].Image_URL
}

// messagesImage checks a body by the rules of the Messages API.
func messagesImage(t *testing.T, body []byte) string {
	if problems := anthropictest.Problems(body, false); problems != nil {
		t.Fatal(problems)
	}
	var r struct {
		Messages []struct {
			Content []struct {
				Type   string
				Source struct{ Media_type, Data string }
			}
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	s := r.Messages[0].Content[0].Source
	return "data:" + s.Media_type + ";base64," + s.Data
}

func TestAnImageOf12MegapixelsIsSentOnEachWire(t *testing.T) {
	t.Parallel()
	file := photograph(t)
	for _, c := range wireCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			client := openai.New(c.options)
			e, ok := client.Entry(c.model)
			if !ok {
				t.Fatalf("%s is not in the catalogue", c.model)
			}
			model := e.Model(c.model)
			model.Images = client.ImageRule(model)
			log, data := attached(t, file, model.Images.MaxSide())
			messages, err := projection.Harden(projection.Project(log), model.Caps)
			if err != nil {
				t.Fatal(err)
			}
			reads := 0
			r, err := llm.Request{Model: c.model, Messages: messages, LoadImage: func(_ context.Context, blob string) (string, error) {
				reads++
				return map[string]string{"b1": data}[blob], nil
			}}.WithImages(t.Context())
			if err != nil || reads != 1 {
				t.Fatalf("%d reads, %v", reads, err)
			}
			body, err := client.Body(r, "")
			if err != nil {
				t.Fatal(err)
			}
			url := c.problems(t, body)
			raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(url, "data:image/jpeg;base64,"))
			if err != nil {
				t.Fatalf("%.80s: %v", url, err)
			}
			size, err := jpeg.DecodeConfig(bytes.NewReader(raw))
			if err != nil || max(size.Width, size.Height) != model.Images.MaxSide() {
				t.Errorf("%dx%d is sent, %v", size.Width, size.Height, err)
			}
			m := meter.New(model.MeterOptions(preset.DefaultRules())).WithView(projection.Project(log))
			got := float64(m.Reading().Used) - meter.Estimate(conversation.Measure("what is in @big.jpg?")) - meter.FramingTokens
			if got < 0.95*c.tokens || got > 1.05*c.tokens {
				t.Errorf("it counts %.0f tokens, by the rule %.0f", got, c.tokens)
			}
		})
	}
}

func TestAModelWithoutEyesIsSentALine(t *testing.T) {
	t.Parallel()
	log, data := attached(t, encodedSquare(t), 2048)
	for _, c := range wireCases() {
		messages, err := projection.Harden(projection.Project(log), projection.Capabilities{})
		if err != nil {
			t.Fatal(err)
		}
		for lost, load := range map[bool]func(context.Context, string) (string, error){
			false: nil, true: func(context.Context, string) (string, error) { return "", nil },
		} {
			r, err := llm.Request{Model: c.model, Messages: messages, LoadImage: load}.WithImages(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			body, err := openai.New(c.options).Body(r, "")
			if err != nil || !bytes.Contains(body, []byte(`what is in @big.jpg?\n[image big.jpg 20x20: not sent, because it cannot be shown to this model]`)) ||
				bytes.Contains(body, []byte(data)) {
				t.Errorf("%s, lost %v: %s, %v", c.name, lost, body, err)
			}
		}
	}
}

func encodedSquare(t *testing.T) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 20, 20))
	m.SetGray(3, 3, color.Gray{Y: 200})
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAnImageOfAResultIsSentOnEachWire(t *testing.T) {
	t.Parallel()
	p, err := picture.Prepare(t.Context(), encodedSquare(t), 1568)
	if err != nil {
		t.Fatal(err)
	}
	data := base64.StdEncoding.EncodeToString(p.Data)
	shot := []conversation.Image{{Blob: "b1", Media: p.Media, Name: "big.jpg", Width: p.Width, Height: p.Height}}
	var l conversation.Log
	if err := l.Commit(l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: "look"},
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: "a", Name: "shot"}, {ID: "b", Name: "shot"}}},
		conversation.ToolResult{CallID: "a", Tool: "shot", Text: "one", Images: shot, Status: conversation.ResultError},
		conversation.ToolResult{CallID: "b", Tool: "shot", Text: "two", Status: conversation.ResultOK},
		conversation.AssistantMessage{Text: "a photograph"}, conversation.UserMessage{Text: "thanks"})); err != nil {
		t.Fatal(err)
	}
	for _, c := range wireCases() {
		client, bodies := openai.New(c.options), [][]byte{}
		for _, n := range []int{4, 6} {
			messages, err := projection.Harden(projection.Project(l.Events()[:n]), projection.Capabilities{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := llm.Request{Model: c.model, Messages: messages, LoadImage: func(context.Context, string) (string, error) { return data, nil }}.WithImages(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			body, err := client.Body(r, "")
			if err != nil {
				t.Fatal(err)
			}
			bodies = append(bodies, body)
		}
		want := map[string]string{
			"chat": `{"role":"tool","content":"one","tool_call_id":"a"},{"role":"tool","content":"two","tool_call_id":"b"},` +
				`{"content":[{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,DATA"}},{"type":"text","text":"[the images of the results above]"}],"role":"user"}`,
			"responses": `"output":[{"type":"input_image","detail":"auto","image_url":"data:image/jpeg;base64,DATA"},{"type":"input_text","text":"one"}]}`,
			"messages":  `"content":[{"type":"text","text":"one"},{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"DATA"}}]},{"type":"tool_result","tool_use_id":"b","content":"two"}`,
		}[c.name]
		for _, body := range bodies {
			if got := strings.ReplaceAll(string(body), data, "DATA"); !strings.Contains(got, want) {
				t.Errorf("%s: %s", c.name, got)
			}
			if c.name == "messages" {
				if problems := anthropictest.Problems(body, false); problems != nil {
					t.Error(problems)
				}
			}
		}
	}
}

func TestAPDFIsSentOnEachWire(t *testing.T) {
	t.Parallel()
	data := base64.StdEncoding.EncodeToString([]byte("%PDF-1.7\n<</Type/Pages/Count 3>>"))
	spec := []conversation.Image{{Blob: "b1", Media: conversation.MediaPDF, Name: "docs/spec.pdf", Pages: 3}}
	var l conversation.Log
	if err := l.Commit(l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: "look", Images: spec},
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: "a", Name: "read_file"}}},
		conversation.ToolResult{CallID: "a", Tool: "read_file", Text: "one", Images: spec, Status: conversation.ResultOK})); err != nil {
		t.Fatal(err)
	}
	const file = `{"type":"file","file":{"filename":"spec.pdf","file_data":"data:application/pdf;base64,DATA"}}`
	const input = `[{"type":"input_file","file_data":"data:application/pdf;base64,DATA","filename":"spec.pdf"},{"type":"input_text","text":`
	const document = `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"DATA"},"title":"docs/spec.pdf"}`
	want := map[string][]string{
		"chat":      {`"content":[` + file + `,{"type":"text","text":"look"}]`, `"content":[` + file + `,{"type":"text","text":"[the images of the results above]"}]`},
		"responses": {`"content":` + input + `"look"}]`, `"output":` + input + `"one"}]`},
		"messages":  {`"content":[` + document + `,{"type":"text","text":"look"`, `"content":[{"type":"text","text":"one"},` + document + `]`},
	}
	line := []string{`look\n[PDF docs/spec.pdf 3 pages: not sent, because it cannot be shown to this model]`, `one\n[PDF docs/spec.pdf 3 pages: not sent`}
	for _, c := range wireCases() {
		client := openai.New(c.options)
		caps := client.Capabilities(c.model)
		other := openai.Options{Provider: c.options.Provider, Wire: c.options.Wire, BaseURL: "http://127.0.0.1:1/v1"}
		if !caps.PDFs || openai.New(other).Capabilities("other").PDFs {
			t.Errorf("%s takes PDFs: %v, and at another address %v", c.name, caps.PDFs, !caps.PDFs)
		}
		messages, err := projection.Harden(projection.Project(l.Events()), caps)
		if err != nil {
			t.Fatal(err)
		}
		for sent, parts := range map[bool][]string{true: want[c.name], false: line} {
			r, err := llm.Request{Model: c.model, Messages: messages, PDFs: sent, LoadImage: func(context.Context, string) (string, error) { return data, nil }}.WithImages(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			body, err := client.Body(r, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range parts {
				if got := strings.ReplaceAll(string(body), data, "DATA"); !strings.Contains(got, part) {
					t.Errorf("%s, sent %v: no %s in %s", c.name, sent, part, got)
				}
			}
			if problems := anthropictest.Problems(body, false); c.name == "messages" && problems != nil {
				t.Error(problems)
			}
		}
	}
	if openai.New(openai.Options{Provider: "gemini"}).Capabilities("gemini-3-pro").PDFs {
		t.Error("Gemini's compatible endpoint takes no PDFs")
	}
}
