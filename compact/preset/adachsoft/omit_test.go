package adachsoft

import (
	"testing"
)

func TestStubIsTheSourcesText(t *testing.T) {
	t.Parallel()
	const want = "[tool_compaction] Tool result compacted for tool=read_file_content, callId=call_1. Large fields omitted."
	if got := Stub("read_file_content", "call_1"); got != want {
		t.Error(got)
	}
}
