package demo

import (
	"strings"
	"unicode/utf8"

	"plimsoll/compact/extract"
)

// Shortening: a file, a passage that was pasted, or the conversation, by
// choosing sentences.

func (t *turn) summarise() reply {
	subject := foldSpace(t.wish.Text)
	for _, word := range []string{"the ", "file ", "contents of ", "content of "} {
		subject = strings.TrimPrefix(subject, word)
	}
	file := cleanPath(subject)
	switch {
	case looksLikePath(file) && !strings.Contains(file, " "):
		return t.summariseFile(file)
	case utf8.RuneCountInString(t.wish.Text) > 200:
		return reply{text: "In short, by choosing sentences:\n\n" + quoteBlock(extract.Summary(paragraphs(t.wish.Text), 600))}
	}
	return reply{text: t.summariseConversation()}
}

func (t *turn) summariseFile(file string) reply {
	if len(t.steps) == 0 {
		return t.use("I'll read it.", want("read_file", arg{"path", file}, arg{"limit", t.lines(1)}))
	}
	v := t.last()[0].file()
	switch {
	case v.problem != "":
		return reply{text: v.problem}
	case v.isEmpty:
		return reply{text: "`" + file + "` is empty."}
	}
	text := v.text()
	short := extract.Summary(paragraphs(text), min(max(utf8.RuneCountInString(text)/4, 200), 900))
	return reply{text: "`" + file + "`, lines " + itoa(v.lines[0].n) + " to " + itoa(v.lines[len(v.lines)-1].n) + " of " + v.size() +
		", the sentences that say most:\n\n" + quoteBlock(short)}
}

func (t *turn) summariseConversation() string {
	var said []string
	turns := 0
	for i, m := range t.history {
		switch {
		case m.Role == "user" && i == len(t.history)-1:
			turns++ // the wish itself
		case m.Role == "user":
			turns++
			said = append(said, paragraphs(m.Content.Text)...)
		case m.Role == "assistant":
			said = append(said, paragraphs(strings.ReplaceAll(m.Content.Text, introduction, ""))...)
		}
	}
	if turns < 2 {
		return "There is nothing to summarise yet: this is the first message I can see."
	}
	return "So far, in " + plural(turns, "message") + " of yours, the sentences that say most:\n\n" + quoteBlock(extract.Summary(said, 900))
}

// paragraphs splits text at blank lines.
func paragraphs(text string) []string {
	var out []string
	for p := range strings.SplitSeq(text, "\n\n") {
		if strings.TrimSpace(p) != "" {
			out = append(out, p)
		}
	}
	return out
}

// quoteBlock shows foreign text as a quotation.
func quoteBlock(text string) string {
	if text == "" {
		return "> (no sentence in it)"
	}
	return "> " + strings.ReplaceAll(text, "\n", "\n>\n> ")
}
