package screen

import (
	"context"
	"errors"
	"io/fs"

	"plimsoll/cli/setup"
	"plimsoll/conversation/diff"
	"plimsoll/tools/workspace"
	"plimsoll/tui/changes"
)

// onDisk knows the files of the workspace.
type onDisk struct{ settings *setup.Settings }

// OnDisk compares files that a conversation changed with what it left in them. They are
// looked for where its tools reach them: in the workspace.
func (o *onDisk) OnDisk(ctx context.Context, files []diff.Changed) []changes.Disk {
	found := make([]changes.Disk, len(files))
	ws, err := workspace.Open(o.settings.Workspace)
	if err == nil {
		defer func() { _ = ws.Close() }() // opened for reading
	}
	for i, f := range files {
		found[i] = changes.DiskUnreadable
		if err == nil && ctx.Err() == nil {
			found[i] = compared(ws, f)
		}
	}
	return found
}

func compared(ws *workspace.Files, f diff.Changed) changes.Disk {
	p, err := ws.Locate(f.Name)
	if err != nil {
		return changes.DiskUnreadable
	}
	if _, err := ws.Stat(p); errors.Is(err, fs.ErrNotExist) {
		return changes.DiskGone
	}
	text, err := ws.Content(p)
	switch {
	case err != nil:
		return changes.DiskUnreadable
	case f.Left(text):
		return changes.DiskSame
	}
	return changes.DiskOther
}
