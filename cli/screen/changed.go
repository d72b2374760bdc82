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
func (o *onDisk) OnDisk(ctx context.Context, files []diff.Changed) []changes.File {
	found := make([]changes.File, len(files))
	ws, err := workspace.Open(o.settings.Workspace)
	if err == nil {
		defer func() { _ = ws.Close() }() // opened for reading
	}
	for i, f := range files {
		found[i] = changes.File{Changed: f, Disk: changes.DiskUnreadable}
		if err == nil && ctx.Err() == nil {
			found[i].Changed, found[i].Disk = compared(ws, f)
		}
	}
	return found
}

func compared(ws *workspace.Files, f diff.Changed) (diff.Changed, changes.Disk) {
	p, err := ws.Locate(f.Name)
	if err != nil {
		return f, changes.DiskUnreadable
	}
	if _, err := ws.Stat(p); errors.Is(err, fs.ErrNotExist) {
		return f, changes.DiskGone
	}
	text, err := ws.Content(p)
	if err != nil {
		return f, changes.DiskUnreadable
	}
	if whole, same := f.Whole(text); same {
		return whole, changes.DiskSame
	}
	return f, changes.DiskOther
}
