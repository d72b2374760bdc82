package demo

import (
	"fmt"
	"strings"

	"plimsoll/compact/extract"
)

// The story is long, genuine Markdown of about as many words as asked for, so
// that the gauge visibly moves. It begins at another chapter each time in a
// conversation, and every second chapter ends with an example worked out with
// numbers of its own. When all chapters have been told they come round again.

const (
	storyWords = 900    // unless asked otherwise
	storyMost  = 60_000 // words
	storyLeast = 20     // words
)

func (t *turn) story() reply {
	words := t.wish.From
	switch {
	case t.wish.Kind == kindFill:
		_, full := t.loadLines()
		free := full - t.prompt
		if free < 200 {
			return reply{text: "The window is already nearly full: " + itoa(t.prompt) + " of " + itoa(t.window) + " tokens. Look at the gauge."}
		}
		return reply{text: tellTokens(free, t.replies()*3)}
	case words == 0:
		words = storyWords
	case strings.Contains(strings.ToLower(t.said), "token"):
		words = wordsFor(words)
	}
	return reply{text: tell(min(max(words, storyLeast), storyMost), t.replies())}
}

// replies counts the answers that the conversation holds.
func (t *turn) replies() int {
	n := 0
	for _, m := range t.history {
		if m.Role == "assistant" && len(m.Calls) == 0 {
			n++
		}
	}
	return n
}

// teller writes a story of so many tokens at most.
type teller struct {
	strings.Builder
	left int // tokens
}

// add writes a paragraph if it fits.
func (b *teller) add(p string) bool {
	size := countTokens(p) + 1 // with the blank line behind it
	if size > b.left {
		return false
	}
	b.left -= size
	b.WriteString(p + "\n\n")
	return true
}

// tellTokens writes up to n tokens, and little less, from chapter first on.
func tellTokens(n, first int) string {
	b := teller{left: min(n, 2*storyMost)}
	b.add("# On windows, caches and load lines")
	at := first
	for ; b.left > 0; at++ {
		c := chapters[at%len(chapters)]
		title := "## " + c.title
		if round := (at - first) / len(chapters); round > 0 {
			title += fmt.Sprintf(" (round %d, other numbers)", round+1)
		}
		if !b.add(title + "\n\n" + c.body[0]) {
			break
		}
		for _, p := range append(c.body[1:len(c.body):len(c.body)], example(at)) {
			b.add(p)
		}
	}
	prose, _, _ := strings.Cut(chapters[at%len(chapters)].body[0], "```") // of the one that does not fit; half a block of code never ends
	for _, s := range extract.Sentences(prose) {
		if !b.add(s) {
			break
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// tell writes about the given number of words, starting at a chapter that
// depends on start.
func tell(words, start int) string {
	var b strings.Builder
	b.WriteString("# On windows, caches and load lines\n")
	left := words - 6
	for n := 0; left > 0; n++ {
		round, at := n/len(chapters), (n+start*3)%len(chapters)
		c := chapters[at]
		body := c.body
		if (n+round)%2 == 1 {
			body = append(body[:len(body):len(body)], example(round*len(chapters)+at+start))
		}
		title := "\n## " + c.title + "\n"
		if round > 0 {
			title = fmt.Sprintf("\n## %s (round %d, other numbers)\n", c.title, round+1)
		}
		b.WriteString(title)
		left -= len(strings.Fields(title)) - 1
		for _, p := range body {
			if left <= 0 {
				break
			}
			p = upTo(p, left)
			left -= len(strings.Fields(p))
			b.WriteString("\n" + p + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// upTo shortens a paragraph of prose to whole sentences of about n words.
func upTo(p string, n int) string {
	if len(strings.Fields(p)) <= n+n/4 || strings.Contains(p, "\n") {
		return p
	}
	var kept []string
	count := 0
	for _, s := range extract.Sentences(p) {
		if count > 0 && count+len(strings.Fields(s)) > n+n/4 {
			break
		}
		kept = append(kept, s)
		count += len(strings.Fields(s))
	}
	return strings.Join(kept, " ")
}

// example works something out with numbers that depend on n.
func example(n int) string {
	pick := func(from, step, count, salt int) int { return from + step*((n*7+salt*13+n/5)%count) }
	switch n % 4 {
	case 0:
		window := pick(8, 8, 32, 1) * 1000
		text := fmt.Sprintf("**An example.** Take a window of %s tokens.\n\n| part | tokens | share |\n|---|---:|---:|", thousands(window))
		for i, name := range []string{"system prompt and tools", "what the user said", "replies", "results of tools"} {
			share := []int{pick(3, 1, 4, 2), pick(2, 1, 3, 3), pick(9, 1, 8, 4), pick(30, 2, 12, 5)}[i]
			text += fmt.Sprintf("\n| %s | %s | %d %% |", name, thousands(window*share/100), share)
		}
		return text + fmt.Sprintf("\n| load line | %s | 85 %% |", thousands(window*85/100))
	case 1:
		prompt, cached, price := pick(20, 5, 30, 1)*1000, pick(60, 2, 18, 2), pick(1, 1, 5, 3)
		full := float64(prompt) / 1e6 * float64(price)
		paid := full * (float64(100-cached) + float64(cached)/10) / 100
		return fmt.Sprintf("**An example.** A prompt of %s tokens at $%d a million costs %.1f cents when it is read anew. If %d %% of it comes from the cache at a tenth of the price, it costs %.1f cents. Over fifty steps that is $%.2f instead of $%.2f, for the same answers.",
			thousands(prompt), price, full*100, cached, paid*100, paid*50, full*50)
	case 2:
		calls, size, stub := pick(6, 1, 20, 1), pick(400, 150, 20, 2), pick(20, 5, 5, 3)
		return fmt.Sprintf("**An example.** After %d calls whose results have %s tokens each, %s tokens of results go along with every request. Hidden behind stubs of %d tokens, all but the newest two weigh %s, and the request is %s tokens lighter.",
			calls, thousands(size), thousands(calls*size), stub, thousands((calls-2)*stub), thousands((calls-2)*(size-stub)))
	}
	steps, first, growth := pick(10, 2, 20, 1), pick(2, 1, 6, 2)*1000, pick(300, 100, 12, 3)
	total := steps*first + growth*steps*(steps-1)/2
	return fmt.Sprintf("**An example.** A turn of %d steps begins with a prompt of %s tokens and grows by %s with each step. The last request has %s tokens, yet %s were read in all: %d times the first.",
		steps, thousands(first), thousands(growth), thousands(first+growth*(steps-1)), thousands(total), total/first)
}

// thousands writes n with commas.
func thousands(n int) string {
	s := itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
