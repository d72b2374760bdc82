package setup

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVariablesNameFoldersThatCommandsWrite(t *testing.T) {
	t.Parallel()
	variables := map[string]string{"GOCACHE": "/data/go/", "GOPATH": "/a:/b", "LIKE": "/home/u", "ABOVE": "/home", "ROOT": "/", "OFF": "off"}
	got := named([]string{"~/.cache", "$GOCACHE", "$GOPATH/pkg", "$LIKE/pkg", "$LIKE", "$LIKE/..", "$ABOVE", "$ROOT", "$OFF", "$UNSET/x", "$"}, "/home/u",
		func(name string) string { return variables[name] })
	if diff := cmp.Diff([]string{"~/.cache", "/data/go/", "/a/pkg", "/home/u/pkg"}, got); diff != "" {
		t.Error(diff)
	}
}
