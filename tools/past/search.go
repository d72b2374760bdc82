package past

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// A search goes through the whole conversation, hidden or
// not: messages, replies, arguments of calls, and results with their stored
// texts. Upper and lower case are alike, and all words have to occur in the same
// message or result. Those with the whole query on a line come first, then those
// with all words on one line, then the rest; within each, the newest first. What
// recall and search_history themselves were asked and gave is left out.

const (
	historyWords  = 20       // a query may have
	historyLine   = 240      // bytes of the line shown
	historyStored = 64 << 20 // bytes of stored texts that one search reads
)

// search is one search.
type search struct {
	log    *log
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

func newSearch(l *log, query string) (*search, error) {
	fields := strings.Fields(strings.ToLower(query))
	s := &search{log: l, phrase: strings.Join(fields, " "), by: map[string]int{}, known: map[string]holding{}}
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
func (s *search) all() uint { return 1<<len(s.words) - 1 }

// run searches every event. The error is that of a search that was stopped.
func (s *search) run() error {
	for i := range slices.Backward(s.log.events) {
		if err := s.log.ctx.Err(); err != nil {
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
func (s *search) event(i int) holding {
	switch b := s.log.events[i].Body.(type) {
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

// lookup reports whether a tool only shows texts from elsewhere.
func lookup(tool string) bool {
	return tool == conversation.ToolRecall || tool == conversation.ToolSearchHistory
}

// stored is how a stored text holds the words, or shown if it cannot be read.
func (s *search) stored(name string, shown holding) holding {
	if m, ok := s.known[name]; ok {
		return m
	}
	m := shown
	if s.read >= historyStored {
		s.unread++
	} else if text, err := s.log.archive.Blob(s.log.ctx, name); err != nil {
		s.unread++
	} else {
		s.read += len(text)
		m = s.texts(text)
	}
	s.known[name] = m
	return m
}

// texts is how texts that belong together hold the words.
func (s *search) texts(texts ...string) holding {
	m := holding{rank: 3}
	for _, text := range texts {
		low := strings.ToLower(text)
		for n, w := range s.words {
			if strings.Contains(low, w) {
				m.words |= 1 << n
			}
		}
	}
	if m.words != s.all() {
		return m
	}
	most := 0
	for _, text := range texts {
		for line := range strings.SplitSeq(text, "\n") {
			rank, count, column := s.onLine(line)
			if rank < m.rank || rank == m.rank && count > most {
				most, m.rank, m.line = count, rank, aroundMatch(strings.TrimSuffix(line, "\r"), column, historyLine)
			}
			if m.rank == 0 {
				return m
			}
		}
	}
	return m
}

// onLine ranks a line: how many words it holds, and at which byte they begin.
func (s *search) onLine(line string) (rank, count, column int) {
	low := strings.ToLower(line)
	if at := strings.Index(low, s.phrase); at >= 0 {
		return 0, len(s.words), at
	}
	column = len(low)
	for _, w := range s.words {
		if at := strings.Index(low, w); at >= 0 {
			count, column = count+1, min(column, at)
		}
	}
	if count == len(s.words) {
		return 1, count, column
	}
	return 2, count, column
}

// answer shows limit hits from offset on, in at most most characters.
func (s *search) answer(offset, limit, most int) (part, error) {
	query := conversation.OneLine(s.phrase, 80)
	switch n := len(s.hits); {
	case n == 0:
		text := s.nothing(query)
		return part{text[:runeOffset(text, most)], -1}, nil
	case offset >= n:
		return part{}, fmt.Errorf("%s hold %q; offset must be below that", numbers.Count(n, "place"), query)
	}
	const head = 300 // characters kept free for the first line
	var b strings.Builder
	used, end := 0, offset
	for ; end < min(len(s.hits), offset+limit); end++ {
		h := s.hits[end]
		e := s.log.events[h.event]
		text := fmt.Sprintf("\n\ne%d, %s: %s\n%s", e.Seq, s.log.when(h.event), conversation.OneLine(s.log.what(h.event), 100), h.line)
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
	return part{first + s.note() + b.String(), next}, nil
}

// nothing says that no event holds all words, and how many hold each.
func (s *search) nothing(query string) string {
	text := fmt.Sprintf("nothing in this conversation holds %q", query)
	if len(s.words) > 1 {
		var each []string
		for _, w := range s.words {
			each = append(each, fmt.Sprintf("%q is in %s", conversation.OneLine(w, 40), numbers.Count(s.by[w], "place")))
		}
		text = fmt.Sprintf("no message and no result of this conversation holds all of %q: %s", query, strings.Join(each, ", "))
	}
	return text + ". Try fewer or other words" + s.note()
}

// note says what was not searched.
func (s *search) note() string {
	if s.unread == 0 {
		return ""
	}
	return fmt.Sprintf(". Of %s only what is in the log was searched", numbers.Count(s.unread, "long result"))
}
