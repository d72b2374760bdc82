package tools

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"plimsoll/conversation/numbers"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
	"plimsoll/tools/workspace"
)

// list_files lists the entries of a folder, a path per line: folders end in a slash,
// files are shown with their size, links with their target.

const (
	listDepth   = 2
	listEntries = 1000 // lines of one answer
)

func (b *Box) listFiles() tool {
	return tool{
		name: "list_files", readOnly: true,
		about: "List the files and folders of the workspace with their sizes, a path per line; folders end in /. " +
			"Leaves out what .gitignore says, .git and node_modules. Shows up to 1000 entries.",
		brief:  "List files and folders.",
		access: permission.AccessRead,
		params: []params.Param{
			{Name: "path", Kind: params.Text, About: `folder, relative to the workspace, default "."`},
			{Name: "depth", Kind: params.Int, Min: 1, Max: 20, About: "levels of folders to show, default 2"},
			{Name: "include_ignored", Kind: params.Bool, About: "also show what is ignored"},
		},
		effect: func(_ context.Context, args params.Values) (permission.Effect, error) {
			return b.readEffect("list_files", pathOf(args), true)
		},
		run: b.runListFiles,
	}
}

// folder locates the folder of the path argument, "." if it was left out.
func (b *Box) folder(args params.Values) (workspace.Path, error) {
	p, err := b.files.Locate(pathOf(args))
	if err != nil {
		return workspace.Path{}, err
	}
	return p, b.files.Directory(p)
}

// pathOf returns the path argument, "." if it was left out.
func pathOf(args params.Values) string { return cmp.Or(args.Text("path"), ".") }

func (b *Box) runListFiles(ctx context.Context, args params.Values, _ func(string)) (result, error) {
	files, p, named, done, err := b.reach(pathOf(args))
	if err != nil {
		return result{}, err
	}
	defer done()
	if err := files.Directory(p); err != nil {
		return result{}, err
	}
	above := "" // the folder of a skill outside the workspace
	if files != b.files {
		above = files.Dir + "/"
	}
	depth := args.Int("depth", listDepth)
	var out strings.Builder
	shown, more := 0, false
	err = files.Walk(ctx, p, args.Bool("include_ignored"), func(e workspace.Entry) error {
		if more = shown == listEntries; more {
			return workspace.ErrStop
		}
		shown++
		out.WriteString(above + listLine(files, e, e.Depth == depth) + "\n")
		if e.IsDir() && e.Depth == depth {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return result{}, err
	}
	if shown == 0 {
		return result{text: named.Name + " holds nothing that is not ignored"}, nil
	}
	if more {
		fmt.Fprintf(&out, "[only the first %s entries; ask for a folder of it, or a smaller depth]\n", numbers.Grouped(shown))
	}
	return result{text: out.String()}, nil
}

// listLine describes one entry; for a folder at the last level it counts the entries in it.
func listLine(files *workspace.Files, e workspace.Entry, last bool) string {
	if e.IsDir() {
		if last {
			if inside, err := files.Entries(e.Rel); err == nil {
				return fmt.Sprintf("%s/  (%d entries)", e.Rel, len(inside))
			}
		}
		return e.Rel + "/"
	}
	if target, err := files.Readlink(e.Rel); err == nil {
		return e.Rel + " -> " + filepath.ToSlash(target)
	}
	if st, err := files.Lstat(e.Rel); err == nil && st.Mode().IsRegular() {
		return e.Rel + "  " + numbers.Bytes(st.Size())
	}
	return e.Rel + "  (not a file)"
}
