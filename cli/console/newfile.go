package console

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"plimsoll/config"
)

// Files that hold what was said are for their owner only. One that is there is
// not touched unless that is asked for, and then replaced in one step. A write
// that fails leaves nothing behind.

// WriteNew writes a file. force allows replacing one that is there.
func WriteNew(path string, force bool, write func(io.Writer) error) error {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fillNew(path, write)
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
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil { // a link stays one
		return err
	}
	return config.ReplaceFile(path, b.Bytes())
}

// fillNew makes a file that is not there yet.
func fillNew(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		// The error that counts is err.
		_ = os.Remove(path)
		return err
	}
	return nil
}
