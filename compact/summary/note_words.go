package summary

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"plimsoll/compact/snippet"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

const (
	maxBinding     = 600       // bytes of the longest sentence that is quoted
	maxWordsRead   = 256 << 10 // bytes of user messages, newest first, that are searched for binding sentences
	verbatimChars  = 8000      // code points of one user message that are quoted
	minVerbatim    = 40.0      // tokens of the shortest useful quotation of a cut message
	leastLetters   = 5         // bytes of letters that a sentence has at least
	sentenceTokens = 8.0       // least tokens of room for which sentences are searched
)

// byAuthor divides the user messages of events into what the user and what clients wrote. Other events are in the first result.
func byAuthor(events []conversation.Event) (own, clients []conversation.Event) {
	own = events
	copied := false
	for i, e := range events {
		b, ok := e.Body.(conversation.UserMessage)
		if !ok {
			continue
		}
		user, client := b.Words()
		if user == b.Text {
			continue
		}
		if !copied {
			own, copied = slices.Clone(events), true
		}
		b.Text = user
		own[i].Body = b
		if client != "" {
			b.Text = client
			e.Body = b
			clients = append(clients, e)
		}
	}
	return own, clients
}

type sentence struct {
	turn         int
	event, index int // index of the event, and of the sentence in its message
	text         string
}

const (
	demandsTitle = "### What the user demanded, sentence by sentence"
	clientTitle  = "### Written into messages by the client, not by the user"
)

// bindingSentences lists the sentences of user messages that bind at least so much and fit into the room, in
// their order, without those that are shown, to which it adds them. Demands are chosen before preferences, and
// newer sentences before older ones.
func bindingSentences(title string, events []conversation.Event, shown map[string]bool, room float64, least strength) string {
	room -= textTokens(title) + 1
	if room < sentenceTokens {
		return ""
	}
	chosen := chooseBinding(events, shown, room, least)
	if len(chosen) == 0 {
		return ""
	}
	slices.SortFunc(chosen, func(a, b sentence) int {
		return cmp.Or(cmp.Compare(a.event, b.event), cmp.Compare(a.index, b.index))
	})
	var out strings.Builder
	out.WriteString(title)
	turn := -1
	for _, s := range chosen {
		if s.turn != turn {
			turn = s.turn
			out.WriteString("\nt" + strconv.Itoa(turn) + ":")
		}
		out.WriteString("\n- " + s.text)
	}
	return out.String()
}

// chooseBinding returns the sentences that bind at least so much and fit into the room. It does
// not read older messages once newer demands fill the room.
func chooseBinding(events []conversation.Event, shown map[string]bool, room float64, least strength) []sentence {
	var chosen, preferences []sentence
	choose := func(s sentence) {
		if shown[s.text] {
			return
		}
		if cost := textTokens(s.text) + 2; cost <= room {
			shown[s.text] = true
			room -= cost
			chosen = append(chosen, s)
		}
	}
	left := maxWordsRead
	for i, e := range slices.Backward(events) {
		b, ok := e.Body.(conversation.UserMessage)
		if !ok {
			continue
		}
		if left <= 0 || room < sentenceTokens {
			break
		}
		text := b.Text[:runeStart(b.Text, min(len(b.Text), left))]
		left -= len(text)
		for k, s := range slices.Backward(sentences(text)) {
			switch candidate := (sentence{e.Turn, i, k, s}); strengthOf(s) {
			case demand:
				choose(candidate)
			case least:
				preferences = append(preferences, candidate)
			}
		}
	}
	for _, s := range preferences {
		choose(s)
	}
	return chosen
}

// sentences splits a text into sentences. A sentence ends after . ! or ? before white space,
// after a Chinese or Japanese full stop, and at the end of its line. It leaves out sentences
// without letters or longer than maxBinding, and control characters.
func sentences(text string) []string {
	var out []string
	addSentence := func(s string) {
		s = strings.TrimPrefix(strings.TrimSpace(s), "- ")
		letters := 0 // in bytes
		for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
			letters += len(word)
		}
		if len(s) <= maxBinding && letters >= leastLetters {
			out = append(out, printable(s))
		}
	}
	for line := range strings.SplitSeq(withNewlines(text), "\n") {
		from, last := 0, ' '
		for i, r := range line {
			if unicode.IsSpace(r) && strings.ContainsRune(".!?", last) || last >= '。' && strings.ContainsRune("。！？", last) {
				addSentence(line[from:i])
				from = i
			}
			last = r
		}
		addSentence(line[from:])
	}
	return out
}

type strength int

const (
	notBinding strength = iota
	preference
	demand
)

var (
	demandWords = wordSet("must never always only")
	preferWords = wordSet("prefer use should instead keep avoid")
)

// strengthOf returns how strongly a sentence binds the model: must, never, always, only, do not, a quotation, a URL or a
// number make it a demand, weaker words or code a preference.
func strengthOf(s string) strength {
	s = strings.ToLower(s)
	found := notBinding
	if strings.Contains(s, "`") || strings.Contains(s, "make sure") || strings.Contains(s, "no longer") {
		found = preference
	}
	for _, sign := range [...]string{`"`, "don't", "don’t", "do not", "http://", "https://"} {
		if strings.Contains(s, sign) {
			return demand
		}
	}
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		switch {
		case demandWords[word], strings.Trim(word, "0123456789") == "":
			return demand
		case preferWords[word]:
			found = preference
		}
	}
	return found
}

// quoteNewest quotes the newest user messages that fit into the room, in their order, and
// returns the set of their sentences.
func quoteNewest(events []conversation.Event, room float64) (section string, shown map[string]bool) {
	const title = "### Said by the user, word for word"
	room -= textTokens(title) + 1
	var chosen []string
	shown = map[string]bool{}
	for _, e := range slices.Backward(events) {
		b, ok := e.Body.(conversation.UserMessage)
		if !ok || strings.TrimSpace(b.Text) == "" {
			continue
		}
		text, kept := quoteMessage(e, b.Text, room)
		if text == "" {
			break
		}
		chosen = append(chosen, text)
		for _, s := range sentences(kept) {
			shown[s] = true
		}
		room -= textTokens(text) + 1
	}
	if len(chosen) == 0 {
		return "", shown
	}
	slices.Reverse(chosen)
	return title + "\n" + strings.Join(chosen, "\n"), shown
}

// quoteMessage returns one quoted message under its turn and event, cut at verbatimChars and at
// the room, and the part of the text that it shows; "" if there is no room.
func quoteMessage(e conversation.Event, text string, room float64) (section, shown string) {
	head := "t" + strconv.Itoa(e.Turn) + " (e" + strconv.FormatUint(e.Seq, 10)
	text = strings.TrimSpace(text)
	whole := utf8.RuneCountInString(text)
	shown = snippet.First(text, verbatimChars)
	quote := quoted(shown)
	if room -= textTokens(head) + 2; textTokens(quote) > room {
		if room < minVerbatim {
			return "", ""
		}
		room -= 20 // for the text that says how much is shown
		shown = prefixWithin(shown, room)
		shown = prefixWithin(shown, 2*room-textTokens(quoted(shown))) // the marks take room, too
		quote = quoted(shown)
	}
	if kept := utf8.RuneCountInString(shown); kept < whole {
		head += ", the first " + numbers.Grouped(kept) + " of " + numbers.Grouped(whole) + " characters"
	}
	return head + "):\n" + quote, shown
}
