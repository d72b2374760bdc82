package tui_test

import (
	"context"
	"fmt"
	"strings"

	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/conversation/diff"
	"plimsoll/tui"
	"plimsoll/tui/changes"
)

// archive has the answers of Request and Search. A method fails if fakeState.failing has its name: request, disk, search.
type archive struct {
	requests map[uint64]inspect.RebuiltRequest // by the event of the usage
	found    map[string]tui.Found              // by the query
	held     chan struct{}                     // each answer waits for a value; nil: answers do not wait
}

// askArchive logs a call and waits until the archive may answer.
func (r *rig) askArchive(ctx context.Context, name, what string) error {
	err, held := r.call(ctx, name, what), r.archive.held
	if held == nil {
		return err
	}
	select {
	case <-held:
		return err
	case <-ctx.Done():
		r.log(name + " given up")
		return ctx.Err()
	}
}

func (r *rig) Request(ctx context.Context, event uint64) (inspect.RebuiltRequest, error) {
	if err := r.askArchive(ctx, "request", fmt.Sprint(event)); err != nil {
		return inspect.RebuiltRequest{}, err
	}
	return r.archive.requests[event], nil
}

func (r *rig) OnDisk(ctx context.Context, files []diff.ChangedFile, _ []conversation.FileChange) []changes.File {
	found := make([]changes.File, len(files))
	for i, f := range files {
		found[i].ChangedFile = f
		if err := r.askArchive(ctx, "disk", f.Name); err != nil || strings.Contains(f.Name, "other") {
			found[i].Disk = changes.DiskOther
		}
	}
	return found
}

func (r *rig) Search(ctx context.Context, query string) (tui.Found, error) {
	if err := r.askArchive(ctx, "search", query); err != nil {
		return tui.Found{}, err
	}
	return r.archive.found[query], nil
}

// holdArchive makes the archive delay its answers until release.
func (r *rig) holdArchive() { r.archive.held = make(chan struct{}) }

// release lets the archive answer one question.
func (r *rig) release() {
	r.t.Helper()
	select {
	case r.archive.held <- struct{}{}:
	default:
		r.t.Fatal("no call waits for the archive")
	}
	r.settle()
}
