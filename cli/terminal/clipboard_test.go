package terminal_test

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"plimsoll/cli/terminal"
)

func TestAnImageIsReadFromTheClipboard(t *testing.T) {
	t.Parallel()
	const png = "\x89PNG\r\n"
	for _, c := range []struct {
		system    string
		env       string            // a variable that is set
		programs  map[string]string // what they write
		want, err string
	}{
		{"linux", "WAYLAND_DISPLAY", map[string]string{"wl-paste": png}, png, ""},
		{"linux", "WAYLAND_DISPLAY", map[string]string{"xclip": png}, png, ""},
		{"linux", "DISPLAY", map[string]string{"xclip": "", "wl-paste": png}, "", "no image in the clipboard"},
		{"linux", "DISPLAY", nil, "", "needs xclip: install it"},
		{"linux", "", map[string]string{"xclip": png}, "", "without a desktop"},
		{"linux", "WSL_DISTRO_NAME", map[string]string{"powershell.exe": "89504E470D0A\r\n"}, png, ""},
		{"darwin", "", map[string]string{"osascript": "«data PNGf89504E470D0A»\n"}, png, ""},
		{"windows", "", map[string]string{"powershell.exe": ""}, "", "no image"},
		{"darwin", "", map[string]string{"pngpaste": png + strings.Repeat("x", 100)}, "", "larger than"},
	} {
		got, err := terminal.Clipboard{System: c.system, Env: func(name string) string { return strings.Repeat("x", len(name)*btoi(name == c.env)) },
			Run: func(_ context.Context, _ int64, argv []string) ([]byte, error) {
				out, ok := c.programs[argv[0]]
				if !ok {
					return nil, exec.ErrNotFound
				}
				return []byte(out), nil
			}}.Image(t.Context(), 100)
		if !slices.Equal(got, []byte(c.want)) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s %s: %q, %v", c.system, c.env, got, err)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
