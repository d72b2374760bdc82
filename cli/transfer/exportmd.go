package transfer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"plimsoll/cli/session"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

// A conversation as Markdown: a heading for each turn; messages as quotations, whose end closes any Markdown left open in them;
// reasoning folded; calls and results in fences that their text cannot close.

// writeMarkdown writes a conversation as Markdown; safe makes it safe for a terminal.
func writeMarkdown(w io.Writer, export *exported, safe bool) error {
	m := &markdownWriter{w: w, safe: safe, text: export.Text, turn: -1}
	m.writeTitle(export)
	for _, e := range export.Events {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			m.writeHeadings(e, "User")
			m.writeUser(b)
		case conversation.AssistantMessage:
			m.writeHeadings(e, "Assistant")
			m.writeReply(b)
		case conversation.ToolResult:
			m.writeHeadings(e, "Assistant")
			m.writeResult(b)
			m.writeImages(b.Images)
		case conversation.JobEnded:
			m.writeHeadings(e, "Assistant")
			m.writeBlock("*" + escapeMarkdown(plain.Line(b.Text())) + "*")
		case conversation.TurnFailed:
			m.writeHeadings(e, "Assistant")
			m.writeBlock("*The turn failed: " + escapeMarkdown(plain.Line(strings.TrimSuffix(b.Message+" ("+b.Hint+")", " ()"))) + "*")
		}
	}
	return m.err
}

// markdownWriter writes block after block until the first error.
type markdownWriter struct {
	w    io.Writer
	safe bool
	text func(name string) (string, bool)
	err  error
	turn int    // of the newest heading
	role string // of the newest heading
}

// writeBlock writes a block and a blank line after it.
func (m *markdownWriter) writeBlock(text string) {
	if m.err != nil || text == "" {
		return
	}
	if m.safe {
		text = plain.Text(text)
	}
	_, m.err = io.WriteString(m.w, strings.TrimRight(text, "\n")+"\n\n")
}

const minuteFormat = "2006-01-02 15:04 MST"

func (m *markdownWriter) writeTitle(export *exported) {
	name := strings.Join(strings.Fields(session.Title(export.Events)), " ")
	name = cmp.Or(name, "Conversation "+export.id)
	m.writeBlock("# " + escapeMarkdown(name))
	users, model := 0, ""
	for _, e := range export.Events {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			users++
		case conversation.AssistantMessage:
			if b.Model != "" {
				model = b.Model
			}
		}
	}
	line := fmt.Sprintf("Conversation %s, %s", export.id, numbers.Count(users, "turn"))
	if model != "" {
		line += ", with " + codeSpan(model)
	}
	if n := len(export.Events); n > 0 {
		line += ", " + export.Events[0].Time.UTC().Format(minuteFormat)
	}
	m.writeBlock(line + ".")
}

// writeHeadings writes the headings above an event, if they differ from those of the event before.
func (m *markdownWriter) writeHeadings(e conversation.Event, role string) {
	if e.Turn != m.turn {
		m.writeBlock(fmt.Sprintf("## Turn %d", e.Turn))
		m.turn, m.role = e.Turn, ""
	}
	if role != m.role {
		m.writeBlock("### " + role)
		m.role = role
	}
}

func (m *markdownWriter) writeUser(b conversation.UserMessage) {
	message, files := conversation.SplitAttachments(b.Text)
	m.writeBlock(quote(message))
	m.writeImages(b.Images)
	for _, f := range files {
		m.writeBlock("Attached " + codeSpan(f.Path) + ":")
		m.writeBlock(fence("", f.Text))
	}
}

func (m *markdownWriter) writeImages(images []conversation.Image) {
	for _, image := range images {
		m.writeBlock("Attached " + image.What() + " " + codeSpan(image.Label()) + ".")
	}
}

func (m *markdownWriter) writeReply(b conversation.AssistantMessage) {
	if strings.TrimSpace(b.Reasoning) != "" {
		m.writeBlock("<details>\n<summary>Reasoning</summary>")
		m.writeBlock(quote(b.Reasoning))
		m.writeBlock("</details>")
	}
	if strings.TrimSpace(b.Text) != "" {
		m.writeBlock(quote(b.Text))
	}
	for _, c := range b.Calls {
		m.writeBlock("Call of " + codeSpan(c.Name) + ":")
		m.writeBlock(fence("json", indented(c.Arguments)))
	}
	if b.Stop != conversation.StopEnd && b.Stop != conversation.StopCalls && b.Stop != "" {
		why := strings.TrimSuffix(": "+escapeMarkdown(plain.Line(b.Error)), ": ")
		m.writeBlock(fmt.Sprintf("*The reply ended early (%s)%s*", b.Stop, why))
	}
}

func (m *markdownWriter) writeResult(b conversation.ToolResult) {
	label, text := "Result of "+codeSpan(b.Tool), b.Text
	if b.Status != conversation.ResultOK && b.Status != "" {
		label += " (" + string(b.Status) + ")"
	}
	if b.Total > 0 {
		if full, ok := m.text(b.Blob); ok {
			text = full
		}
		label += fmt.Sprintf(", %s characters, of which the model was shown a part", numbers.Grouped(b.Total))
	}
	if strings.TrimSpace(text) == "" {
		m.writeBlock(label + ": no output")
		return
	}
	m.writeBlock(label + ":")
	m.writeBlock(fence("", text))
}

// indented returns JSON indented, or the text itself if it is not JSON.
func indented(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

// fence puts a text in a code fence that no line of the text can close.
func fence(language, text string) string {
	marks := backquotes(text, 3)
	return marks + language + "\n" + strings.TrimRight(text, "\n") + "\n" + marks
}

func codeSpan(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return "(unnamed)"
	}
	marks := backquotes(text, 1)
	if len(marks) > 1 {
		text = " " + text + " "
	}
	return marks + text + marks
}

// backquotes returns at least that many backquotes, and more than any run of them in text.
func backquotes(text string, least int) string {
	marks := strings.Repeat("`", least)
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks
}

var markdownChars = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("[\\\\`*_{}\\[\\]<>#|~&]")
})

func escapeMarkdown(text string) string { return markdownChars().ReplaceAllString(text, `\$0`) }

// unsafeHTML matches HTML that would close a fold, or hide what follows it.
var unsafeHTML = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<(/?(?:details|summary|script|style|pre|textarea|template|iframe|title)\b|!)`)
})

// quote makes Markdown a quotation. HTML outside of fences is escaped if it would affect text after the quotation.
func quote(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	var b strings.Builder
	isInFence := false
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		start := strings.TrimLeft(line, " ")
		if strings.HasPrefix(start, "```") || strings.HasPrefix(start, "~~~") {
			isInFence = !isInFence
		} else if !isInFence {
			line = unsafeHTML().ReplaceAllString(line, `&lt;$1`)
		}
		b.WriteString(strings.TrimSuffix("> "+strings.TrimSuffix(line, "\n"), " ") + "\n")
	}
	return b.String()
}
