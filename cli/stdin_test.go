package cli_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// endless is standard input that never ends, and counts how much was read.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	copy(p, strings.Repeat("word ", len(p)/5+1))
	e.read += len(p)
	return len(p), nil
}

// Input that is larger than any window is refused before its end is read, and before anything is sent or stored.
func TestAskRefusesInputLargerThanAnyWindow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, window string
		most         int // bytes that may be read
		want         []string
	}{
		{"small window", "8192", 1 << 20, []string{"more than", "8,192 tokens", "custom/m"}},
		{"large window", "100M", 16 << 20, []string{"more than", "at most"}},
		{"unknown window", "", 12 << 20, []string{"more than", "unknown"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newCommandLine(t)
			args := []string{"ask", "--model", "custom/m", "--base-url", "http://127.0.0.1:1/v1", "look at this"}
			if c.window != "" {
				args = append(args, "--window", c.window)
			}
			in := &endless{}
			code, out, errs := d.run(t.Context(), in, args...)
			if code != 1 || out != "" {
				t.Errorf("code %d, output %q", code, out)
			}
			for _, w := range c.want {
				if !strings.Contains(errs, w) {
					t.Errorf("%q does not say %q", errs, w)
				}
			}
			if in.read > c.most {
				t.Errorf("%d bytes were read", in.read)
			}
			if _, list, _ := d.run(t.Context(), nil, "list", "--json"); strings.TrimSpace(list) != "[]" {
				t.Errorf("stored: %s", list)
			}
		})
	}
}

// The size of a file is known, so that nothing of it is read.
func TestAskReportsTheSizeOfAFileOnStandardInput(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t)
	f, err := os.Create(filepath.Join(t.TempDir(), "large"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // the file was only read
	if err := f.Truncate(50e6); err != nil {
		t.Fatal(err)
	}
	code, _, errs := d.run(t.Context(), f, "ask", "--model", "custom/m", "--base-url", "http://127.0.0.1:1/v1", "--window", "8192", "look at this")
	if at, err := f.Seek(0, io.SeekCurrent); code != 1 || err != nil || at != 0 || !strings.Contains(errs, "50.0 MB") {
		t.Errorf("code %d, read %d (%v), said %q", code, at, err, errs)
	}
}
