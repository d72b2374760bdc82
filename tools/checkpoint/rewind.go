package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/diff"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/workspace"
)

// Bringing files back. Rules:
//
//   - A file that somebody else changed since the conversation did is left alone, unless the user says otherwise.
//   - What a file has now is kept before it is brought back, so that this can be undone too.
//   - The log says what will be brought back before the first file is. Each file is replaced at once: after a crash it is either
//     as before or brought back, and Unfinished says which. The next rewind removes the incomplete files that the crash left.

// Plan is what bringing files back would do. It has only files that would change, or cannot.
type Plan struct {
	Turn  int // the files become what they were before it
	Redo  bool
	Files []File
	// Unknown means that commands may have changed further files since.
	Unknown bool

	log []conversation.Event // which it was made for
}

// File is a file of a plan.
type File struct {
	Path    string
	Target  string // hash of the content it gets; "" if it will be removed
	Now     string // hash of its content; "" if there is no file
	Mode    fs.FileMode
	Foreign bool   // somebody else changed it since the conversation did
	Problem string // why it cannot be brought back; "" if it can
	Diff    string // unified diff of what would happen; "" for a file that is no text, or cannot be read

	at     workspace.Path
	before string
	after  string
}

// target is a content that a file should get.
type target struct {
	conversation.FileVersion          // To is the content it should get
	known                    []string // hashes of contents that the conversation left in it
}

// Rewinder brings back the files of a conversation.
type Rewinder struct {
	Store *Store
	Files *workspace.Files
}

// Plan compares the files that the conversation changed since a turn began with what they were before it.
func (r Rewinder) Plan(ctx context.Context, log []conversation.Event, turn int) (Plan, error) {
	var targets []target
	for _, c := range conversation.FilesSince(log, turn) {
		targets = append(targets, target{conversation.FileVersion{Path: c.Path, To: c.From, Mode: c.Mode}, []string{c.To, c.Interrupted}})
	}
	files, err := r.plan(ctx, targets)
	return Plan{Turn: turn, Files: files, Unknown: conversation.UnknownSince(log, turn), log: log}, err
}

// PlanRedo is the plan that undoes the newest rewind of files, if no message and no change followed it.
func (r Rewinder) PlanRedo(ctx context.Context, log []conversation.Event) (Plan, error) {
	last, _, ok := conversation.LastRewound(log)
	if !ok || last.Redo {
		return Plan{}, nil
	}
	var targets []target
	for _, v := range last.Files {
		targets = append(targets, target{conversation.FileVersion{Path: v.Path, To: v.From, Mode: v.Mode}, []string{v.To, v.From}})
	}
	files, err := r.plan(ctx, targets)
	return Plan{Turn: last.Turn, Redo: true, Files: files, log: log}, err
}

func (r Rewinder) plan(ctx context.Context, targets []target) ([]File, error) {
	var files []File
	for _, t := range targets {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		f := File{Path: t.Path, Target: t.To, Mode: fs.FileMode(t.Mode).Perm()}
		err := r.read(&f)
		if err == nil && f.Now == f.Target {
			continue
		}
		if err == nil && f.Target != "" {
			f.after, err = r.content(f.Target)
		}
		if err != nil {
			f.Problem = err.Error()
		} else {
			f.Foreign = f.Now != t.known[0] && f.Now != t.known[1]
			f.Diff = f.unified()
		}
		files = append(files, f)
	}
	return files, nil
}

func (r Rewinder) content(hash string) (string, error) {
	if hash == tooLarge {
		return "", errors.New("what was in it was too large to keep")
	}
	return r.Store.Get(hash)
}

// read reads what the file has now.
func (r Rewinder) read(f *File) error {
	p, err := r.Files.Locate(f.Path)
	if err != nil {
		return err
	}
	if f.at = p; p.Rel != f.Path {
		return errors.New("it is reached through a link now")
	}
	st, err := r.Files.Stat(p)
	if errors.Is(err, fs.ErrNotExist) {
		f.Now = ""
		return nil
	}
	if err != nil {
		return p.Explain(err)
	}
	if f.before, err = r.Files.Content(p); err != nil {
		return err
	}
	f.Now = conversation.ContentHash(f.before)
	if f.Target == "" || f.Mode == 0 {
		f.Mode = st.Mode().Perm()
	}
	return nil
}

func (f *File) unified() string {
	if workspace.NotText([]byte(f.before)) != "" || workspace.NotText([]byte(f.after)) != "" {
		return ""
	}
	return diff.Unified(diff.Version{Name: f.Path, Text: f.before, Missing: f.Now == ""}, diff.Version{Name: f.Path, Text: f.after, Missing: f.Target == ""})
}

// Outcome is what became of the files of a plan.
type Outcome struct {
	Done []string
	Left []Left
}

// Left is a file that was left as it is.
type Left struct{ Path, Why string }

func (o *Outcome) leave(path, why string) { o.Left = append(o.Left, Left{path, why}) }

// Text says in one line what became of the files.
func (o Outcome) Text() string {
	text := "no file was brought back"
	if len(o.Done) > 0 {
		text = numbers.Count(len(o.Done), "file") + " brought back: " + strings.Join(o.Done, ", ")
	}
	for _, l := range o.Left {
		text += "; " + l.Path + " was left as it is: " + l.Why
	}
	return text
}

// byOther is why a file that somebody else changed is left as it is.
const byOther = "somebody else changed it"

// whyLeft says why the file is left as it is, "" if it is brought back.
func (f *File) whyLeft(foreign bool) string {
	if f.Problem == "" && f.Foreign && !foreign {
		return byOther
	}
	return f.Problem
}

// Expected is the outcome of Apply if nothing changes until then.
func (p Plan) Expected(foreign bool) (out Outcome) {
	for _, f := range p.Files {
		if why := f.whyLeft(foreign); why != "" {
			out.leave(f.Path, why)
			continue
		}
		out.Done = append(out.Done, f.Path)
	}
	return out
}

// Apply brings the files of a plan back, also those that somebody else changed if foreign is set. record stores an event in the
// log of the conversation before it returns: the rewind before the first file is changed, and a notice at the end. The error is
// that of record or of the store; a nil Done then means that no file was changed.
func (r Rewinder) Apply(ctx context.Context, p Plan, foreign bool, record func(context.Context, conversation.Body) error) (Outcome, error) {
	r.removeLeftovers(p.log)
	var out Outcome
	var ready []File
	event := conversation.Rewound{Turn: p.Turn, Redo: p.Redo}
	for _, f := range p.Files {
		was, why := f.Now, f.whyLeft(foreign)
		if why == "" {
			if err := r.read(&f); err != nil {
				why = err.Error()
			} else if f.Now != was {
				why = "it changed just now"
			}
		}
		if why != "" {
			out.leave(f.Path, why)
			continue
		}
		v := conversation.FileVersion{Path: f.Path, From: f.Now, To: f.Target, Mode: uint32(f.Mode)}
		if f.Now != "" {
			if _, err := r.Store.Put(f.before); err != nil {
				return out, fmt.Errorf("keeping what %s has now: %w", f.Path, err)
			}
		}
		ready, event.Files = append(ready, f), append(event.Files, v)
	}
	if len(ready) == 0 {
		return out, nil
	}
	if err := record(ctx, event); err != nil {
		return out, err
	}
	for i, f := range ready {
		err := r.read(&f)
		switch {
		case err != nil:
		case f.Now != event.Files[i].From:
			err = errors.New("it changed just now")
		case f.Target == "":
			err = r.Files.Remove(f.at)
		default:
			err = r.Files.Restore(f.at, f.after, f.Mode)
		}
		if err != nil {
			out.leave(f.Path, err.Error())
		} else {
			out.Done = append(out.Done, f.Path)
		}
	}
	return out, record(ctx, conversation.Notice{Level: conversation.NoticeInfo, Text: out.Text()})
}

// removeLeftovers removes the files in which contents waited when a rewind of the log was interrupted.
func (r Rewinder) removeLeftovers(log []conversation.Event) {
	for _, e := range log {
		rewound, _ := e.Body.(conversation.Rewound)
		for _, v := range rewound.Files {
			if p, err := r.Files.Locate(v.Path); err == nil && isHash(v.To) {
				r.Files.RemoveLeftovers(p, v.To)
			}
		}
	}
}

// Changed lists the files that are not as the conversation left them.
func (r Rewinder) Changed(ctx context.Context, log []conversation.Event) (paths []string) {
	for _, c := range conversation.FilesSince(log, 0) {
		f := File{Path: c.Path}
		if ctx.Err() == nil && r.read(&f) == nil && f.Now != c.To {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// UnfinishedNote says that a rewind was interrupted.
func UnfinishedNote(done, left []string) string {
	text := "bringing files back was interrupted. Left as before: " + strings.Join(left, ", ")
	if len(done) > 0 {
		text += "; brought back: " + strings.Join(done, ", ")
	}
	return text + ". /rewind does the rest"
}

// Unfinished compares the files with the newest rewind, if it was interrupted: left names the files that it did not reach, and
// done those that it brought back.
func (r Rewinder) Unfinished(ctx context.Context, log []conversation.Event) (done, left []string) {
	last, finished, ok := conversation.LastRewound(log)
	if !ok || finished {
		return nil, nil
	}
	for _, v := range last.Files {
		f := File{Path: v.Path}
		if ctx.Err() != nil || r.read(&f) != nil {
			continue
		}
		switch f.Now {
		case v.To:
			done = append(done, v.Path)
		case v.From:
			left = append(left, v.Path)
		}
	}
	return done, left
}
