package screen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"plimsoll/cli/session"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/shell"
	"plimsoll/tools/workspace"
	"plimsoll/tui"
)

// A message includes what it mentions with @: the text of a file, some of its lines (main.go:3-9), or the list of a folder
// (config/).

// Limits of files, folders, history and commands.
const (
	maxFiles      = 20_000          // that can be mentioned
	maxListing    = 500             // entries of a folder that is mentioned
	maxPrompts    = 500             // of the history
	shellTimeout  = 2 * time.Minute // for a command that the user runs
	MaxAttachment = 16 << 20        // bytes of a mentioned file
)

// Files lists the files of the workspace and the resources of servers that can be mentioned, with a look at the images that are.
func (h *Host) Files(ctx context.Context, images []string) ([]tui.File, error) {
	if err := h.deps.Settings.Configure(); err != nil {
		return nil, err
	}
	found, err := workspace.List(ctx, h.deps.Settings.Workspace, maxFiles)
	if err != nil {
		return nil, err
	}
	files := make([]tui.File, 0, len(found))
	limit := int64(h.arrivalCap().Chars)
	for _, f := range found {
		if slices.Contains(images, f.Path) {
			continue
		}
		file := tui.File{Path: f.Path, Tokens: int(float64(min(f.Size, limit)) / meter.CharsPerToken)}
		if conversation.IsImage(f.Path) {
			file.Tokens = 0
		}
		files = append(files, file)
	}
	files = append(files, foldersOf(found)...)
	running := h.running()
	for _, name := range images {
		switch info, err := running.LookAtImage(h.deps.Settings.Workspace, name); {
		case err == nil:
			files = append(files, tui.File{Path: name, Images: info.Size, Note: info.Text})
		case errors.Is(err, fs.ErrNotExist):
			files = append(files, tui.File{Path: name, Note: "✗ there is no such file"})
		default:
			files = append(files, tui.File{Path: name, Note: "✗ " + err.Error()})
		}
	}
	if running != nil {
		ctx, cancel := context.WithTimeout(ctx, listingTimeout)
		defer cancel()
		resources, _ := h.deps.Servers.Resources(ctx, running) // /mcp shows which servers do not answer
		for _, r := range resources {
			files = append(files, tui.File{Path: r.Server + ":" + r.URI, Tokens: int(float64(min(r.Size, limit)) / meter.CharsPerToken)})
		}
	}
	return files, nil
}

// foldersOf lists the folders that files are in, with the estimated tokens of their lists.
func foldersOf(files []workspace.File) []tui.File {
	size := map[string]int{}
	for _, f := range files {
		for child, dir := f.Path, path.Dir(f.Path); dir != "."; child, dir = dir, path.Dir(dir) {
			_, wasCounted := size[dir]
			size[dir] += len(path.Base(child)) + 1
			if wasCounted {
				break // the folder was counted in its parents before
			}
		}
	}
	folders := make([]tui.File, 0, len(size))
	for _, dir := range slices.Sorted(maps.Keys(size)) {
		folders = append(folders, tui.File{Path: dir + "/", Tokens: max(1, int(float64(size[dir])/meter.CharsPerToken))})
	}
	return folders
}

// Attach returns the texts of mentioned files and folders, each with its name.
func (h *Host) Attach(ctx context.Context, paths []string) (string, error) {
	return Attach(ctx, h.deps.Settings.Workspace, h.running(), h.arrivalCap(), paths...)
}

// Attach returns the texts of files and folders of a workspace, and of resources of servers, each with its name and cut to a
// limit. running may be nil.
func Attach(ctx context.Context, workspace string, running *session.Running, limit conversation.ArrivalCap, paths ...string) (string, error) {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return "", fmt.Errorf("opening the workspace: %w", err)
	}
	defer root.Close()
	var files []conversation.AttachedFile
	var images []conversation.Image
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if running != nil && conversation.IsImage(path) {
			image, err := running.AttachImage(ctx, path)
			if errors.Is(err, fs.ErrNotExist) {
				err = errNoFile{}
			}
			if err != nil {
				return "", &tui.MentionError{Path: path, Err: err}
			}
			images = append(images, image)
			continue
		}
		var text string
		var isResource bool
		if running != nil {
			text, isResource, err = running.Agents.Servers.ReadMention(ctx, running, path)
		}
		if !isResource {
			text, err = readAttachment(root, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = errNoFile{}
		}
		if err != nil {
			return "", &tui.MentionError{Path: path, Err: err}
		}
		shown, _ := limit.Apply(text, "") // cut like a tool's result
		files = append(files, conversation.AttachedFile{Path: path, Text: shown})
	}
	return conversation.FormatAttachments(files...) + conversation.FormatImages(images...), nil
}

// errNoFile is [fs.ErrNotExist] in words for the user.
type errNoFile struct{}

func (errNoFile) Error() string        { return "there is no such file in the workspace" }
func (errNoFile) Is(target error) bool { return target == fs.ErrNotExist }

// lineRange matches a path with line numbers: main.go:7, main.go:7-20.
var lineRange = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+):([0-9]{1,7})(?:-([0-9]{1,7}))?$`)
})

// readAttachment reads a mentioned file, some of its lines, or a folder.
func readAttachment(root *os.Root, name string) (string, error) {
	text, err := readMentioned(root, name)
	match := lineRange().FindStringSubmatch(name)
	if !errors.Is(err, fs.ErrNotExist) || match == nil {
		return text, err
	}
	if text, err = readMentioned(root, match[1]); err != nil {
		return "", err
	}
	first, _ := strconv.Atoi(match[2])
	last, err := strconv.Atoi(match[3])
	if err != nil {
		last = first
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if first < 1 || last < first || first > len(lines) {
		return "", fmt.Errorf("there are no such lines: it has %s", numbers.Count(len(lines), "line"))
	}
	return strings.Join(lines[first-1:min(last, len(lines))], "\n"), nil
}

// readMentioned reads the whole text of a file, or the list of a folder.
func readMentioned(root *os.Root, name string) (string, error) {
	st, err := root.Stat(name)
	switch {
	case err != nil:
		return "", err
	case st.IsDir():
		return folderListing(root, name)
	case !st.Mode().IsRegular():
		return "", fmt.Errorf("%w: not a file", fs.ErrInvalid)
	case st.Size() > MaxAttachment:
		return "", fmt.Errorf("larger than %d MiB; the model can read parts of it", MaxAttachment>>20)
	}
	data, err := root.ReadFile(name)
	if err != nil {
		return "", err
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", errors.New("it is a binary file: only text, images and PDFs can be sent")
	}
	return conversation.Clean(string(data)), nil
}

// folderListing lists a folder, one name a line, folders with a slash.
func folderListing(root *os.Root, name string) (string, error) {
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

// Shell runs a command of the user in the workspace and returns its output. Unlike commands of the model, it gets the whole
// environment.
func (h *Host) Shell(ctx context.Context, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, shellTimeout)
	defer cancel()
	output, err := h.runCommand(ctx, command)
	text, _ := h.arrivalCap().Apply(output, "")
	return text, err
}

// runCommand runs a command in the workspace. Close waits for it, and afterwards none begins.
func (h *Host) runCommand(ctx context.Context, command string) (string, error) {
	h.mu.Lock()
	if h.isClosed {
		h.mu.Unlock()
		return "", context.Canceled
	}
	h.commands.Add(1)
	h.mu.Unlock()
	defer h.commands.Done()
	return shell.Run(ctx, h.deps.Settings.Workspace, command)
}

// statusTimeout is the time that a status command has.
const statusTimeout = 5 * time.Second

// OwnStatus returns the function that runs a command for a status line; nil for "". The command is told the facts by variables.
func (h *Host) OwnStatus(command string) func(ctx context.Context, facts tui.StatusFacts) (string, error) {
	if command == "" {
		return nil
	}
	return func(ctx context.Context, f tui.StatusFacts) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, statusTimeout)
		defer cancel()
		cost := ""
		if f.CostUSD != nil {
			cost = strconv.FormatFloat(*f.CostUSD, 'f', 4, 64)
		}
		var told strings.Builder
		for _, v := range [][2]string{{"CONVERSATION", f.Conversation}, {"TITLE", f.Title}, {"MODEL", f.Model}, {"MODE", f.Mode},
			{"USED", strconv.Itoa(f.Used)}, {"WINDOW", strconv.Itoa(f.Window)}, {"COST", cost}} {
			told.WriteString("export PLIMSOLL_" + v[0] + "='" + strings.ReplaceAll(v[1], "'", `'\''`) + "'\n")
		}
		text, err := h.runCommand(ctx, told.String()+command)
		text, _, _ = strings.Cut(text, "\n")
		return text, err
	}
}

// Prompts returns the prompts of earlier conversations in this workspace, oldest first.
func (h *Host) Prompts(ctx context.Context) ([]string, error) {
	store, err := h.deps.Resources.Open()
	if err != nil {
		return nil, err
	}
	return store.History(ctx, h.deps.Settings.Workspace, maxPrompts)
}

// Remember adds a prompt to the history.
func (h *Host) Remember(ctx context.Context, text string) error {
	store, err := h.deps.Resources.Open()
	if err != nil {
		return err
	}
	return store.AddHistory(ctx, h.deps.Settings.Workspace, text)
}
