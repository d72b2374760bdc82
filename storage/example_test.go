package storage_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"plimsoll/conversation"
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
