package tools

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"strings"

	"plimsoll/conversation/diff"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/checkpoint"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
	"plimsoll/tools/workspace"
)

// create_file makes a new file and the folders it needs. It replaces an existing
// file only with overwrite, and then keeps the file's mode.

// maxDetailBytes bounds the diff kept with a result.
const maxDetailBytes = 30_000

func (b *Box) createFile() tool {
	return b.editTool(tool{
		name: "create_file",
		about: "Create a text file in the workspace with the content given, with its folders. Refuses if the file exists, " +
			"unless overwrite is true. To change part of a file use modify_file.",
		brief: "Create a text file.",
		params: []params.Param{
			{Name: "path", Kind: params.Text, Required: true, About: "file, relative to the workspace"},
			{Name: "content", Kind: params.Text, Required: true, About: "the whole content"},
			{Name: "overwrite", Kind: params.Bool, About: "replace the file if it exists"},
		},
	}, b.planCreate)
}

// editTool completes a tool that changes one file as plan says.
func (b *Box) editTool(t tool, plan func(params.Values) (edit, error)) tool {
	t.access = permission.AccessEdit
	t.effect = func(_ context.Context, args params.Values) (permission.Effect, error) {
		e, err := plan(args)
		if err != nil {
			return permission.Effect{}, err
		}
		return e.effect(t.name), nil
	}
	t.run = func(ctx context.Context, args params.Values, _ func(string)) (result, error) {
		e, err := plan(args)
		if err != nil {
			return result{}, err
		}
		change := checkpoint.Change{Path: e.path, Before: e.before, After: e.after}
		if e.exists {
			if change.Now, err = b.files.Stat(e.path); err != nil {
				return result{}, e.path.Explain(err)
			}
		}
		if err := b.options.Checkpoints.BeforeChange(ctx, t.name, change); err != nil {
			return result{}, err
		}
		b.options.Writing.Lock()
		defer b.options.Writing.Unlock()
		if now, err := plan(args); err != nil {
			return result{}, err
		} else if now.exists != e.exists || now.before != e.before {
			return result{}, fmt.Errorf("%s changed just now. Look again and send the call again", e.path.Name)
		}
		write := b.files.Create
		if e.exists {
			write = b.files.Replace
		}
		if err := write(e.path, e.after); err != nil {
			return result{}, err
		}
		return result{text: e.done, detail: cutLines(e.diff(), maxDetailBytes)}, nil
	}
	return t
}

// maxReviewDiff is how much of a diff the user is shown, in bytes.
const maxReviewDiff = 256 << 10

// edit is a planned change of one file, not yet written.
type edit struct {
	path          workspace.Path
	exists        bool
	before, after string
	done          string // text of the tool result after it is written
}

func (e edit) effect(tool string) permission.Effect {
	t := permission.OfFile(tool, permission.AccessEdit, e.path)
	t.Diff = func() string { return cutLines(e.diff(), maxReviewDiff) }
	t.Fingerprint += fmt.Sprintf("\n%v %x %x", e.exists, maphash.String(hashSeed, e.before), maphash.String(hashSeed, e.after))
	return t
}

// hashSeed is the seed of the hashes in fingerprints.
var hashSeed = maphash.MakeSeed()

// diff returns the edit as a unified diff with the object ids of both texts.
func (e edit) diff() string {
	return diff.Unified(diff.Version{Name: e.path.Name, Text: e.before, Missing: !e.exists}, diff.Version{Name: e.path.Name, Text: e.after})
}

func (b *Box) planCreate(args params.Values) (edit, error) {
	name := args.Text("path")
	p, err := b.files.Locate(name)
	if err != nil {
		return edit{}, err
	}
	if p.Rel == "." || strings.HasSuffix(name, "/") {
		return edit{}, fmt.Errorf("%s is a folder; name a file", name)
	}
	e := edit{path: p, after: args.Text("content")}
	if len(e.after) > workspace.MaxEdit {
		return edit{}, fmt.Errorf("the content is %s; at most 16 MiB can be written", numbers.Bytes(int64(len(e.after))))
	}
	written := fmt.Sprintf("%s (%d lines)", p.Name, lineCount(e.after))
	e.done = "created " + written
	st, err := b.files.Stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return e, b.files.FoldersFor(p)
	case err != nil:
		return edit{}, p.Explain(err)
	}
	if err := p.OnlyRegular(st); err != nil {
		return edit{}, err
	}
	if !args.Bool("overwrite") {
		return edit{}, workspace.ExistsAlready(p)
	}
	e.exists, e.done = true, "replaced "+written
	if st.Size() <= workspace.MaxEdit {
		e.before, err = b.files.Content(p)
	}
	if err == nil && e.before == e.after {
		err = fmt.Errorf("%s has this very content already; nothing to do", p.Name)
	}
	return e, err
}

// lineCount returns the number of lines of text, including a last line without a line end.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// cutLines returns the lines of text that fit into max bytes; a last line gives
// the number of those left out.
func cutLines(text string, max int) string {
	if len(text) <= max {
		return text
	}
	at := strings.LastIndexByte(text[:max], '\n') + 1
	return text[:at] + "[... " + numbers.Grouped(strings.Count(text[at:], "\n")) + " more lines ...]\n"
}
