package console

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"plimsoll/config"
)

// Files with text of conversations are readable by their owner only. An existing file is replaced only if that is requested,
// and then atomically. A failed write leaves no file.

// WriteNew writes a file. force allows replacing an existing one.
func WriteNew(path string, force bool, write func(io.Writer) error) error {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return createFile(path, write)
	case err != nil:
		return fmt.Errorf("writing %s: %w", path, err)
	case st.IsDir():
		return WithHint(fmt.Errorf("%s is a folder", path), "name a file in it")
	case !st.Mode().IsRegular(): // a pipe, a device: nothing to overwrite
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	case !force:
		return WithHint(fmt.Errorf("%s exists already and was not touched", path), "--force overwrites it")
	}
	if path, err = filepath.EvalSymlinks(path); err != nil { // a symbolic link is kept: its target is replaced
		return err
	}
	return config.ReplaceFileWith(path, write)
}

// createFile writes a file that must not exist yet.
func createFile(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		_ = os.Remove(path) // the error of the write is returned
		return err
	}
	return nil
}
