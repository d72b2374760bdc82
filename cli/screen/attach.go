package screen

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/workspace"
	"plimsoll/tui"
)

// What a message mentions with @ goes with it: the text of a file, some of its lines
// (main.go:3-9), or what is in a folder (config/).

// maxListing is how many entries of a folder are listed.
const maxListing = 500

// foldersOf lists the folders that files are in, with about what their lists weigh.
func foldersOf(files []workspace.File) []tui.File {
	size := map[string]int{}
	for _, f := range files {
		for child := f.Path; ; {
			dir := path.Dir(child)
			if dir == "." {
				break
			}
			_, known := size[dir]
			size[dir] += len(path.Base(child)) + 1
			if known {
				break // it is part of its own folder already
			}
			child = dir
		}
	}
	folders := make([]tui.File, 0, len(size))
	for dir, chars := range size {
		folders = append(folders, tui.File{Path: dir + "/", Tokens: max(1, int(float64(chars)/meter.CharsPerToken))})
	}
	slices.SortFunc(folders, func(a, b tui.File) int { return cmp.Compare(a.Path, b.Path) })
	return folders
}

// Attach returns the text of what is mentioned, each with its name.
func (h *Host) Attach(ctx context.Context, paths []string) (string, error) {
	root, err := os.OpenRoot(h.with.Settings.Workspace)
	if err != nil {
		return "", fmt.Errorf("opening the workspace: %w", err)
	}
	defer root.Close()
	files := make([]conversation.AttachedFile, len(paths))
	most := h.arrivalCap()
	for i, path := range paths {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		text, err := attachment(root, path, most)
		if err != nil {
			return "", &tui.MentionError{Path: path, Err: err}
		}
		files[i] = conversation.AttachedFile{Path: path, Text: text}
	}
	return conversation.Attach(files...), nil
}

// attachment reads what is mentioned, cut like a tool's result.
func attachment(root *os.Root, name string, most conversation.ArrivalCap) (string, error) {
	text, err := mentioned(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		if file, first, last, ok := linesIn(name); ok {
			if text, err = mentioned(root, file); err == nil {
				text, err = someLines(text, first, last)
			}
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("there is no such file in the workspace")
	}
	if err != nil {
		return "", err
	}
	shown, _ := most.Apply(text, "")
	return shown, nil
}

// mentioned is the whole text of a file, or the list of a folder.
func mentioned(root *os.Root, name string) (string, error) {
	st, err := root.Stat(name)
	switch {
	case err != nil:
		return "", err
	case st.IsDir():
		return namesIn(root, name)
	case !st.Mode().IsRegular():
		return "", fmt.Errorf("%w: not a file", fs.ErrInvalid)
	case tui.IsImage(name):
		return "", errors.New("it is an image: only text can be sent")
	case st.Size() > MaxAttachment:
		return "", fmt.Errorf("larger than %d MiB; the model can read parts of it", MaxAttachment>>20)
	}
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxAttachment))
	if err != nil {
		return "", err
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", errors.New("it is a binary file: only text can be sent")
	}
	return conversation.Clean(string(data)), nil
}

// namesIn is what is in a folder, one name a line, folders with a slash.
func namesIn(root *os.Root, name string) (string, error) {
	entries, err := fs.ReadDir(root.FS(), path.Clean(name))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, e := range entries {
		if i == maxListing {
			fmt.Fprintf(&b, "… and %d more\n", len(entries)-i)
			break
		}
		b.WriteString(conversation.Clean(e.Name()))
		if e.IsDir() {
			b.WriteByte('/')
		}
		b.WriteByte('\n')
	}
	if len(entries) == 0 {
		return "(an empty folder)", nil
	}
	return b.String(), nil
}

// linesOf is a path with lines behind it: main.go:7, main.go:7-20.
var linesOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+):([0-9]{1,7})(?:-([0-9]{1,7}))?$`)
})

// linesIn tells a file from the lines of it that are meant, counted from 1.
func linesIn(name string) (file string, first, last int, ok bool) {
	part := linesOf().FindStringSubmatch(name)
	if part == nil {
		return "", 0, 0, false
	}
	first, _ = strconv.Atoi(part[2])
	last, err := strconv.Atoi(part[3])
	if err != nil {
		last = first
	}
	return part[1], first, last, true
}

// someLines are the lines of a text from one to another.
func someLines(text string, first, last int) (string, error) {
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if first < 1 || last < first || first > len(all) {
		return "", fmt.Errorf("there are no such lines: it has %s", numbers.Count(len(all), "line"))
	}
	return strings.Join(all[first-1:min(last, len(all))], "\n"), nil
}

// Files lists the files of the workspace that can be mentioned.
func (h *Host) Files(ctx context.Context) ([]tui.File, error) {
	if err := h.with.Settings.Configure(); err != nil {
		return nil, err
	}
	found, err := workspace.List(ctx, h.with.Settings.Workspace, maxFiles)
	if err != nil {
		return nil, err
	}
	files := make([]tui.File, 0, len(found))
	most := int64(h.arrivalCap().Chars)
	for _, f := range found {
		if tui.IsImage(f.Path) {
			continue // it cannot be part of a message
		}
		files = append(files, tui.File{Path: f.Path, Tokens: int(float64(min(f.Size, most)) / meter.CharsPerToken)})
	}
	return append(files, foldersOf(found)...), nil
}
