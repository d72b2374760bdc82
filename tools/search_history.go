package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
	"plimsoll/tools/words"
)

// search_history finds what was said anywhere in the conversation, hidden or
// not: messages, replies, arguments of calls, and results with their stored
// texts. Upper and lower case are alike, and all words have to occur in the same
// message or result. Those with the whole query on a line come first, then those
// with all words on one line, then the rest; within each, the newest first. What
// recall and search_history themselves were asked and gave is left out.

const (
	historyHits   = 10       // shown unless asked for more or fewer
	historyMost   = 50       // shown at most
	historyWords  = 20       // a query may have
	historyLine   = 240      // bytes of the line shown
	historyStored = 64 << 20 // bytes of stored texts that one search reads
)

func (b *Box) searchHistory() tool {
	return tool{
		name: conversation.ToolSearchHistory, readOnly: true,
		about: "Find earlier messages, calls and results of this conversation by text, also those no longer shown. Gives ids for recall.",
		params: []params.Param{
			{Name: "query", Kind: params.Text, Required: true, About: "words that all have to occur"},
			{Name: "limit", Kind: params.Whole, Min: 1, Max: historyMost, About: "most finds to show, default 10"},
			{Name: "offset", Kind: params.Whole, Min: 0, Max: math.MaxInt32, About: "finds to skip"},
		},
		effect: func(_ context.Context, args params.Values) (permission.Effect, error) {
			return permission.Effect{Tool: conversation.ToolSearchHistory, Title: args.Text("query")}, nil
		},
		run: b.runSearchHistory,
	}
}

func (b *Box) runSearchHistory(ctx context.Context, args params.Values, _ func(string)) (result, error) {
	p, err := b.history.read(ctx)
	if err != nil {
		return result{}, err
	}
	s, err := newHistorySearch(p, args.Text("query"))
	if err != nil {
		return result{}, err
	}
	b.history.mu.Lock()
	defer b.history.mu.Unlock()
	if b.history.spent(conversation.ToolSearchHistory, p.turn()) {
		return result{text: fmt.Sprintf("%d searches were made in this turn, which is the most. Go on with what they found, and say what could not be looked up", maxLookups),
			detail: "the most in one turn"}, nil
	}
	limit, offset := args.Whole("limit", historyHits), args.Whole("offset", 0)
	q := question{tool: conversation.ToolSearchHistory, query: s.phrase, offset: offset}
	return b.history.once(p, q, limit, "the answer", func() (answer, error) {
		if err := s.run(); err != nil {
			return answer{}, err
		}
		return s.answer(offset, limit, b.history.most())
	})
}

// historySearch is one search.
type historySearch struct {
	past   *past
	words  []string // lower case, each once
	phrase string   // the query in lower case, with single blanks

	hits   []hit
	by     map[string]int     // how many places hold each word
	known  map[string]holding // by name of a stored text
	read   int                // bytes of stored texts read
	unread int                // stored texts not searched
}

// hit is an event that holds all words.
type hit struct {
	event int // index
	holding
}

// holding is how well a text holds the words.
type holding struct {
	words uint   // bit set: which occur
	rank  int    // of lines: 0 the whole query, 1 all words, 2 fewer
	line  string // the best one, around the words
}

func newHistorySearch(p *past, query string) (*historySearch, error) {
	fields := strings.Fields(strings.ToLower(query))
	s := &historySearch{past: p, phrase: strings.Join(fields, " "), by: map[string]int{}, known: map[string]holding{}}
	for _, w := range fields {
		if !slices.Contains(s.words, w) {
			s.words = append(s.words, w)
		}
	}
	switch {
	case len(s.words) == 0:
		return nil, errors.New("search_history needs words to look for in \"query\"")
	case len(s.words) > historyWords:
		return nil, fmt.Errorf("the query has %d words; at most %d are searched for. Take the rarest ones", len(s.words), historyWords)
	}
	return s, nil
}

// all is the set of all words.
func (s *historySearch) all() uint { return 1<<len(s.words) - 1 }

// run searches every event. The error is that of a search that was stopped.
func (s *historySearch) run() error {
	for i := range slices.Backward(s.past.events) {
		if err := s.past.ctx.Err(); err != nil {
			return err
		}
		m := s.event(i)
		for n, w := range s.words {
			if m.words&(1<<n) != 0 {
				s.by[w]++
			}
		}
		if m.words == s.all() {
			s.hits = append(s.hits, hit{i, m})
		}
	}
	slices.SortStableFunc(s.hits, func(a, b hit) int { return cmp.Compare(a.rank, b.rank) })
	return nil
}

// event is how an event holds the words.
func (s *historySearch) event(i int) holding {
	switch b := s.past.events[i].Body.(type) {
	case conversation.UserMessage:
		return s.texts(b.Text)
	case conversation.AssistantMessage:
		texts := []string{b.Text}
		for _, c := range b.Calls {
			if !lookup(c.Name) {
				texts = append(texts, c.Name+" "+c.Arguments)
			}
		}
		return s.texts(texts...)
	case conversation.ToolResult:
		if lookup(b.Tool) {
			return holding{}
		}
		m := s.texts(b.Text)
		if m.words == s.all() && m.rank < 2 || b.Blob == "" {
			return m
		}
		return s.stored(b.Blob, m)
	}
	return holding{}
}

// lookup reports whether a tool only shows what was said elsewhere.
func lookup(tool string) bool {
	return tool == conversation.ToolRecall || tool == conversation.ToolSearchHistory
}

// stored is how a stored text holds the words, or shown if it cannot be read.
func (s *historySearch) stored(name string, shown holding) holding {
	if m, ok := s.known[name]; ok {
		return m
	}
	m := shown
	if s.read >= historyStored {
		s.unread++
	} else if text, err := s.past.archive.Blob(s.past.ctx, name); err != nil {
		s.unread++
	} else {
		s.read += len(text)
		m = s.texts(text)
	}
	s.known[name] = m
	return m
}

// texts is how texts that belong together hold the words.
func (s *historySearch) texts(texts ...string) holding {
	m := holding{rank: 3}
	lowered := make([]string, len(texts))
	for i, text := range texts {
		lowered[i] = strings.ToLower(text)
		for n, w := range s.words {
			if m.words&(1<<n) == 0 && strings.Contains(lowered[i], w) {
				m.words |= 1 << n
			}
		}
	}
	if m.words != s.all() {
		return m
	}
	most := 0
	for i, text := range texts {
		number, column, words, whole := s.bestLine(lowered[i])
		rank := 2
		switch {
		case whole:
			rank = 0
		case words == len(s.words):
			rank = 1
		}
		if rank < m.rank || rank == m.rank && words > most {
			most, m.rank, m.line = words, rank, aroundMatch(nthLine(text, number), column, historyLine)
		}
	}
	return m
}

// bestLine is the number of the line of a text in lower case that holds the
// whole query, or the most words, and the byte in it at which they begin.
func (s *historySearch) bestLine(low string) (number, column, words int, whole bool) {
	if at := strings.Index(low, s.phrase); at >= 0 {
		return strings.Count(low[:at], "\n"), at - strings.LastIndexByte(low[:at], '\n') - 1, len(s.words), true
	}
	for n := 0; ; n++ {
		line, rest, more := strings.Cut(low, "\n")
		count, first := 0, math.MaxInt
		for _, w := range s.words {
			if at := strings.Index(line, w); at >= 0 {
				count, first = count+1, min(first, at)
			}
		}
		if count > words {
			number, column, words = n, first, count
		}
		if low = rest; !more || words == len(s.words) {
			return number, column, words, false
		}
	}
}

// nthLine is a line of a text, counted from 0.
func nthLine(text string, n int) string {
	for ; n > 0; n-- {
		_, text, _ = strings.Cut(text, "\n")
	}
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r")
}

// answer shows limit hits from offset on, in at most most characters.
func (s *historySearch) answer(offset, limit, most int) (answer, error) {
	query := words.Line(s.phrase, 80)
	switch n := len(s.hits); {
	case n == 0:
		text := s.nothing(query)
		return answer{text[:runeOffset(text, most)], -1}, nil
	case offset >= n:
		return answer{}, fmt.Errorf("%s hold %q; offset must be below that", numbers.Count(n, "place"), query)
	}
	const head = 300 // characters kept free for the first line
	var b strings.Builder
	used, end := 0, offset
	for ; end < min(len(s.hits), offset+limit); end++ {
		h := s.hits[end]
		e := s.past.events[h.event]
		text := fmt.Sprintf("\n\ne%d, %s: %s\n%s", e.Seq, s.past.when(h.event), words.Line(s.past.what(h.event), 100), h.line)
		size := utf8.RuneCountInString(text)
		if used > 0 && used+size > most-head {
			break
		}
		b.WriteString(text)
		used += size
	}
	first := fmt.Sprintf("%s hold %q, the closest first. Shown are %d-%d", numbers.Count(len(s.hits), "place"), query, offset+1, end)
	next := -1
	if end < len(s.hits) {
		next = end
		first += fmt.Sprintf(". Go on with the same query, offset %d", end)
	}
	return answer{first + s.note() + b.String(), next}, nil
}

// nothing says that no event holds all words, and how many hold each.
func (s *historySearch) nothing(query string) string {
	text := fmt.Sprintf("nothing in this conversation holds %q", query)
	if len(s.words) > 1 {
		var each []string
		for _, w := range s.words {
			each = append(each, fmt.Sprintf("%q is in %s", words.Line(w, 40), numbers.Count(s.by[w], "place")))
		}
		text = fmt.Sprintf("no message and no result of this conversation holds all of %q: %s", query, strings.Join(each, ", "))
	}
	return text + ". Try fewer or other words" + s.note()
}

// note says what was not searched.
func (s *historySearch) note() string {
	if s.unread == 0 {
		return ""
	}
	return fmt.Sprintf(". Of %s only what is in the log was searched", numbers.Count(s.unread, "long result"))
}
