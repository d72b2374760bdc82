package tools_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/permission"
)

// exampleBox is the tools on a workspace with one file, and what removes both.
func exampleBox(p permission.Config) (box *tools.Box, remove func()) {
	dir, err := os.MkdirTemp("", "plimsoll")
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hull.go"), []byte("package ship\n\nconst draft = 9\n"), 0o600); err != nil {
		panic(err)
	}
	box, err = tools.New(tools.Options{Workspace: dir, Permissions: p})
	if err != nil {
		panic(err)
	}
	return box, func() {
		_ = box.Close()
		_ = os.RemoveAll(dir)
	}
}

// Review says what a call needs before it may run: nothing, an approval, or that it
// is refused. Mode and rules decide; a deny rule wins over everything else.
func ExampleBox_Review() {
	box, remove := exampleBox(permission.Config{
		Allow: []string{"run_command(go vet ./...)"},
		Deny:  []string{"run_command(git push *)"},
	})
	defer remove()
	need := func(tool, arguments string) {
		r := box.Review(context.Background(), conversation.ToolCall{ID: "1", Name: tool, Arguments: arguments})
		fmt.Printf("%-8s %s\n", r.Need, r.Title)
	}
	need("read_file", `{"path":"hull.go"}`)
	need("run_command", `{"command":"go vet ./..."}`)
	need("run_command", `{"command":"go vet ./... && rm hull.go"}`)
	need("run_command", `{"command":"git push origin"}`)
	need("modify_file", `{"path":"hull.go","old":"draft = 9","new":"draft = 8"}`)
	box.SetMode(conversation.ModeAutoEdit)
	need("modify_file", `{"path":"hull.go","old":"draft = 9","new":"draft = 8"}`)
	// Output:
	// nothing  read_file hull.go
	// nothing  run_command go vet ./...
	// approval run_command go vet ./... && rm hull.go
	// refusal  run_command git push origin
	// approval modify_file hull.go
	// nothing  modify_file hull.go
}
