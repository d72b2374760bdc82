package storage

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"runtime"
	"sync"

	"plimsoll/conversation/find"
)

// Rules of searching:
//   - There is no full-text index. Every search reads the files, one for each processor at a time.
//     So there is nothing to update or to store, and partly damaged files, and events that another
//     program has just written, are searched as well.
//   - The order of hits is fixed: the conversation with the newest event first, in
//     it the newest event first. A hit is delivered as soon as all hits
//     before it are known.
//   - A file is locked for a few megabytes at a time, so that a writer waits only
//     milliseconds. Unreadable events are counted and do not end the search.

// SearchOptions tune a search. The zero value is right for most.
type SearchOptions struct {
	Workspace       string // only conversations of this folder, "" for any folder
	Limit           int    // hits in all, 0 means 200
	PerConversation int    // hits of one conversation, 0 means 20
	Chars           int    // approximate length of an excerpt, in characters, 0 means 240
}

// SearchReport counts what a search has read.
type SearchReport struct {
	Conversations int  // searched, including the one in which the search ended
	Unread        int  // conversations that could not be read completely
	Damaged       int  // events and full texts that are damaged or missing
	More          bool // there was a hit beyond a limit
}

// Search searches the stored conversations for q: messages, replies with their reasoning, argument
// values of tool calls, tool results with their full texts, and titles, undone turns included. It
// calls found for every hit, on the goroutine of the caller, and ends when found returns false. The
// error is that of ctx or of a folder that cannot be listed.
func (s *Store) Search(ctx context.Context, q find.Query, o SearchOptions, found func(find.Hit) bool) (SearchReport, error) {
	o.Limit, o.PerConversation, o.Chars = cmp.Or(o.Limit, 200), cmp.Or(o.PerConversation, 20), cmp.Or(o.Chars, 240)
	entries, _, err := s.entries(ctx, o.Workspace)
	if err != nil {
		return SearchReport{}, err
	}
	inner, stop := context.WithCancel(ctx)
	results, workers := s.searchAll(inner, q, o, entries)
	defer workers.Wait()
	defer stop()
	var report SearchReport
	remaining := o.Limit
	for l := range results {
		for hit := range l.hits {
			if err := ctx.Err(); err != nil {
				return report, err
			}
			beyond := remaining == 0
			if remaining--; beyond || !found(hit) {
				report.More = report.More || beyond
				report.Conversations++
				return report, nil
			}
		}
		if err := ctx.Err(); err != nil {
			return report, err
		}
		if errors.Is(l.err, ErrClosed) {
			return report, l.err
		}
		if report.add(l); l.err != nil && !errors.Is(l.err, fs.ErrNotExist) {
			s.log.Warn("not all of a conversation could be searched", "conversation", l.entry.ID, "error", l.err)
		}
	}
	return report, ctx.Err()
}

// add adds the search of one conversation to the report.
func (r *SearchReport) add(l *fileSearch) {
	if errors.Is(l.err, fs.ErrNotExist) {
		return // deleted during the search
	}
	r.Conversations++
	r.Damaged += l.damaged
	r.More = r.More || l.hasMore
	if l.err != nil {
		r.Unread++
	}
}

// maxAhead is how many conversations may be searched before the caller has received the hits of the first.
const maxAhead = 64

// searchAll starts searching conversations, several at a time. It returns a channel of their searches in the
// order of entries; each is sent before its first hit is known.
func (s *Store) searchAll(ctx context.Context, q find.Query, o SearchOptions, entries []Entry) (<-chan *fileSearch, *sync.WaitGroup) {
	results, jobs := make(chan *fileSearch, maxAhead), make(chan *fileSearch)
	var all sync.WaitGroup
	all.Go(func() {
		defer close(results)
		defer close(jobs)
		for _, e := range entries {
			l := &fileSearch{disk: s.disk, file: s.dir.conversation(e.ID), query: q, options: o, entry: e, hits: make(chan find.Hit, min(o.PerConversation, 32))}
			select {
			case results <- l:
			case <-ctx.Done():
				return
			}
			select {
			case jobs <- l:
			case <-ctx.Done():
				close(l.hits)
				return
			}
		}
	})
	for range min(runtime.GOMAXPROCS(0), len(entries)) {
		all.Go(func() {
			var tools unpacker
			for l := range jobs {
				l.unpacker = &tools
				l.run(ctx)
			}
		})
	}
	return results, &all
}
