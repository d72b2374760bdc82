package storage_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"plimsoll/conversation"
	"plimsoll/conversation/find"
	"plimsoll/storage"
)

// dataDir is a data directory for an example, and what removes it.
func dataDir() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "plimsoll")
	if err != nil {
		panic(err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }
}

// write stores a conversation of some messages.
func write(store *storage.Store, id string, texts ...string) error {
	ctx := context.Background()
	w, err := store.Create(ctx, storage.NewConversation{ID: id, Workspace: "/src/ship"})
	if err != nil {
		return err
	}
	var log conversation.Log
	for _, text := range texts {
		events := log.Prepare(time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC), conversation.UserMessage{Text: text})
		if err := errors.Join(w.Append(ctx, events), log.Commit(events)); err != nil {
			return err
		}
	}
	return w.Close()
}

// What Append acknowledged is on disk. Another store on the same directory, or the
// next run of the program, reads it.
func ExampleStore() {
	dir, remove := dataDir()
	defer remove()
	store, err := storage.Open(dir, storage.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("written:", write(store, "shipshipship", "How deep may she be loaded?", "And in winter?"))
	fmt.Println("closed:", store.Close())

	again, err := storage.Open(dir, storage.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = again.Close() }()
	events, _, err := again.Load(context.Background(), "shipshipship")
	for _, e := range events {
		fmt.Println(e.Seq, e.Body.(conversation.UserMessage).Text, err)
	}
	// Output:
	// written: <nil>
	// closed: <nil>
	// 1 How deep may she be loaded? <nil>
	// 2 And in winter? <nil>
}

// One program at a time writes a conversation; any number read it.
func ExampleStore_OpenWriter() {
	dir, remove := dataDir()
	defer remove()
	ctx := context.Background()
	first, _ := storage.Open(dir, storage.Options{})
	second, _ := storage.Open(dir, storage.Options{})
	defer func() { _, _ = first.Close(), second.Close() }()
	_ = write(first, "shipshipship", "How deep may she be loaded?")

	w, err := first.OpenWriter(ctx, "shipshipship")
	fmt.Println("the first writes:", err == nil)
	_, err = second.OpenWriter(ctx, "shipshipship")
	fmt.Println("the second finds it locked:", errors.Is(err, storage.ErrLocked))
	_, _, err = second.Load(ctx, "shipshipship")
	fmt.Println("the second reads it:", err == nil)
	_ = w.Close()
	// Output:
	// the first writes: true
	// the second finds it locked: true
	// the second reads it: true
}

// A search reads all conversations; it has no index that could be stale.
func ExampleStore_Search() {
	dir, remove := dataDir()
	defer remove()
	store, _ := storage.Open(dir, storage.Options{})
	defer func() { _ = store.Close() }()
	_ = write(store, "shipshipship", "How deep may she be loaded?", "The load line in winter is lower.")
	_ = write(store, "portportport", "Which port is next?")

	query, err := find.Parse(`"load line"`)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := store.Search(context.Background(), query, storage.SearchOptions{}, func(hit find.Hit) bool {
		fmt.Printf("%s, event %d: %s\n", hit.Conversation, hit.Event, hit.Excerpt)
		return true
	})
	fmt.Println(report.Conversations, "conversations were read", err)
	// Output:
	// shipshipship, event 2: The load line in winter is lower.
	// 2 conversations were read <nil>
}
