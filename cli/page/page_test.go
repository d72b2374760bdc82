package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"plimsoll/cli/page"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

const (
	picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg=="
	key     = "sk-proj-0123456789abcdefghij"
)

// sample is a conversation with all that a page shows: files, images, calls, a diff, a summary, stubs, an undo, failures.
func sample(t *testing.T) []conversation.Event {
	t.Helper()
	var l conversation.Log
	now := conversationtest.Epoch
	add := func(bodies ...conversation.Body) uint64 {
		events := l.Prepare(now, bodies...)
		if err := l.Commit(events); err != nil {
			t.Fatal(err)
		}
		return events[0].Seq
	}
	request := func(prompt, cached int) {
		add(conversation.Usage{Reply: l.Events()[len(l.Events())-1].Seq, Model: "openai/gpt", Prompt: prompt, Cached: cached, Completion: 300})
	}
	add(conversation.ModelChanged{Provider: "openai", Model: "gpt", Window: 32_000})
	first := add(conversation.UserMessage{Text: "why does **TestUpload** fail?\n" + conversation.FormatAttachments(conversation.AttachedFile{Path: "/home/kim/up.go", Text: "attached text"}),
		Images: []conversation.Image{{Blob: "pixel", Media: "image/png", Name: "/home/kim/shot.png", Width: 1, Height: 1}}})
	add(conversation.AssistantMessage{Text: "I look at it.", Reasoning: "It shares a port.", Stop: conversation.StopCalls, Model: "openai/gpt",
		Calls: []conversation.ToolCall{{ID: "a", Name: "run_command", Arguments: `{"command":"go test ./upload"}`}, {ID: "b", Name: "modify_file", Arguments: `{"path":"up.go","new":"line one\nline two"}`},
			{ID: "c", Name: "read_file", Arguments: `{"path":"/home/kim/up.go"}`}}})
	request(9_000, 0)
	cut := add(conversation.ToolResult{CallID: "a", Tool: "run_command", Status: conversation.ResultError, Text: "FAIL", Total: 900, Blob: "full"})
	add(conversation.ToolResult{CallID: "b", Tool: "modify_file", Status: conversation.ResultOK, Text: "modified",
		Detail: "--- a/up.go\n+++ b/up.go\n@@ -1,2 +1,2 @@\n line\n-old port\n+new port\n"},
		conversation.ToolResult{CallID: "c", Tool: "read_file", Status: conversation.ResultOK, Text: "read text"})
	last := add(conversation.AssistantMessage{Text: "| a | b |\n|:-|-:|\n| 1 | 2 |\n\nDone, see <https://go.dev> and `go test`.", Stop: conversation.StopEnd, Model: "openai/gpt"})
	request(26_000, 9_000)
	add(conversation.UserMessage{Text: "go on"})
	add(conversation.Mask{Origin: conversation.Origin{Source: conversation.SourceAuto, Trigger: "load line", Before: 26_000, After: 21_000}, Style: conversation.StylePlimsoll,
		Version: 1, Items: []conversation.MaskItem{{Event: cut, Part: conversation.PartResult}}})
	summary := add(conversation.Summary{Origin: conversation.Origin{Source: conversation.SourceManual, Before: 21_000, After: 8_000, Why: "turns 0–3, asked for"}, Style: conversation.StylePlimsoll, Version: 1,
		Spans: []conversation.Span{{First: first, Last: last}}, ToTurn: 0, Text: "The *port* was shared.", Appendix: "files: up.go", Model: "openai/mini"})
	add(conversation.AssistantMessage{Text: "Half a rep", Stop: conversation.StopFailed, Error: "connection lost", Model: "openai/gpt"})
	request(9_000, 0)
	add(conversation.TurnFailed{Message: "the server closed the connection", Hint: "/retry"}, conversation.Attempt{Outcome: conversation.AttemptFailed, Why: "too long"},
		conversation.Revert{Epoch: summary})
	add(conversation.UserMessage{Text: conversation.FormatCommandOutput("env", "KEY="+key)})
	return l.Events()
}

func write(t *testing.T, events []conversation.Event, omit page.Omit) string {
	t.Helper()
	var b bytes.Buffer
	texts := map[string]string{"pixel": picture, "full": "the whole output in /home/kim/up.go and /home/kimberly"}
	if err := page.Write(&b, page.Content{ID: "aaaa22223333", Title: "Fix <upload>", Events: events, Omit: omit, HomeDir: "/home/kim/",
		Text: func(name string) (string, bool) { text, ok := texts[name]; return text, ok }}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPageShowsAllOfAConversation(t *testing.T) {
	t.Parallel()
	got := write(t, sample(t), page.Omit{})
	if file := os.Getenv("PLIMSOLL_PAGE"); file != "" {
		_ = os.WriteFile(file, []byte(got), 0o600)
	}
	checkSafe(t, got)
	for _, want := range []string{"<h1><span class=\"mark\">⊖</span> Fix &lt;upload&gt;</h1>", "Turn 1 ", "<strong>TestUpload</strong>", "attached text", "data:image/png;base64," + picture,
		"It shares a port.", "go test ./upload", "the whole output", "<del>-old port</del>", "<ins>+new port</ins>", "<td align=\"right\">2</td>", `href="https://go.dev"`,
		"26k", "8k", "turn 1 became a summary by openai/mini", "<em>port</em>", "files: up.go", "turn 1: 1 placeholder", "Compacted and undone", "A compaction was undone",
		"manual · asked for<", "connection lost", "the server closed the connection", "too long", "[key left out]", "sent now:", "3 requests, at most 26k tokens of 32k", "/home/kimberly"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(got, key) {
		t.Error("the page has a key")
	}
}

func TestPageLeavesOut(t *testing.T) {
	t.Parallel()
	for words, test := range map[string]struct{ without, with []string }{
		"output":           {[]string{"the whole output", "read text", "KEY="}, []string{"attached text", "new port", "data:image"}},
		"files":            {[]string{"attached text", "new port", "line one", "read text"}, []string{"the whole output", "go test ./upload", "data:image"}},
		"images, home":     {[]string{"data:image", "/home/kim/"}, []string{"attached text", "~/up.go", "/home/kimberly", "shot.png"}},
		"none":             {nil, []string{"/home/kim/up.go"}},
		"files,output,all": {},
	} {
		omit, err := page.Omissions(words)
		if test.with == nil {
			if err == nil {
				t.Errorf("%q is taken", words)
			}
			continue
		}
		got := write(t, sample(t), omit)
		for _, text := range test.without {
			if err != nil || strings.Contains(got, text) {
				t.Errorf("without %s the page has %q, %v", words, text, err)
			}
		}
		for _, text := range test.with {
			if !strings.Contains(got, text) {
				t.Errorf("without %s the page lacks %q", words, text)
			}
		}
	}
}

// Keys are found in colored text, and by what stands before them.
func TestPageHasNoKey(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"\x1b[32m" + key + "\x1b[0m", "sk-proj-0123\x1b[1m456789abcdefghij", "Authorization: Bearer 0123456789abcdefghij", "x-api-key: 0123456789abcdefghij",
		"export MY_API_KEY=0123456789abcdefghij", `{"access_token":"0123456789abcdefghij"}`, "api_key: 0123456789abcdefghij", "  db_password: '0123456789abcdefghij'"} {
		user := conversation.UserMessage{Text: conversation.FormatCommandOutput("env", "A\n"+text)}
		got := write(t, conversationOf(t, user, conversation.UserMessage{Text: text}), page.Omit{})
		if strings.Contains(got, "456789abcdefghij") || strings.Count(got, "[key left out]") < 2 {
			t.Errorf("the page shows the key in %q:\n%s", text, got[strings.Index(got, "<main>"):])
		}
	}
	call := conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: "a", Name: "x", Arguments: "half of the arguments"}}}
	if got := write(t, conversationOf(t, conversation.UserMessage{Text: "a"}, call), page.Omit{page.Files: true}); strings.Contains(got, "half of") {
		t.Error("without files the page has malformed arguments")
	}
}

// A configured key is left out wherever it stands, and what only begins like one is not.
func TestPageHasNoConfiguredKey(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	events := conversationOf(t, conversation.UserMessage{Text: "my key is (wagon-horse), wagon-horse-staple in whole, /home/kim"})
	conversationtest.Must(t, page.Write(&b, page.Content{Events: events, Keys: []string{"", "key", "wagon-horse", "wagon-horse-staple", "/home/kim"}}))
	if got := b.String(); !strings.Contains(got, "my key is ([key left out]), [key left out] in whole, /home/kim") {
		t.Errorf("the page is\n%s", got[strings.Index(got, "<main>"):])
	}
}

// allowed lists the elements of a page, with their attributes.
var allowed = map[string]string{
	"html": "lang", "head": "", "body": "", "meta": "charset http-equiv content name", "title": "", "style": "", "header": "", "main": "", "footer": "", "section": "id", "article": "class id",
	"aside": "class", "h1": "", "h2": "", "h3": "", "h4": "", "h5": "", "h6": "", "p": "class", "span": "class", "time": "", "b": "", "i": "", "ins": "", "del": "", "em": "", "strong": "", "code": "class",
	"pre": "class", "div": "class", "ul": "", "ol": "start", "li": "", "blockquote": "", "hr": "", "br": "", "table": "", "thead": "", "tbody": "", "tr": "", "th": "align", "td": "align",
	"details": "open", "summary": "", "a": "href rel", "img": "alt src", "figure": "", "figcaption": "class", "svg": "viewbox role aria-label class width height aria-hidden",
	"path": "class d", "rect": "width height",
}

// checkSafe parses a page and checks that it has only allowed elements and attributes, loads nothing, and shows no control or
// reordering character.
func checkSafe(t interface {
	Helper()
	Errorf(string, ...any)
	Fatal(...any)
}, text string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		switch n.Type {
		case html.CommentNode:
			t.Errorf("comment %q", n.Data)
		case html.TextNode:
			if i := strings.IndexFunc(n.Data, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x202a && r <= 0x202e || r == 0x7f }); i >= 0 {
				t.Errorf("unsafe character in %.80q", n.Data[i:])
			}
			if n.Parent.Data == "style" {
				hash := sha256.Sum256([]byte(n.Data))
				if !strings.Contains(text, "style-src 'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'") || strings.Contains(n.Data, "url(") || strings.Contains(n.Data, "@import") {
					t.Errorf("the policy does not allow the style, or the style loads something")
				}
			}
		case html.ElementNode:
			attributes, ok := allowed[n.Data]
			if !ok {
				t.Errorf("element %q", n.Data)
			}
			for _, a := range n.Attr {
				isLink := n.Data == "a" && (strings.HasPrefix(a.Val, "http://") || strings.HasPrefix(a.Val, "https://") || strings.HasPrefix(a.Val, "mailto:") || strings.HasPrefix(a.Val, "#c"))
				switch name := strings.ToLower(a.Key); {
				case !slices.Contains(strings.Fields(attributes), name):
					t.Errorf("attribute %s of %s", name, n.Data)
				case name == "href" && !isLink, name == "src" && !strings.HasPrefix(a.Val, "data:image/"):
					t.Errorf("%s=%q", name, a.Val)
				}
			}
		}
	}
}

func TestHostileTextStaysText(t *testing.T) {
	t.Parallel()
	pieces := []string{"</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))", "![a](https://evil.example/x.png)", "<javascript:alert(1)>",
		"[a](&#106;avascript:x)", "[b](<data:text/html,x> \"t\")", "[r]: javascript:x\n[r]", "&#x202e;abc", "\u202eabc", "\x1b[31m", "\x00", "<!--", "-->", "</style><style>@import 'x'", "]]>", "<svg onload=x>",
		"\"><b>", "' onclick='x", "`", "```", "~~~html\n", "| a |\n|:-:|\n", "> ", "1. ", "# ", "www.example.com", "kim@example.com", "http://x/\"onmouseover=x", "\n", "\n\n", "</pre></details>", "<plaintext>", "-----\n"}
	rapid.Check(t, func(t *rapid.T) {
		text := func(label string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 8).Draw(t, label), rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, "gap"))
		}
		var l conversation.Log
		hostile := []conversation.Body{
			conversation.ModelChanged{Provider: text("p"), Model: text("m"), Window: 9},
			conversation.UserMessage{Text: text("user"), Images: []conversation.Image{{Blob: "x", Media: "image/png", Name: text("image")}, {Media: text("media"), Name: "y"}}},
			conversation.AssistantMessage{Text: text("reply"), Reasoning: text("why"), Model: text("model"), Stop: conversation.StopFailed, Error: text("error"),
				Calls: []conversation.ToolCall{{ID: "1", Name: text("tool"), Arguments: text("arguments")}, {ID: "2", Name: "x", Arguments: `{"path":"</pre>"}`}}},
			conversation.ToolResult{CallID: "1", Tool: text("tool"), Status: conversation.ResultStatus(text("status")), Text: text("result"), Detail: "--- a/" + text("file") + "\n+++ b/x\n@@ -0,0 +1 @@\n+" + text("line")},
			conversation.Summary{Origin: conversation.Origin{Source: conversation.Source(text("source")), Trigger: text("trigger"), Why: text("why"), Before: 10, After: 4}, Spans: []conversation.Span{{First: 2, Last: 4}}, Text: text("summary"), Appendix: text("note"), Model: text("model")},
			conversation.TurnFailed{Message: text("failure"), Hint: text("hint")},
		}
		if err := l.Commit(l.Prepare(conversationtest.Epoch, hostile...)); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := page.Write(&b, page.Content{ID: text("id"), Title: text("title"), Events: l.Events(), Text: func(string) (string, bool) { return `x" onerror="y`, true }}); err != nil {
			t.Fatal(err)
		}
		checkSafe(t, b.String())
	})
}

func TestEveryLogHasAPage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := conversationtest.WithOverlays(t, conversationtest.Rich(t))
		if rapid.Bool().Draw(t, "malformed") {
			events = conversationtest.Malformed(t)
		}
		var b bytes.Buffer
		if err := page.Write(&b, page.Content{Events: events, Text: func(string) (string, bool) { return "", false }}); err != nil {
			t.Fatal(err)
		}
		checkSafe(t, b.String())
	})
}

// A text that parsers take long for is shown as it is.
func TestHeavyMarkdownIsPlainText(t *testing.T) {
	t.Parallel()
	for _, heavy := range []string{strings.Repeat("*a **b ", 6_000), strings.Repeat("[", 20_000), strings.Repeat("> ", 6_000), strings.Repeat("- ", 6_000) + "x",
		strings.Repeat("|a", 2_000) + "\n" + strings.Repeat("|-", 2_000) + "\n" + strings.Repeat("|\n", 2_000), strings.Repeat("`a``b", 5_000)} {
		got := write(t, conversationOf(t, conversation.UserMessage{Text: heavy}), page.Omit{})
		if strings.Contains(got, `<div class="md">`) || len(got) > 4*len(heavy)+20_000 {
			t.Errorf("%.20q is parsed: %d bytes became %d", heavy, len(heavy), len(got))
		}
	}
}

func conversationOf(t *testing.T, bodies ...conversation.Body) []conversation.Event {
	t.Helper()
	var l conversation.Log
	if err := l.Commit(l.Prepare(conversationtest.Epoch, bodies...)); err != nil {
		t.Fatal(err)
	}
	return l.Events()
}

// Two thousand messages are written one by one: when the text of a result is read, the one before it is written.
func TestLongConversationIsStreamed(t *testing.T) {
	t.Parallel()
	const results = 1_000
	bodies := []conversation.Body{conversation.UserMessage{Text: "go"}}
	for i := range results {
		id := fmt.Sprint("call", i)
		bodies = append(bodies, conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: "x", Arguments: "{}"}}},
			conversation.ToolResult{CallID: id, Tool: "x", Status: conversation.ResultOK, Text: "cut", Total: 9, Blob: id})
	}
	written := &window{}
	n := 0
	err := page.Write(written, page.Content{ID: "x", Events: conversationOf(t, bodies...), Text: func(name string) (string, bool) {
		if n > 0 && !strings.Contains(written.last, fmt.Sprintf("text of call%d.", n-1)) {
			t.Fatalf("the text %s is read, and the one before it is not written", name)
		}
		n++
		return "text of " + name + ".", true
	}})
	if err != nil || n != results || written.most > 64<<10 {
		t.Errorf("%d texts are read, %d bytes written at once: %v", n, written.most, err)
	}
}

// window keeps the end of what is written, and the size of the largest piece.
type window struct {
	last string
	most int
}

func (w *window) Write(p []byte) (int, error) {
	w.last, w.most = (w.last + string(p))[max(0, len(w.last)+len(p)-2_000):], max(w.most, len(p))
	return len(p), nil
}
