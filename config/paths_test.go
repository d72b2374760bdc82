package config_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/config"

	"github.com/google/go-cmp/cmp"
)

func TestPathsFollowXDG(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		env  config.Env
		data string
		want config.Paths
	}{
		{"home", env("HOME", "/h"), "", config.Paths{Config: "/h/.config/plimsoll", Data: "/h/.local/share/plimsoll", State: "/h/.local/state/plimsoll"}},
		{"xdg", env("XDG_CONFIG_HOME", "/c", "XDG_DATA_HOME", "/d", "XDG_STATE_HOME", "/s"), "", config.Paths{Config: "/c/plimsoll", Data: "/d/plimsoll", State: "/s/plimsoll"}},
		{"relative xdg does not count", env("HOME", "/h", "XDG_CONFIG_HOME", "c"), "", config.Paths{Config: "/h/.config/plimsoll", Data: "/h/.local/share/plimsoll", State: "/h/.local/state/plimsoll"}},
		{"flag", env("HOME", "/h", "PLIMSOLL_DATA", "/e"), "/x", config.Paths{Config: "/h/.config/plimsoll", Data: "/x", State: "/x"}},
		{"environment", env("HOME", "/h", "PLIMSOLL_DATA", "/e"), "", config.Paths{Config: "/h/.config/plimsoll", Data: "/e", State: "/e"}},
		{"no home", env(), "/x", config.Paths{Data: "/x", State: "/x"}},
	} {
		got, err := config.FindPaths(c.env, c.data)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
	p := config.Paths{Data: "/x", State: "/y"}
	if p.Log() != "/y/plimsoll.log" || p.Transcripts() != "/x/transcripts" {
		t.Errorf("log %s, transcripts %s", p.Log(), p.Transcripts())
	}
	if _, err := config.FindPaths(nil, ""); err == nil {
		t.Error("no home and no XDG folder, and yet there are paths")
	}
}

func TestWorkspaceIsTheGitTopElseTheFolder(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"repo/.git", "repo/a/b", "plain/a", "repo/sub/x"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, root, "repo/sub/.git", "gitdir: ../.git/modules/sub\n")
	if err := os.Symlink(filepath.Join(root, "repo/a"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]string{
		"repo": "repo", "repo/a/b": "repo", "repo/sub/x": "repo/sub", "plain/a": "plain/a", "link/b": "repo",
	} {
		got, err := config.FindWorkspace(filepath.Join(root, from))
		if err != nil || got != filepath.Join(root, want) {
			t.Errorf("workspace of %s is %s, %v; want %s", from, got, err, want)
		}
	}
	for _, bad := range []string{"none", "repo/sub/.git"} {
		if _, err := config.FindWorkspace(filepath.Join(root, bad)); err == nil {
			t.Errorf("%s has a workspace", bad)
		}
	}
}

func TestHeaderValuesNeverPrint(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3tV4lue"
	c := parse(t, "providers: {x: {base_url: 'http://h/v1', headers: {X-Token: "+secret+"}}}")
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("loaded", "config", c, "headers", c.Providers["x"].Headers)
	asJSON, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{fmt.Sprint(c), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c), log.String(), string(asJSON)} {
		if strings.Contains(text, secret) {
			t.Errorf("way %d shows the value: %s", i, text)
		}
	}
}

func TestSizesAreParsedAndFormatted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]config.Size{
		"0": 0, "1500": 1500, "8MiB": 8 << 20, "8 MiB": 8 << 20, "1.5KiB": 1536, "2GB": 2e9, "3kB": 3000, "7B": 7, "1GiB": 1 << 30,
	} {
		got, err := config.ParseSize(text)
		if err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
		if again, err := config.ParseSize(got.String()); err != nil || again != got {
			t.Errorf("%q is written %q, read as %d, %v", text, got, again, err)
		}
	}
	for _, bad := range []string{"", "MiB", "-1", "1 XB", "nan", "inf", "1e30", "0x10 MiB MiB"} {
		if got, err := config.ParseSize(bad); err == nil {
			t.Errorf("%q is %d", bad, got)
		}
	}
}
