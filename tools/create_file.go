package tools

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"plimsoll/conversation"
	"plimsoll/tools/params"
	"plimsoll/tools/words"
)

// create_file makes a new file and the folders it needs. It replaces an existing
// file only when told to, and then keeps its mode.

const (
	maxEditBytes   = 16 << 20 // largest file that is edited
	maxDetailBytes = 30_000   // of the diff kept with a result
)

func (b *Box) createFile() tool {
	return tool{
		name: "create_file",
		about: "Create a text file in the workspace with the content given, with its folders. Refuses if the file exists, " +
			"unless overwrite is true. To change part of a file use modify_file.",
		params: []params.Param{
			{Name: "path", Kind: params.Text, Required: true, About: "file, relative to the workspace"},
			{Name: "content", Kind: params.Text, Required: true, About: "the whole content"},
			{Name: "overwrite", Kind: params.Flag, About: "replace the file if it exists"},
		},
		touch: func(_ context.Context, args params.Values) (touch, error) {
			e, err := b.planCreate(args)
			return e.touch("create_file", err)
		},
		run: func(_ context.Context, args params.Values, _ func(string)) (result, error) {
			e, err := b.planCreate(args)
			if err != nil {
				return result{}, err
			}
			done := fmt.Sprintf("created %s (%d lines)", e.place.name, lineCount(e.after))
			if e.exists {
				done = fmt.Sprintf("replaced %s (%d lines)", e.place.name, lineCount(e.after))
			}
			return b.apply(e, done)
		},
	}
}

// edit is a change of one file, worked out and not yet made.
type edit struct {
	place         place
	exists        bool
	before, after string
	done          string // what to tell the model once it is made
}

// touch describes the edit; a failure to work it out is passed on.
func (e edit) touch(tool string, err error) (touch, error) {
	if err != nil {
		return touch{}, err
	}
	t := touchPlace(tool, accessEdit, e.place)
	t.diff = func() string { return cutLines(e.diff(), maxReviewDiff) }
	t.mark += fmt.Sprintf("\n%v %x %x", e.exists, maphash.String(marking, e.before), maphash.String(marking, e.after))
	return t, nil
}

// marking is the seed of the hashes in marks.
var marking = maphash.MakeSeed()

// diff is the edit as a unified diff.
func (e edit) diff() string {
	from := "a/" + e.place.name
	if !e.exists {
		from = "/dev/null"
	}
	return conversation.Clean(udiff.Unified(from, "b/"+e.place.name, e.before, e.after))
}

// apply makes the edit.
func (b *Box) apply(e edit, done string) (result, error) {
	write := b.files.create
	if e.exists {
		write = b.files.replace
	}
	if err := write(e.place, e.after); err != nil {
		return result{}, err
	}
	return result{text: done, detail: cutLines(e.diff(), maxDetailBytes)}, nil
}

func (b *Box) planCreate(args params.Values) (edit, error) {
	name := args.Text("path")
	p, err := b.files.locate(name)
	if err != nil {
		return edit{}, err
	}
	if p.rel == "." || strings.HasSuffix(name, "/") {
		return edit{}, fmt.Errorf("%s is a folder; name a file", name)
	}
	e := edit{place: p, after: args.Text("content")}
	if len(e.after) > maxEditBytes {
		return edit{}, fmt.Errorf("the content is %s; at most 16 MiB can be written", words.Bytes(int64(len(e.after))))
	}
	st, err := b.files.root.Stat(p.rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return e, b.foldersFor(p)
	case err != nil:
		return edit{}, p.explain(err)
	}
	if err := p.onlyRegular(st); err != nil {
		return edit{}, err
	}
	if !args.Flag("overwrite") {
		return edit{}, existsAlready(p)
	}
	e.exists = true
	if st.Size() <= maxEditBytes {
		e.before, err = b.files.content(p)
	}
	if err == nil && e.before == e.after {
		err = fmt.Errorf("%s has this very content already; nothing to do", p.name)
	}
	return e, err
}

// foldersFor checks that p's folders are folders, as far as they exist.
func (b *Box) foldersFor(p place) error {
	for dir := path.Dir(p.rel); dir != "."; dir = path.Dir(dir) {
		st, err := b.files.root.Stat(dir)
		if err != nil {
			continue
		}
		if !st.IsDir() {
			return fmt.Errorf("%s cannot be created: %s is a file", p.name, dir)
		}
		return nil
	}
	return nil
}

func existsAlready(p place) error {
	return fmt.Errorf("%s exists already. Use modify_file to change part of it, or overwrite: true to replace it", p.name)
}

// content is the whole of a file of at most maxEditBytes.
func (f *files) content(p place) (string, error) {
	file, st, err := f.open(p)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // opened for reading
	if st.Size() > maxEditBytes {
		return "", fmt.Errorf("%s is %s; files over 16 MiB are not edited", p.name, words.Bytes(st.Size()))
	}
	text, err := io.ReadAll(io.LimitReader(file, maxEditBytes))
	if err != nil {
		return "", p.explain(err)
	}
	return string(text), nil
}

// lineCount is the number of lines of text, a last one without an end included.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
