package cli_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"plimsoll/agent/anthropic/anthropictest"
	"plimsoll/agent/wire"
)

// photograph is a JPEG of 12 megapixels, in short mode of fewer but still more than any model looks at.
func photograph(t *testing.T) string {
	t.Helper()
	width := 4000
	if testing.Short() {
		width = 2100
	}
	m := image.NewYCbCr(image.Rect(0, 0, width, width*3/4), image.YCbCrSubsampleRatio420)
	for i := range m.Y {
		m.Y[i] = byte(i*i>>7 ^ i>>5)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// answer writes a reply in the form of the wire that a path belongs to: a text, or a call of recall for an event.
func answer(w http.ResponseWriter, path, text, recall string) {
	arguments := `{"id":"` + recall + `"}`
	event := func(kind, fields string) {
		_, _ = fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q,%s}\n\n", kind, kind, fields) // the client may be gone
	}
	switch {
	case strings.HasSuffix(path, "/messages"):
		block, stop := fmt.Sprintf(`{"type":"text","text":%q}`, text), "end_turn"
		if recall != "" {
			block, stop = fmt.Sprintf(`{"type":"tool_use","id":"r1","name":"recall","input":%s}`, arguments), "tool_use"
		}
		event("message_start", `"message":{"type":"message","role":"assistant","content":[],"usage":{"input_tokens":9,"output_tokens":1}}`)
		event("content_block_start", `"index":0,"content_block":`+block)
		event("content_block_stop", `"index":0`)
		event("message_delta", `"delta":{"stop_reason":"`+stop+`"},"usage":{"output_tokens":5}`)
		event("message_stop", `"x":0`)
	case strings.HasSuffix(path, "/responses"):
		item := fmt.Sprintf(`{"type":"message","content":[{"type":"output_text","text":%q}]}`, text)
		if recall != "" {
			item = fmt.Sprintf(`{"type":"function_call","call_id":"r1","name":"recall","arguments":%q}`, arguments)
		}
		event("response.output_item.done", `"output_index":0,"item":`+item)
		event("response.completed", `"response":{"object":"response","status":"completed"}`)
	default:
		r := scriptedReply{Text: text}
		if recall != "" {
			r = scriptedReply{Calls: []scriptedCall{{ID: "r1", Name: "recall", Args: json.RawMessage(arguments)}}}
		}
		r.write(wire.NewStream(w))
	}
}

var sentImage = regexp.MustCompile(`(?:data:image/jpeg;base64,|"media_type":"image/jpeg","data":")([A-Za-z0-9+/=]+)"`)

// A photograph is attached, compacted and recalled on each wire; it is counted by the rule of the model, and what is sent of it has the
// size that the model looks at.
func TestAnImageIsAttachedCompactedAndRecalledOnEachWire(t *testing.T) {
	t.Parallel()
	file := photograph(t)
	for name, c := range map[string]struct {
		side   int
		tokens float64 // by the published rule, of 4 to 3
	}{"chat": {2048, 85 + 4*170}, "responses": {2048, 85 + 4*170}, "messages": {1568, 1568 * 1176 / 750.0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var bodies []string
			recall := ""
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil || r.Method != http.MethodPost {
					http.NotFound(w, r)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				bodies = append(bodies, string(body))
				if problems := anthropictest.Problems(body, false); name == "messages" && problems != nil {
					t.Errorf("request %d: %v", len(bodies), problems)
				}
				answer(w, r.URL.Path, "A photograph of ships in the evening.", recall)
				recall = ""
			}))
			defer s.Close()
			h := newProgramFolder(t, map[string]string{"big.jpg": file})
			run := func(args ...string) string {
				t.Helper()
				out, _ := h.run(append(args, "--base-url", s.URL+"/v1", "--model", "test-model", "--window", "200000", "--cfg", "providers.custom.wire="+name)...)
				return out
			}
			run("ask", "what is in @big.jpg?")
			var report struct{ Images []struct{ Tokens float64 } }
			if err := json.Unmarshal([]byte(run("context", "--json")), &report); err != nil || len(report.Images) != 1 ||
				math.Abs(report.Images[0].Tokens-c.tokens) > 0.05*c.tokens {
				t.Errorf("it counts %+v, %v; by the rule %.0f tokens", report.Images, err, c.tokens)
			}
			at := regexp.MustCompile(`"x_events":\[(\d+)\],"x_turn":\d+,"x_state":"[a-z]+","x_images"`).FindStringSubmatch(run("print", "--json"))
			if at == nil {
				t.Fatalf("no message has an image:\n%.1000s", run("print", "--json"))
			}
			run("ask", "-c", "and then?")
			run("compact", "--profile", "heavy", "--keep-last", "1")
			mu.Lock()
			recall = "e" + at[1]
			mu.Unlock()
			run("ask", "-c", "look again")
			mu.Lock()
			defer mu.Unlock()
			last := bodies[len(bodies)-2:]
			if !strings.Contains(last[0], fmt.Sprintf("[image big.jpg %dx%d, ~", c.side, c.side*3/4)) || sentImage.MatchString(last[0]) {
				t.Errorf("the compacted conversation is sent as %.3000s", last[0])
			}
			for _, body := range []string{bodies[0], last[1]} {
				found := sentImage.FindStringSubmatch(body)
				if found == nil {
					t.Fatalf("no image is in %.3000s", body)
				}
				raw, err := base64.StdEncoding.DecodeString(found[1])
				size, decodeErr := jpeg.DecodeConfig(bytes.NewReader(raw))
				if err != nil || decodeErr != nil || !slices.Equal([]int{size.Width, size.Height}, []int{c.side, c.side * 3 / 4}) {
					t.Errorf("%dx%d is sent, %v, %v", size.Width, size.Height, err, decodeErr)
				}
			}
		})
	}
}
