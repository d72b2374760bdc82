package tui_test

import (
	"context"
	"fmt"
	"strings"

	"plimsoll/compact/inspect"
	"plimsoll/conversation/diff"
	"plimsoll/tui"
	"plimsoll/tui/changes"
)

// archive has the answers of the archive. A method fails if fakeState.failing has its name: request, full, search.
type archive struct {
	requests map[uint64]inspect.RebuiltRequest // by the event of the usage
	found    map[string]tui.Found              // by what is searched for
	held     chan struct{}                     // each answer waits for one; nil: none does
}

// ask records a call and waits until it may be answered.
func (r *rig) ask(ctx context.Context, name, what string) error {
	err, held := r.call(ctx, name, what), r.archive.held
	if held == nil {
		return err
	}
	select {
	case <-held:
		return err
	case <-ctx.Done():
		r.note(name + " given up")
		return ctx.Err()
	}
}

func (r *rig) Request(ctx context.Context, event uint64) (inspect.RebuiltRequest, error) {
	if err := r.ask(ctx, "request", fmt.Sprint(event)); err != nil {
		return inspect.RebuiltRequest{}, err
	}
	return r.archive.requests[event], nil
}

func (r *rig) OnDisk(ctx context.Context, files []diff.ChangedFile) []changes.File {
	found := make([]changes.File, len(files))
	for i, f := range files {
		found[i].ChangedFile = f
		if err := r.ask(ctx, "disk", f.Name); err != nil || strings.Contains(f.Name, "other") {
			found[i].Disk = changes.DiskOther
		}
	}
	return found
}

func (r *rig) Search(ctx context.Context, query string) (tui.Found, error) {
	if err := r.ask(ctx, "search", query); err != nil {
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
		r.t.Fatal("nothing waits for the archive")
	}
	r.settle()
}
