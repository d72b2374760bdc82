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
//   - There is no index of words. Every search reads the files, as many as there are
//     processors at a time: nothing has to be kept in step with the log, nothing is
//     stale, nothing needs more disk, and what is damaged in part, or was written by
//     another program a moment ago, is found as well.
//   - Hits are handed out in one order, whatever was read first: the conversation
//     with the newest event first, in it the newest event first, each as soon as it
//     is its turn.
//   - A file is locked for a few megabytes at a time, so that whoever writes it waits
//     for milliseconds. What cannot be read is counted and does not end the search.

// SearchOptions tune a search. The zero value is right for most.
type SearchOptions struct {
	Workspace       string // only conversations of this folder, "" any
	Limit           int    // hits in all, 0 means 200
	PerConversation int    // hits of one conversation, 0 means 20
	Chars           int    // about how long an excerpt is, in characters, 0 means 240
}

// SearchReport is what became of a search, until it ended.
type SearchReport struct {
	Conversations int  // that were looked through, the one in which it ended included
	Unread        int  // conversations of which not all could be read
	Damaged       int  // events and full texts that could not be read, or are missing
	More          bool // there was a hit beyond a limit
}

// Search looks for q in the stored conversations: messages, replies
// with their reasoning, the values in the arguments of calls, results with their full
// texts, titles. Turns that were undone count, too. Found is called for every hit,
// on the goroutine of the caller, and ends the search by returning false. The error is
// that of ctx or of a folder that cannot be listed.
func (s *Store) Search(ctx context.Context, q find.Query, o SearchOptions, found func(find.Hit) bool) (SearchReport, error) {
	o.Limit, o.PerConversation, o.Chars = cmp.Or(o.Limit, 200), cmp.Or(o.PerConversation, 20), cmp.Or(o.Chars, 240)
	entries, _, err := s.entries(ctx, o.Workspace)
	if err != nil {
		return SearchReport{}, err
	}
	inner, stop := context.WithCancel(ctx)
	line, workers := s.lookThroughAll(inner, q, o, entries)
	defer workers.Wait()
	defer stop()
	var report SearchReport
	left := o.Limit
	for l := range line {
		for hit := range l.hits {
			if err := ctx.Err(); err != nil {
				return report, err
			}
			beyond := left == 0
			if left--; beyond || !found(hit) {
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

// add counts a conversation that was looked through.
func (r *SearchReport) add(l *looking) {
	if errors.Is(l.err, fs.ErrNotExist) {
		return // deleted in this moment
	}
	r.Conversations++
	r.Damaged += l.damaged
	r.More = r.More || l.more
	if l.err != nil {
		r.Unread++
	}
}

// ahead is how many conversations may be looked through before it is their turn.
const ahead = 64

// lookThroughAll starts looking through conversations, several at a time. They come
// out in their order, each before its first hit is known.
func (s *Store) lookThroughAll(ctx context.Context, q find.Query, o SearchOptions, entries []Entry) (<-chan *looking, *sync.WaitGroup) {
	line, jobs := make(chan *looking, ahead), make(chan *looking)
	var all sync.WaitGroup
	all.Go(func() {
		defer close(line)
		defer close(jobs)
		for _, e := range entries {
			l := &looking{disk: s.disk, file: s.dir.conversation(e.ID), q: q, o: o, entry: e, hits: make(chan find.Hit, min(o.PerConversation, 32))}
			select {
			case line <- l:
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
			var tools unpacking
			for l := range jobs {
				l.tools = &tools
				l.run(ctx)
			}
		})
	}
	return line, &all
}
