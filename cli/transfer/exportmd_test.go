package transfer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func hostileMarkdown(t *rapid.T, label string) string {
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
		"\n", "\n", "\n\n", "\r", " ", "  ", "    ", "\t", "word", "```", "````", "~~~", "~~~~~", "```go", "- ", "1. ", "> ", "# ", "===", "---",
		"<details>", "</details>", "<!-- ", "-->", "<script>", "<div>", "</div>", "<pre>", "<?php", "<![CDATA[", "`", "``", "\\", "[a]: ", "|a|b|", "* * *",
	}), 0, 25).Draw(t, label)
	return strings.Join(pieces, "")
}

// topLevel lists the headings at the top level of a Markdown document, and its raw HTML.
func topLevel(markdown string) (headings, html []string) {
	source := []byte(markdown)
	doc := goldmark.DefaultParser().Parse(text.NewReader(source))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			headings = append(headings, string(n.Lines().Value(source)))
		case *ast.HTMLBlock:
			html = append(html, string(n.Lines().Value(source)))
		}
	}
	return headings, html
}

func TestTextOfMessagesCannotBreakTheMarkdown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var l conversation.Log
		var want, folds []string
		for turn := range 3 {
			said, why, reply := hostileMarkdown(t, "said"), hostileMarkdown(t, "why"), hostileMarkdown(t, "reply")
			result, name := hostileMarkdown(t, "result"), hostileMarkdown(t, "name")
			bodies := []conversation.Body{
				conversation.UserMessage{Text: said},
				conversation.AssistantMessage{Text: reply, Reasoning: why, Stop: conversation.StopFailed, Error: hostileMarkdown(t, "error"),
					Calls: []conversation.ToolCall{{ID: "x", Name: name, Arguments: `{"a":"` + strings.ReplaceAll(result, "\n", "") + `"}`}}},
				conversation.ToolResult{CallID: "x", Tool: name, Text: result},
			}
			if err := l.Commit(l.Prepare(conversationtest.Epoch, bodies...)); err != nil {
				t.Fatal(err)
			}
			want = append(want, fmt.Sprintf("Turn %d", turn), "User", "Assistant")
			if strings.TrimSpace(why) != "" {
				folds = append(folds, "<details>\n<summary>Reasoning</summary>\n", "</details>\n")
			}
		}
		var b strings.Builder
		export := &exported{id: "aaaa22223333", Events: l.Events(), Text: func(string) (string, bool) { return "", false }}
		if err := writeMarkdown(&b, export, false); err != nil {
			t.Fatal(err)
		}
		all, html := topLevel(b.String())
		var headings []string
		for _, h := range all {
			if strings.HasPrefix(h, "Turn ") || h == "User" || h == "Assistant" {
				headings = append(headings, h)
			}
		}
		if diff := cmp.Diff(want, headings); diff != "" {
			t.Fatalf("headings (-want +got):\n%s\n%s", diff, b.String())
		}
		if diff := cmp.Diff(folds, html); diff != "" {
			t.Fatalf("HTML (-want +got):\n%s\n%s", diff, b.String())
		}
	})
}

func TestCodeSpansHoldBackquotes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"a": "`a`", "a `` b\n`": "``` a `` b ` ```", " ": "(unnamed)"} {
		if got := codeSpan(text); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
	}
}
