package workspace

import (
	"context"
	"errors"
	"io/fs"
)

// File is a file of a workspace.
type File struct {
	Path string // relative to the workspace, slashes
	Size int64  // bytes
}

// List lists at most most regular files of a workspace in the order of their
// paths, without ignored files.
func List(ctx context.Context, workspace string, most int) ([]File, error) {
	f, err := Open(workspace)
	if err != nil {
		return nil, err
	}
	var found []File
	err = f.Walk(ctx, Place{Rel: ".", Name: "."}, false, func(e Entry) error {
		if !e.Type().IsRegular() {
			return nil
		}
		if len(found) == most {
			return ErrStop
		}
		st, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // deleted meanwhile
		}
		if err != nil {
			return err
		}
		found = append(found, File{Path: e.Rel, Size: st.Size()})
		return nil
	})
	return found, errors.Join(err, f.Close())
}
