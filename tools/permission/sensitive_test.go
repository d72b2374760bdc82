package permission

import (
	"os"
	"strings"
	"testing"
)

func TestDocumentNamesEveryGuardedKindOfFile(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../docs/permissions.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]string{steeringNames, steeringFolders} {
		for _, name := range list {
			if !strings.Contains(string(b), "`"+name+"`") {
				t.Errorf("docs/permissions.md does not name %s", name)
			}
		}
	}
}
