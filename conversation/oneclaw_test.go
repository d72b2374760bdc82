package conversation_test

import (
	"testing"

	"plimsoll/conversation"
)

// Lines of ONE (OneClaw FEAT-011) that are about the cut of tool results. That
// results are cut before they are stored is tested in package agent.

func TestOneClawAcceptanceCriteria(t *testing.T) {
	t.Parallel()
	t.Run("The 30,000 character truncation limit is defined as a constant", func(t *testing.T) {
		t.Parallel()
		if conversation.ResultMaxChars != 30_000 {
			t.Errorf("it is %d", conversation.ResultMaxChars)
		}
	})
	t.Run("Truncated tool results include a marker indicating truncation occurred", TestCutPutsTheMarkerBehindTheFirstCharacters)
	t.Run("Tool result truncation edge case (content is exactly at limit)", TestCutLeavesTextsUpToTheLimitAlone)
}

// BenchmarkOneClaw is the performance test of ONE that is about the cut.
func BenchmarkOneClaw(b *testing.B) {
	b.Run("Tool result truncation speed with 1MB+ content", BenchmarkCut)
}
