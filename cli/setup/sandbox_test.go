package setup

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/config"
)

func TestVariablesNameFoldersThatCommandsWrite(t *testing.T) {
	t.Parallel()
	variables := map[string]string{"GOCACHE": "/data/go/", "GOPATH": "/a:/b", "LIKE": "/home/u", "ABOVE": "/home", "ROOT": "/", "OFF": "off"}
	got := expandVariables([]string{"~/.cache", "$GOCACHE", "$GOPATH/pkg", "$LIKE/pkg", "$LIKE", "$LIKE/..", "$ABOVE", "$ROOT", "$OFF", "$UNSET/x", "$"}, "/home/u",
		func(name string) string { return variables[name] })
	if diff := cmp.Diff([]string{"~/.cache", "/data/go/", "/a/pkg", "/home/u/pkg"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestVariablesOfServersAreKeptFromCommandsIfTheyMayBeSecret(t *testing.T) {
	t.Parallel()
	server := config.MCPServer{Command: []string{"notes", "${HOME}/notes"}, URL: "https://notes/?key=${URL_KEY}", Headers: map[string]string{"X": "${HEAD}-${USER}"}}
	got := ToolOptions("", config.Config{MCP: map[string]config.MCPServer{"notes": server}}).SecretNames
	if want := []string{"HEAD", "URL_KEY"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestConfinementOfServersAndHooks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		all                 string // permissions.sandbox
		own                 config.Confinement
		ofWorkspace, isHook bool
		want                string
	}{
		{"auto", config.Confinement{}, false, false, "home, network"},
		{"auto", config.Confinement{}, false, true, "home"},
		{"auto", config.Confinement{}, true, false, "workspace"},
		{"workspace", config.Confinement{}, true, true, "workspace"},
		{"read-only", config.Confinement{}, false, false, "read-only, network"},
		{"off", config.Confinement{}, true, false, "off"},
		{"off", config.Confinement{Sandbox: "workspace"}, false, true, "workspace"},
		{"auto", config.Confinement{Sandbox: "off", Network: "off"}, false, false, "off"},
		{"auto", config.Confinement{Network: "on"}, true, true, "workspace, network"},
	} {
		if got := describeConfinement(confinement(config.Config{Permissions: config.Permissions{Sandbox: c.all}}, c.own, c.ofWorkspace, c.isHook)); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
