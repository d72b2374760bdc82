package tools

import (
	"context"
	"errors"
	"io/fs"
)

// WorkspaceFile is a file of a workspace.
type WorkspaceFile struct {
	Path string // relative to the workspace, slashes
	Size int64  // bytes
}

// WorkspaceFiles lists the regular files of a workspace in the order of their
// paths, without what is ignored; at most so many.
func WorkspaceFiles(ctx context.Context, workspace string, most int) ([]WorkspaceFile, error) {
	f, err := openFiles(workspace)
	if err != nil {
		return nil, err
	}
	var found []WorkspaceFile
	err = f.walk(ctx, place{rel: ".", name: "."}, false, func(e entry) error {
		if !e.Type().IsRegular() {
			return nil
		}
		if len(found) == most {
			return errStop
		}
		st, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // deleted meanwhile
		}
		if err != nil {
			return err
		}
		found = append(found, WorkspaceFile{Path: e.rel, Size: st.Size()})
		return nil
	})
	return found, errors.Join(err, f.close())
}
