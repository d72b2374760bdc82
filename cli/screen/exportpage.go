package screen

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"plimsoll/cli/console"
	"plimsoll/cli/transfer"
	"plimsoll/storage"
)

// exportPage writes the conversation on the screen to a file and says so. The
// ending of the file decides about the format; without a name it is Markdown in
// the current folder. A file that is there is not touched.
func (h *Host) exportPage(ctx context.Context, file string) (string, error) {
	h.mu.Lock()
	id := h.Reading
	if h.Running != nil {
		id = h.Running.ID
	}
	h.mu.Unlock()
	if file == "" {
		file = "plimsoll-" + id + ".md"
	}
	path := file
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(h.with.Console.Getenv("HOME"), rest)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(h.with.Console.Dir, path)
	}
	var notes []string
	err := console.WriteNew(path, false, func(w io.Writer) error {
		var err error
		notes, err = h.with.Exporter.Write(ctx, w, id, transfer.FormatOf(path))
		return err
	})
	if errors.Is(err, storage.ErrNotFound) {
		return "", errors.New("nothing to export yet")
	}
	if err != nil {
		return "", err
	}
	return strings.Join(append([]string{"Written to " + h.with.Console.Home(path) + "."}, notes...), "\n"), nil
}
