package tui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/compact/edit"
	"plimsoll/conversation"
	"plimsoll/conversation/diff"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/changes"
	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// Turns can be undone: they stay in the log, but not in the prompt, and the message of the first of them returns to the composer.
// They can be redone until another message is sent. Files that tools changed since can be brought back with them, or alone; the
// user is asked, and is always told what became of the files. A fork from an earlier message does not change this conversation.

// FilePlan is what bringing files back would do.
type FilePlan struct {
	Files   []PlannedFile // those that would change, or cannot
	Unknown bool          // commands may have changed further files
	// Apply brings them back, also those that somebody else changed if overwrite is set, and says in one line what became of them.
	Apply func(ctx context.Context, overwrite bool) (string, error)
}

// PlannedFile is a file of a FilePlan.
type PlannedFile struct {
	Path    string
	Removed bool   // it did not exist
	Foreign bool   // somebody else changed it since the conversation did
	Problem string // why it cannot be brought back; "" if it can
	Diff    string // unified diff of what would happen; may be ""
}

// newestTurn is the argument of Rewind for the newest turn.
const newestTurn = -1

// rewindNamed undoes all turns from a typed turn number on, or what it says: conversation, files or both.
func (s *session) rewindNamed(args string) pane.Action {
	number, what, _ := strings.Cut(args, " ")
	turn, err := strconv.Atoi(number)
	turn--
	switch what = strings.TrimSpace(what); {
	case err != nil || turn < 0:
	case what == "":
		return s.rewind(turn)
	case what == rewindTalk:
		return s.rewindConversation(turn, "its files stay as they are")
	case what == rewindOnlyFiles || what == rewindBoth:
		return s.planFiles(turn, func(p FilePlan) pane.Action { return s.rewindFiles(turn, p, what == rewindBoth, false) })
	}
	return refusal("usage: /rewind [TURN [conversation|files|both]]")
}

// rewind undoes turns, and asks about the files that tools changed since, if there are any.
func (s *session) rewind(turn int) pane.Action {
	if why := s.whyNotRewindable(); why != "" {
		return refusal(why)
	}
	turns := s.log.userTurns()
	at := len(turns) - 1
	if turn >= 0 {
		at = slices.IndexFunc(turns, func(e conversation.Event) bool { return e.Turn == turn })
	}
	if at < 0 {
		return refusal("there is no such turn")
	}
	from := turns[at].Turn
	noFiles := len(conversation.FilesSince(s.log, from)) == 0
	switch {
	case noFiles && conversation.UnknownSince(s.log, from):
		return s.rewindConversation(turn, "what commands may have changed in files stays")
	case noFiles:
		s.Session.Rewind(turn)
		return nil
	case s.activity.turnRuns():
		return s.rewindConversation(turn, "files stay as they are; /rewind "+pane.Turn(from)+" files brings them back")
	}
	return s.planFiles(from, func(p FilePlan) pane.Action {
		if len(p.Files) == 0 {
			return s.rewindConversation(turn, "its files are already as before")
		}
		return s.chooseRewind(from, p)
	})
}

// rewindConversation undoes turns only, and says what became of the files.
func (s *session) rewindConversation(turn int, files string) pane.Action {
	if why := s.whyNotRewindable(); why != "" {
		return refusal(why)
	}
	s.Session.Rewind(turn)
	return textSnackbar(files)
}

// planFiles plans to bring the files back to what they were before a turn.
func (s *session) planFiles(turn int, then func(FilePlan) pane.Action) pane.Action {
	if why := s.whyNotRewindable(); why != "" {
		return refusal(why)
	}
	if s.activity.turnRuns() {
		return refusal("files are brought back when the turn has ended; " + s.env.Keys.Screen.Cancel.Help().Key + " stops it")
	}
	ctx, b, id := s.env.ctx, s.env.Backend, s.ID
	return doAsync(func() (FilePlan, error) { return b.PlanRewind(ctx, turn, false) }, func(p FilePlan, err error) pane.Action {
		if err != nil || id != s.ID {
			return failureSnackbar(err)
		}
		return then(p)
	})
}

// The choices of a rewind.
const (
	rewindBoth      = "both"
	rewindTalk      = "conversation"
	rewindOnlyFiles = "files"
	rewindDiff      = "diff"
)

// othersKept and othersOverwritten are the values of the setting for files that somebody else changed.
const (
	othersKept        = "left as they are"
	othersOverwritten = "brought back too"
)

// chooseRewind asks what to take back.
func (s *session) chooseRewind(turn int, p FilePlan) pane.Action {
	const maxNamedFiles = 6
	var text []string
	for _, f := range p.Files[:min(len(p.Files), maxNamedFiles)] {
		text = append(text, f.line())
	}
	if more := len(p.Files) - maxNamedFiles; more > 0 {
		text = append(text, "and "+numbers.Count(more, "more file"))
	}
	if p.Unknown {
		text = append(text, "what commands changed is not known in part")
	}
	o := dialog.PickerOptions{
		Title: "Go back to before turn " + pane.Turn(turn), Text: strings.Join(text, "\n"),
		Items: []dialog.Item{
			{ID: rewindBoth, Title: "conversation and files"},
			{ID: rewindTalk, Title: "conversation only"},
			{ID: rewindOnlyFiles, Title: "files only"},
			{ID: rewindDiff, Title: "show what would change in the files"},
		},
		Choose: func(what, others string) pane.Action {
			switch what {
			case rewindTalk:
				return s.rewindConversation(turn, "its files stay as they are")
			case rewindDiff:
				return showPlan{turn, p}
			}
			return s.rewindFiles(turn, p, what == rewindBoth, others == othersOverwritten)
		},
	}
	if slices.ContainsFunc(p.Files, func(f PlannedFile) bool { return f.Foreign }) {
		o.Setting = &dialog.Setting{Name: "changed by others", Values: []string{othersKept, othersOverwritten}}
	}
	return open(o)
}

// line tells what would become of a file.
func (f PlannedFile) line() string {
	what := "as it was"
	switch {
	case f.Problem != "":
		what = "cannot be brought back: " + f.Problem
	case f.Foreign:
		what = "somebody else changed it since"
	case f.Removed:
		what = "removed: it was not there"
	}
	if d, ok := diff.Parse(f.Diff); ok && f.Problem == "" {
		added, removed := d.Stat()
		what += fmt.Sprintf(" (+%d −%d)", added, removed)
	}
	return plain.Line(f.Path + ": " + what)
}

// rewindFiles brings files back, and then undoes the turns as well if both is set.
func (s *session) rewindFiles(turn int, p FilePlan, both, overwrite bool) pane.Action {
	ctx, id := s.env.ctx, s.ID
	if s.activity.turnRuns() {
		return refusal("a turn runs by now; files are brought back when it has ended")
	}
	if len(p.Files) == 0 {
		if both {
			return s.rewindConversation(turn, "its files are already as before")
		}
		return textSnackbar("the files are already as before")
	}
	return doAsync(func() (string, error) { return p.Apply(ctx, overwrite) }, func(text string, err error) pane.Action {
		switch {
		case err != nil || id != s.ID:
			return failureSnackbar(err)
		case both:
			return s.rewindConversation(turn, text)
		}
		return textSnackbar(text)
	})
}

// redo redoes the turns and the files that were undone last.
func (s *session) redo() pane.Action {
	if why := s.whyNotChangeable(); why != "" {
		return refusal(why)
	}
	last, _, ok := conversation.LastRewound(s.log)
	if !ok || last.Redo || s.activity.turnRuns() {
		s.Session.RestoreTurns()
		return s.delayedSnackbar("redoes the turns")
	}
	ctx, b, id := s.env.ctx, s.env.Backend, s.ID
	return doAsync(func() (string, error) {
		p, err := b.PlanRewind(ctx, last.Turn, true)
		if err != nil || len(p.Files) == 0 {
			return "", err
		}
		return p.Apply(ctx, false)
	}, func(text string, err error) pane.Action {
		if err != nil || id != s.ID {
			return failureSnackbar(err)
		}
		if _, none := edit.Restore(s.log); none == nil {
			s.Session.RestoreTurns()
		}
		return textSnackbar(text)
	})
}

// showPlan is the action that shows the diffs of a plan.
type showPlan struct {
	turn int
	plan FilePlan
}

func (v *views) openPlan(a showPlan) pane.Action {
	var files []changes.File
	for _, f := range a.plan.Files {
		if d, ok := diff.Parse(f.Diff); ok {
			files = append(files, changes.File{ChangedFile: diff.ChangedFile{Name: f.Path, Diffs: []diff.File{d}}})
		}
	}
	view := &diffView{Model: changes.New(&v.env.Keys.Diff), isPlan: true}
	view.Show(changes.Content{Title: "back to before turn " + pane.Turn(a.turn), Files: files, Loaded: true})
	return v.open(view)
}

// pickTurn lets the user choose the message to go back to, the newest first: of all turns, or of those in which tools changed
// files. label returns a message as it was typed.
func (s *session) pickTurn(label func(sent string) string, changedOnly bool) pane.Action {
	if why := s.whyNotRewindable(); why != "" {
		return refusal(why)
	}
	o := dialog.PickerOptions{Title: "Go back to an earlier message", Empty: "every turn is undone; /redo redoes the latest"}
	if changedOnly {
		o.Title, o.Empty = "Turns that changed files", "no tool has changed a file yet"
	}
	changed := map[int]map[string]bool{} // files, by turn
	for _, e := range s.log {
		if c, ok := e.Body.(conversation.Checkpoint); ok {
			for _, f := range c.Files {
				if changed[e.Turn] == nil {
					changed[e.Turn] = map[string]bool{}
				}
				changed[e.Turn][f.Path] = true
			}
		}
	}
	for _, e := range slices.Backward(s.log.userTurns()) {
		n, files := len(changed[e.Turn]), ""
		if n > 0 {
			files = numbers.Count(n, "file")
		} else if changedOnly {
			continue
		}
		when, text := e.Time.In(s.env.Now().Location()).Format("2 Jan 15:04"), e.Body.(conversation.UserMessage).Text
		o.Items = append(o.Items, dialog.Item{ID: strconv.Itoa(e.Turn), Title: pane.Turn(e.Turn) + "  " + label(text),
			Columns: []string{when, "~" + pane.Tokens(s.load.estimateText(text)) + " tokens", files}})
	}
	o.Choose = func(item, _ string) pane.Action {
		turn, _ := strconv.Atoi(item) // as it was written above
		return s.rewind(turn)
	}
	return open(o)
}
