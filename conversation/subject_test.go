package conversation_test

import (
	"testing"

	"plimsoll/conversation"
)

func TestSubjectDescribesACall(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		`{"command":"go test ./..."}`:                  "go test ./...",
		`{"cmd":"ls","workdir":"/src"}`:                "ls",
		`{"command":["bash","-lc","ls"],"timeout":10}`: "bash -lc ls",
		`{"pattern":"TODO","path":"upload"}`:           "TODO in upload",
		`{"path":"a.go","offset":120}`:                 "a.go from 120",
		`{"file_path":"b.go"}`:                         "b.go",
		`{"path":"a.go","content":"x"}`:                "a.go",
		`{"_invalid":"{\"pa"}`:                         `{"pa`,
		`{"offset":3}`:                                 "from 3",
		`{"path":"a.go","offset":1e300}`:               "a.go",
		`{"command":["",7,"a","","b"]}`:                "a b",
		`{"command":7,"name":"x"}`:                     "x",
		`{}`:                                           "",
		"":                                             "",
		"no json":                                      "no json",
	} {
		if got := (conversation.ToolCall{Arguments: arguments}).Subject(); got != want {
			t.Errorf("%s: %q, want %q", arguments, got, want)
		}
	}
}
