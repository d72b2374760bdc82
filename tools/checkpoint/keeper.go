package checkpoint

import (
	"context"
	"fmt"
	"io/fs"
	"sync"

	"plimsoll/conversation"
	"plimsoll/tools/workspace"
)

// Keeper stores the contents that files have before tools of one conversation change them.
type Keeper struct {
	Store *Store
	// Record appends an event to the log of the conversation, and returns when it is stored.
	Record func(context.Context, conversation.Body) error

	mu   sync.Mutex           // guards what follows
	seen map[string]fileState // of the files that differed from the commit before the newest command, by path
}

// tooLarge replaces the hash of a content that is too large to store.
const tooLarge = "too large"

// Change is what a tool is about to do to a file.
type Change struct {
	Path          workspace.Path
	Now           fs.FileInfo // of the file, nil if there is none
	Before, After string      // its contents
}

// BeforeChange stores the content of a file, and records that a tool changes it. A nil Keeper does nothing.
func (k *Keeper) BeforeChange(ctx context.Context, tool string, c Change) error {
	if k == nil {
		return nil
	}
	v := conversation.FileVersion{Path: c.Path.Rel, To: conversation.ContentHash(c.After)}
	err := error(nil)
	if c.Now != nil {
		v.Mode, v.From = uint32(c.Now.Mode().Perm()), tooLarge
		if c.Now.Size() <= maxContent {
			v.From, err = k.Store.Put(c.Before)
		}
	}
	if err == nil {
		err = k.Record(ctx, conversation.Checkpoint{Files: []conversation.FileVersion{v}, By: tool})
	}
	if err != nil {
		return fmt.Errorf("%s was not changed, since what it has now could not be kept: %w. "+
			"The user can turn this off with checkpoints.enabled: false", c.Path.Name, err)
	}
	return nil
}
